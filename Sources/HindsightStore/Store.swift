/// Holds an app's state, and lets nothing but dispatched actions change it.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [logging, recorder.middleware])
/// let token = store.subscribe(\.count) { print("count is", $0) }
/// store.dispatch(.increment)
/// ```
///
/// **Order.** `dispatch` → middleware, the first outermost → each leaf of the reducer, in place → subscribers, in the
/// order in which they subscribed → middleware unwinds. When `dispatch` returns, its action has been reduced.
///
/// **Threads.** Any thread may dispatch; there is one total order of actions. Dispatches of other threads wait until
/// subscribers have been told and middleware has unwound.
///
/// **Re-entrancy.** In middleware, `dispatch` runs at once and knows its parent. In a subscriber it runs after the
/// round of notifications is over, first come first served. In a reducer it is a programmer's error, as is reading
/// ``state`` there. Actions that answer actions without end are stopped: see ``DispatchLoop``.
///
/// **Cost.** State is changed in place; it is copied only where somebody keeps a copy.
public final class Store<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: everything mutable here, and what `cell` points to, is touched only while `lock` is held.
    let lock = RecursiveLock()
    let leaves: [Reducer<State, Action>.Leaf]
    let reducerNames: [String]
    let observers: [any ReductionObserver<State, Action>]
    let onLoop: @Sendable (DispatchLoop) -> Void
    var chain: Middleware<State, Action>.Next?

    /// The state, at one place for the store's whole life: reducers change it there.
    let cell: UnsafeMutablePointer<State>
    var phase = Phase.idle
    var lastSeq = 0
    var innermost: Passage?
    var waiting: [Waiting] = []
    var isServingWaiting = false
    var topics = Topics<State>()
    var past: History<State, Action>
    /// Whether an action can take the short way: nobody but the reducers wants to know about it.
    var isPlain: Bool

    enum Phase { case idle, reducing, notifying }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - initial: The state before the first action.
    ///   - reducer: What actions do. Two leaves of one name are told apart as `name` and `name#2`.
    ///   - middleware: Layers around the reducer, the first outermost.
    ///   - history: How many states the store keeps of its past; none by default.
    ///   - onLoop: Told of actions that answer actions without end, once they have been stopped. Stops the program
    ///     with the loop as its message by default.
    public init(
        initial: State,
        reducer: Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        history: HistoryLimit = .none,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void = { preconditionFailure($0.description) }
    ) {
        cell = .allocate(capacity: 1)
        cell.initialize(to: initial)
        leaves = reducer.leaves
        reducerNames = Self.uniqueNames(of: reducer)
        observers = middleware.compactMap(\.observer)
        past = History(limit: history, initial: initial)
        self.onLoop = onLoop
        isPlain = observers.isEmpty && past.isOff

        let bodies = middleware.compactMap(\.body)
        if !bodies.isEmpty {
            let getState: @Sendable () -> State = { [weak self] in
                guard let self else { return initial }
                return self.state
            }
            let dispatch = Dispatch<Action> { [weak self] action, origin in self?.dispatch(action, from: origin) }
            var next: Middleware<State, Action>.Next = { [weak self] action in self?.enterDoor(action) }
            for body in bodies.reversed() {
                next = body(getState, dispatch)(next)
            }
            chain = next
        }
        for observer in observers {
            observer.storeStarted(initial: initial, reducers: reducerNames)
        }
    }

    /// Creates a store from several reducers that run one after the other.
    public convenience init(
        initial: State,
        reducers: [Reducer<State, Action>],
        middleware: [Middleware<State, Action>] = [],
        history: HistoryLimit = .none
    ) {
        self.init(initial: initial, reducer: .combine(reducers), middleware: middleware, history: history)
    }

    deinit {
        topics.giveUpAll()
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// The state as it is now. Reading it copies nothing until one of the two copies changes.
    public var state: State {
        lock.withLock {
            precondition(
                phase != .reducing,
                "A reducer read its store's state. Use the state that the reducer is given."
            )
            return cell.pointee
        }
    }

    /// Dispatches an action: runs it through the middleware and the reducers, and tells the subscribers.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - fileID: The caller's file; recordings show it.
    ///   - line: The caller's line.
    public func dispatch(_ action: Action, fileID: String = #fileID, line: Int = #line) {
        dispatch(action, from: Origin(file: fileID, line: line))
    }

    /// Dispatches an action whose origin is not the calling line, such as one that was read from a file.
    public func dispatch(_ action: Action, from origin: Origin) {
        lock.lock()
        defer { lock.unlock() }
        switch phase {
        case .idle:
            pass(action, from: origin, within: innermost)
        case .notifying:
            waiting.append(Waiting(action: action, origin: origin, cause: innermost))
        case .reducing:
            preconditionFailure(
                """
                A reducer dispatched an action (\(origin)). Reducers only change their state: change it there directly, \
                or dispatch from middleware once the action that starts it has passed.
                """
            )
        }
    }
}

extension Store {
    /// The names of a reducer's leaves in the order in which they run, with `#2`, `#3` … after a name that came before.
    public static func uniqueNames(of reducer: Reducer<State, Action>) -> [String] {
        var seen: Set<String> = []
        return reducer.leaves.map { leaf in
            var name = leaf.name
            var count = 1
            while !seen.insert(name).inserted {
                count += 1
                name = "\(leaf.name)#\(count)"
            }
            return name
        }
    }
}
