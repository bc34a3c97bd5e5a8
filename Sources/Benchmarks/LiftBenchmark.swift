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
    /// Compares a lifted reducer with one that makes the same change by hand. Each has its own store.
    func row(
        _ name: String,
        _ reducer: Reducer<Desk, DeskAction>,
        _ action: DeskAction = .open(amount: 1),
        byHand change: @escaping @Sendable (inout Desk) -> Void
    ) {
        let lifting = Store(initial: Desk(), reducer: reducer)
        let plain = Store(initial: Desk(), reducer: Reducer<Desk, DeskAction>("by hand") { desk, _ in change(&desk) })
        let lifted = nanoseconds(repetitions: 100_000) { lifting.dispatch(action) }
        let byHand = nanoseconds(repetitions: 100_000) { plain.dispatch(action) }
        table.row(name, time(lifted), time(byHand), ratio(lifted / byHand))
    }
    row("a property", changing.lift(state: \Desk.plain, action: DeskAction.open)) { $0.plain.change(1) }
    let inList = changing.forEach(\Desk.documents, action: byID)
    for (place, id) in [("first", 0), ("last", 999)] {
        row("forEach, the \(place) of 1,000 by id", inList, .document(id: id, amount: 1)) { desk in
            if let index = desk.documents.firstIndex(where: { $0.id == id }) { desk.documents[index].change(1) }
        }
    }
    let inDictionary = changing.forEach(\Desk.documentsByID, action: byKey)
    row("forEach, a dictionary's value by key", inDictionary, .document(id: 999, amount: 1)) {
        $0.documentsByID[999]?.change(1)
    }
    let inCase = changing.lift(case: Screen.editor)
    row("a case of an enum", inCase.lift(state: \Desk.screen, action: DeskAction.open)) { desk in
        guard case .editor(var document) = desk.screen else { return }
        desk.screen = .list
        document.change(1)
        desk.screen = .editor(document)
    }
    row("an optional", changing.optional().lift(state: \Desk.open, action: DeskAction.open)) { $0.open?.change(1) }

    var document = Document(id: 0)
    let copying = nanoseconds(repetitions: 20_000) {
        var copy = document
        copy.change(1)
        document = copy
    }
    table.row("what copying one such element alone costs", time(copying), "", "")
}
