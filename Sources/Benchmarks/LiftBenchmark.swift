import HindsightStore

/// An element with a buffer of 1,000 integers, which is copied if a lift keeps a second reference.
private struct Document: Sendable, Identifiable {
    var id: Int
    var count = 0
    var values: [Int]

    init(id: Int) {
        self.id = id
        values = Array(0..<1_000)
    }

    mutating func change(_ amount: Int) {
        count &+= amount
        values[500] &+= amount
    }
}

private enum Screen: Sendable {
    case list
    case editor(Document)

    static let editor = EnumCase(
        extract: { if case .editor(let document) = $0 { document } else { nil } },
        embed: Screen.editor
    )
}

private struct Desk: Sendable {
    var documents = (0..<1_000).map { Document(id: $0) }
    var documentsByID = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, Document(id: $0)) })
    var screen = Screen.editor(Document(id: 0))
    var open: Document? = Document(id: 0)
    var plain = Document(id: 0)
}

private enum DeskAction: Sendable {
    case document(id: Int, amount: Int)
    case open(amount: Int)

    static let open = EnumCase(
        extract: { if case .open(let amount) = $0 { amount } else { nil } },
        embed: { DeskAction.open(amount: $0) }
    )
}

private let changing = Reducer<Document, Int>("changing") { document, amount in document.change(amount) }

func benchmarkLifts() {
    let table = Table("Lifted reducers, each element with 1,000 integers", "time", "by hand", "ratio")
    let byID: @Sendable (DeskAction) -> (id: Int, action: Int)? = {
        if case .document(let id, let amount) = $0 { (id, amount) } else { nil }
    }
    let byKey: @Sendable (DeskAction) -> (key: Int, action: Int)? = {
        if case .document(let id, let amount) = $0 { (id, amount) } else { nil }
    }
    measure(
        table,
        "a property",
        changing.lift(state: \Desk.plain, action: DeskAction.open),
        .open(amount: 1)
    ) { $0.plain.change(1) }
    measure(
        table,
        "forEach, the first of 1,000 by id",
        changing.forEach(\Desk.documents, action: byID),
        .document(id: 0, amount: 1)
    ) { desk in
        if let index = desk.documents.firstIndex(where: { $0.id == 0 }) { desk.documents[index].change(1) }
    }
    measure(
        table,
        "forEach, the last of 1,000 by id",
        changing.forEach(\Desk.documents, action: byID),
        .document(id: 999, amount: 1)
    ) { desk in
        if let index = desk.documents.firstIndex(where: { $0.id == 999 }) { desk.documents[index].change(1) }
    }
    measure(
        table,
        "forEach, a dictionary's value by key",
        changing.forEach(\Desk.documentsByID, action: byKey),
        .document(id: 999, amount: 1)
    ) { $0.documentsByID[999]?.change(1) }
    measure(
        table,
        "a case of an enum",
        changing.lift(case: Screen.editor).lift(state: \Desk.screen, action: DeskAction.open),
        .open(amount: 1)
    ) { desk in
        guard case .editor(var document) = desk.screen else { return }
        desk.screen = .list
        document.change(1)
        desk.screen = .editor(document)
    }
    measure(
        table,
        "an optional",
        changing.optional().lift(state: \Desk.open, action: DeskAction.open),
        .open(amount: 1)
    ) { $0.open?.change(1) }

    var document = Document(id: 0)
    let copying = nanoseconds(repetitions: 20_000) {
        var copy = document
        copy.change(1)
        document = copy
    }
    table.row("what copying one such element alone costs", time(copying), "", "")
}

/// Compares a lifted reducer with one that makes the same change by hand. Each has its own store.
private func measure(
    _ table: Table,
    _ name: String,
    _ reducer: Reducer<Desk, DeskAction>,
    _ action: DeskAction,
    byHand change: @escaping @Sendable (inout Desk) -> Void
) {
    let lifting = Store(initial: Desk(), reducer: reducer)
    let changing = Store(initial: Desk(), reducer: Reducer<Desk, DeskAction>("by hand") { desk, _ in change(&desk) })
    let lifted = nanoseconds(repetitions: 100_000) { lifting.dispatch(action) }
    let byHand = nanoseconds(repetitions: 100_000) { changing.dispatch(action) }
    table.row(name, time(lifted), time(byHand), ratio(lifted / byHand))
}
