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
/// subscribers have been told and middleware has unwound. So two stores whose subscribers or middleware dispatch to one
/// another from two threads would wait for each other for ever: let one of them be told by a ``Delivery``.
///
/// **Re-entrancy.** In middleware, `dispatch` runs at once and knows its parent. In a subscriber it runs after the
/// round of notifications is over, first come first served. In a reducer it is a programmer's error, as is reading
/// ``state`` there. Actions that answer actions without end are stopped: see ``DispatchLoop``.
///
/// **Cost.** State is changed in place; it is copied only where somebody keeps a copy.
public final class Store<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: everything mutable here, and what `cell` and `door` point to, is touched only while `lock` is held.
    @usableFromInline let lock: RecursiveLock
    @usableFromInline let leaves: [Reducer<State, Action>.Leaf]
    let reducerNames: [String]
    @usableFromInline let observers: [any ReductionObserver<State, Action>]
    /// The only one of them, where there is one: by far the most usual case, and worth a way without a loop.
    @usableFromInline let soleObserver: (any ReductionObserver<State, Action>)?
    let onLoop: @Sendable (DispatchLoop) -> Void
    /// The way through the middleware, if there is any.
    @usableFromInline let chain: Chain?

    /// The state, at one place for the store's whole life: reducers change it there.
    @usableFromInline let cell: UnsafeMutablePointer<State>
    @usableFromInline let door: UnsafeMutablePointer<Door>
    /// Owns `lock`, `cell` and `door`.
    let reach: Reach
    var waiting: [Waiting] = [] {
        didSet { door.pointee.hasWaiting = !waiting.isEmpty }
    }
    var answers = Answers()
    let topics: Topics
    var past: History<State, Action>
    let effects = RunningEffects()
    /// Made when the state is first observed.
    var observation: ObservationHub<State, Action>?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - initial: The state before the first action.
    ///   - reducer: What actions do. Two leaves of one name are told apart as `name` and `name#2`.
    ///   - middleware: Layers around the reducer, the first outermost.
    ///   - history: How many states the store keeps of its past; none by default.
    ///   - onLoop: Told of actions that answer actions without end, once they have been stopped. Stops the program
    ///     with the loop as its message by default.
    @inlinable
    public convenience init(
        initial: State,
        reducer: Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        history: HistoryLimit = .none,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void = { fatalError($0.description) }
    ) {
        let reach = Reach(initial)
        self.init(
            initial: initial,
            leaves: reducer.leaves,
            middleware: middleware,
            // Here, where the caller's compiler sees it, so that the way through the middleware is made for its types.
            chain: Chain(middleware, around: reach),
            reach: reach,
            history: history,
            onLoop: onLoop
        )
    }

    @usableFromInline
    init(
        initial: State,
        leaves: [Reducer<State, Action>.Leaf],
        middleware: [Middleware<State, Action>],
        chain: Chain?,
        reach: Reach,
        history: HistoryLimit,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void
    ) {
        self.reach = reach
        cell = reach.cell
        lock = reach.doorway.lock
        door = reach.doorway.door
        topics = Topics(doorway: reach.doorway)
        self.leaves = leaves
        reducerNames = Self.uniqueNames(of: leaves)
        observers = middleware.compactMap(\.observer)
        soleObserver = observers.count == 1 ? observers[0] : nil
        self.chain = chain
        past = History(limit: history, initial: initial)
        self.onLoop = onLoop
        door.pointee.keepsPast = !past.isOff
        door.pointee.hasMiddleware = chain != nil
        door.pointee.hasObservers = !observers.isEmpty
        door.pointee.isWatched = !observers.isEmpty || !past.isOff
        reach.lead(to: self)

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
        effects.cancelAll()
    }

    /// The state as it is now. Reading it copies nothing until one of the two copies changes.
    public var state: State { reach.state }

    /// Dispatches an action: runs it through the middleware and the reducers, and tells the subscribers.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - fileID: The caller's file; recordings show it.
    ///   - line: The caller's line.
    @inlinable
    public func dispatch(_ action: Action, fileID: String = #fileID, line: Int = #line) {
        dispatch(action, from: Origin(file: fileID, line: line))
    }

    /// Dispatches an action whose origin is not the calling line, such as one that was read from a file.
    @inlinable
    public func dispatch(_ action: Action, from origin: Origin) {
        lock.lock()
        if door.pointee.isPlain {
            reducePlainly(action)
        } else {
            dispatchTheLongWay(action, from: origin)
        }
        lock.unlock()
    }

    @inlinable
    func dispatchTheLongWay(
        _ action: Action,
        from origin: Origin,
        answering seq: Int? = nil,
        unless isCancelled: (() -> Bool)? = nil
    ) {
        switch door.pointee.phase {
        case .idle:
            pass(action, from: origin, answering: seq)
            if door.pointee.hasObservers { tellOfPassage() }
        case .notifying:
            wait(action, from: origin, answering: seq, unless: isCancelled)
        case .reducing:
            refuseDispatchInReducer(origin)
        }
    }

    @usableFromInline
    func wait(_ action: Action, from origin: Origin, answering seq: Int?, unless isCancelled: (() -> Bool)?) {
        if !mayWait(action, from: origin) { return }
        let cause = door.pointee.passages.innermost
        let work = Waiting.Work.action(action, answering: seq, unless: isCancelled)
        waiting.append(Waiting(work: work, origin: origin, cause: cause))
    }
}

@usableFromInline
func refuseDispatchInReducer(_ origin: Origin) -> Never {
    fatalError(
        """
        A reducer dispatched an action (\(origin)). Reducers only change their state: change it there directly, \
        or dispatch from middleware once the action that starts it has passed.
        """
    )
}

extension Store {
    /// The names of a reducer's leaves in the order in which they run, with `#2`, `#3` … after a name that came before.
    public static func uniqueNames(of reducer: Reducer<State, Action>) -> [String] {
        uniqueNames(of: reducer.leaves)
    }

    static func uniqueNames(of leaves: [Reducer<State, Action>.Leaf]) -> [String] {
        var seen: Set<String> = []
        return leaves.map { leaf in
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
