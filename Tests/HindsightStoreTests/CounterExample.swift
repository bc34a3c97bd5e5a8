import HindsightStore
import Observation

// All features of the store in one small app: a named counter with undo, subscribers and an effect that counts.

struct Tally: Sendable, Equatable {
    var count = 0
    var name = "clicks"
    var isRunning = false
}

enum TallyAction: Sendable, Equatable {
    case add(Int)
    case rename(String)
    case start(times: Int)
    case stopped
}

let tallyReducer = Reducer<Tally, TallyAction>.combine(
    Reducer("count") { tally, action in
        if case .add(let amount) = action { tally.count += amount }
    },
    Reducer<String, String>("name") { $0 = $1 }  // does not know the rest of the state
        .lift(state: \Tally.name) { (action: TallyAction) in
            if case .rename(let name) = action { name } else { nil }
        },
    Reducer("running") { tally, action in
        if case .start = action { tally.isRunning = true }
        if case .stopped = action { tally.isRunning = false }
    }
)

/// A value derived from the state, computed once for all subscribers.
let tallyTitle = DerivedSelector(\Tally.count, \.name) { count, name in "\(count) \(name)" }

/// An effect that counts, and dispatches `.stopped` at the end. Starting it again cancels the running one.
let countingByItself = Middleware<Tally, TallyAction>.effects { action, _ in
    guard case .start(let times) = action else { return .none }
    return .task(id: "counting") { dispatch in
        for _ in 0..<times { dispatch(.add(1)) }
        dispatch(.stopped)
    }
}

/// Runs the example, and reports its progress to `say`.
func runCounterExample(_ say: @escaping @Sendable (String) -> Void) async throws {
    let store = Store(
        initial: Tally(),
        reducer: tallyReducer,
        middleware: [.filter { $0 != .add(0) }, countingByItself, .undo(of: \.count)],
        history: .last(actions: 100)
    )
    let token = store.changes(of: \.count).subscribe { count in
        say(count.isTravel ? "back at \(count.new)" : "count \(count.new)")
    }
    withObservationTracking {
        say("a view shows \(store.observed.name)")
    } onChange: {
        say("the view is drawn again")
    }
    let name = store.binding(\.name, sending: { .rename($0) })

    store.dispatch(.add(2))  // notifies the subscriber at once, on this thread
    name.wrappedValue = "visits"  // dispatches .rename("visits")
    for _ in 1...3 { store.dispatch(.add(10)) }
    for _ in 1...3 { store.undo() }  // the name stays
    store.run { getState, dispatch in
        if getState().count == 2 { dispatch(.start(times: 2)) }
    }
    await store.waitForEffects()
    try store.travel(to: 1)  // to the state after the first action
    say("history: \(store.history.count) states of \(name.wrappedValue)")
    for await title in store.observe(tallyTitle).values.prefix(1) { say("a stream begins with \(title)") }
    token.cancel()
}
