import HindsightStore

// An app without a recorder that says `nonisolated` nowhere: the store reads its state's key paths on the main actor.

struct PlainState: Equatable {
    var count = 0
    var names: [Name] = []
}

struct Name: Equatable {
    var text = ""
}

enum PlainAction {
    case add(Int)
    case name(String)
}

let plainReducer = Reducer<PlainState, PlainAction>("plain") { state, action in
    switch action {
    case .add(let amount): state.count += amount
    case .name(let text): state.names.append(Name(text: text))
    }
}

/// Runs the app on the main actor and in a task elsewhere, and returns the counts that a subscriber was told.
public func runPlainApp() async -> [Int] {
    let store = Store(initial: PlainState(), reducer: plainReducer)
    let notes = Notes()
    let token = store.subscribe(\.count) { notes.add("\($0)") }
    // In Swift 5 mode, `Name` needs a conformance that is not isolated.
    #if swift(>=6)
        let names = store.subscribe(changesOf: \.names) { notes.add("\($0.new.count) at \($0.seq)") }
        defer { names.cancel() }
    #endif
    store.dispatch(.add(1))
    while notes.all.count < 1 { await Task.yield() }
    await Task.detached { store.dispatch(.add(2)) }.value
    while notes.all.count < 2 { await Task.yield() }
    token.cancel()
    store.dispatch(.add(4))
    return notes.all.compactMap { Int($0) }
}
