import Foundation
import HindsightStore

struct Counter: Sendable, Equatable {
    var count = 0
    var name = "counter"
    var isEven: Bool { count.isMultiple(of: 2) }
}

enum CounterAction: Sendable, Equatable {
    case add(Int)
    case rename(String)
}

let counting = Reducer<Counter, CounterAction>("counting") { state, action in
    if case .add(let amount) = action { state.count += amount }
}
let naming = Reducer<Counter, CounterAction>("naming") { state, action in
    if case .rename(let name) = action { state.name = name }
}
let counter = Reducer.combine(counting, naming)

/// A store of a counter.
func counterStore(
    _ middleware: [Middleware<Counter, CounterAction>],
    history: HistoryLimit = .none,
    of reducer: Reducer<Counter, CounterAction> = counter,
    onLoop: @escaping @Sendable (DispatchLoop) -> Void = { fatalError($0.description) }
) -> Store<Counter, CounterAction> {
    Store(initial: Counter(), reducer: reducer, middleware: middleware, history: history, onLoop: onLoop)
}

/// Collects notes in order, from any thread.
///
/// Uses `NSLock`: on Linux, the thread sanitizer does not recognise a contended `Mutex`.
final class Notes<Note: Sendable>: @unchecked Sendable {
    // Sound: `notes` is touched only while `lock` is held.
    private let lock = NSLock()
    private var notes: [Note] = []
    var all: [Note] { lock.withLock { notes } }
    func add(_ note: Note) { lock.withLock { notes.append(note) } }
}

/// Notes what an observer receives.
final class Watcher: ReductionObserver {
    typealias StateValue = Counter
    typealias ActionValue = CounterAction
    let notes = Notes<String>()

    func storeStarted(initial: Counter, reducers: [String]) { notes.add("start \(reducers)") }
    func willReduce(_ action: CounterAction, context: ActionContext) {
        notes.add("\(context.seq) \(action) parent \(context.parent ?? 0) adopted \(context.adopted)")
    }
    func didRun(reducer: Int, state: Counter) { notes.add("\(reducer): \(state.count)") }
    func didReduce(state: Counter) { notes.add("done \(state.count)") }
    func didTravel(to seq: Int?, context: ActionContext, state: Counter) {
        notes.add("\(context.seq) travelled to \(seq ?? -1): \(state.count)")
    }
}

/// Passes on the context of each action.
private final class ContextWatcher<StateValue: Sendable, ActionValue: Sendable>: ReductionObserver {
    let note: @Sendable (ActionContext) -> Void
    init(_ note: @escaping @Sendable (ActionContext) -> Void) { self.note = note }
    func storeStarted(initial: StateValue, reducers: [String]) {}
    func willReduce(_ action: ActionValue, context: ActionContext) { note(context) }
    func didRun(reducer: Int, state: StateValue) {}
    func didReduce(state: StateValue) {}
    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) { note(context) }
}

extension Middleware {
    /// Calls a closure with each action, with the function that passes actions on, and with the store's dispatch.
    static func layer(
        _ body: @escaping @Sendable (ActionValue, @escaping Next, Dispatcher<ActionValue>) -> Void
    ) -> Middleware {
        Middleware { _, dispatch in { next in { action in body(action, next, dispatch) } } }
    }

    /// Notes each action's and each travel's number, parent and origin.
    static func noting(_ note: @escaping @Sendable (ActionContext) -> Void) -> Middleware {
        Middleware(observer: ContextWatcher(note))
    }
}

/// An object that calls a closure when it is released.
final class AtEnd: Sendable, Equatable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
    static func == (one: AtEnd, other: AtEnd) -> Bool { one === other }
}
