import HindsightStore
import Synchronization

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

/// Notes what happened, in order, from any thread.
final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])
    var all: [Note] { notes.withLock { $0 } }
    func add(_ note: Note) { notes.withLock { $0.append(note) } }
}

/// Notes what an observer is told.
final class Watcher: ReductionObserver {
    typealias State = Counter
    typealias Action = CounterAction
    let notes = Notes<String>()

    func storeStarted(initial: Counter, reducers: [String]) { notes.add("start \(reducers)") }
    func willReduce(_ action: CounterAction, context: ActionContext) {
        notes.add("\(context.seq) \(action) parent \(context.parent ?? 0) adopted \(context.adopted)")
    }
    func didRun(reducer: Int, state: Counter) { notes.add("\(reducer): \(state.count)") }
    func didReduce(state: Counter) { notes.add("done \(state.count)") }
}
