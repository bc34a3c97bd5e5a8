/// Holds an app's state, which only dispatched actions change.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [logging, recorder.middleware])
/// let token = store.subscribe(\.count) { print("count is", $0) }
/// store.dispatch(.increment)
/// ```
///
/// **Order.** `dispatch` calls the middleware, the first outermost; then each reducer, which changes the state in
/// place; then the subscribers, in the order in which they subscribed. Then the middleware unwinds. When `dispatch`
/// returns, its action has been reduced.
///
/// **Threads.** Any thread may dispatch. The store puts all actions into one total order: other threads wait until the
/// subscribers have been called and the middleware has unwound. If the subscribers or middleware of two stores dispatch
/// to each other from two threads, the stores deadlock; to avoid this, subscribe to one of them with a ``Delivery``.
/// If one thread dispatches without a pause, another one gets its turn after about a millisecond.
///
/// **Re-entrancy.** In middleware, `dispatch` runs at once and knows its parent. In a subscriber, it runs after the
/// round of notifications, in order. In a reducer, dispatching and reading ``state`` are programmer errors. The store
/// stops actions that answer one another without end: see ``DispatchLoop``.
///
/// **Cost.** Reducers change the state in place. A change copies what it changes only if there is another copy of the
/// state.
public final class Store<StateValue: Sendable, ActionValue: Sendable>: Dispatching, @unchecked Sendable {
    // Sound: the mutable properties, and the memory at `statePointer` and `dispatchState`, are touched only while
    // `lock` is held.
    @usableFromInline let lock: RecursiveLock
    @usableFromInline let leaves: [Reducer<StateValue, ActionValue>.Leaf]
    let reducerNames: [String]
    @usableFromInline let observers: [any ReductionObserver<StateValue, ActionValue>]
    /// The observer, if there is exactly one: the usual case, which needs no loop.
    @usableFromInline let soleObserver: (any ReductionObserver<StateValue, ActionValue>)?
    let onLoop: @Sendable (DispatchLoop) -> Void
    /// `nil` if there is no middleware.
    @usableFromInline let chain: MiddlewareChain?

    /// The state, at one address for the store's whole life.
    @usableFromInline let statePointer: UnsafeMutablePointer<StateValue>
    @usableFromInline let dispatchState: UnsafeMutablePointer<DispatchState>
    /// Owns `lock`, `statePointer` and `dispatchState`.
    @usableFromInline let handle: StoreHandle
    var queue: [QueuedWork] = []
    var loopDetector = LoopDetector()
    let topics: Topics
    var historyBuffer: HistoryBuffer<StateValue, ActionValue>
    let effects = RunningEffects()
    /// Created when the state is first observed.
    var observation: ObservationHub?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - initial: The state before the first action.
    ///   - reducer: Changes the state. If two of its leaves have the same name, the second is renamed `name#2`.
    ///   - middleware: Layers around the reducer, the first outermost.
    ///   - history: How many past states the store keeps; none by default.
    ///   - onLoop: Called after the store has stopped a loop of actions. By default, stops the program with the loop as
    ///     its message.
    @inlinable
    public convenience init(
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        middleware: [Middleware<StateValue, ActionValue>] = [],
        history: HistoryLimit = .none,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void = { fatalError($0.description) }
    ) {
        let handle = StoreHandle(initial)
        self.init(
            initial: initial,
            leaves: reducer.leaves,
            middleware: middleware,
            // Inlined into the caller, so that the compiler specializes the chain for the caller's types.
            chain: MiddlewareChain(middleware, around: handle),
            handle: handle,
            history: history,
            onLoop: onLoop
        )
    }

    @usableFromInline
    init(
        initial: StateValue,
        leaves: [Reducer<StateValue, ActionValue>.Leaf],
        middleware: [Middleware<StateValue, ActionValue>],
        chain: MiddlewareChain?,
        handle: StoreHandle,
        history: HistoryLimit,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void
    ) {
        self.handle = handle
        statePointer = handle.statePointer
        lock = handle.core.lock
        dispatchState = handle.core.dispatchState
        topics = Topics(core: handle.core)
        self.leaves = leaves
        reducerNames = Reducer(leaves: leaves).uniqueNames
        observers = middleware.flatMap(\.observers)
        soleObserver = observers.count == 1 ? observers[0] : nil
        self.chain = chain
        historyBuffer = HistoryBuffer(limit: history, initial: initial)
        self.onLoop = onLoop
        dispatchState.pointee.parts.set(.history, to: !historyBuffer.isOff)
        dispatchState.pointee.parts.set(.middleware, to: chain != nil)
        dispatchState.pointee.parts.set(.observers, to: !observers.isEmpty)
        handle.attach(self)

        for observer in observers {
            let reducing = observer as? any ReducingObserver<StateValue, ActionValue>
            if let reducing {
                let reducer = Reducer(leaves: leaves)
                reducing.storeStarted(initial: initial, reducer: reducer, present: { handle.presentState })
            } else {
                observer.storeStarted(initial: initial, reducers: reducerNames)
            }
        }
    }

    /// Creates a store from several reducers that run in sequence.
    ///
    /// Otherwise like ``init(initial:reducer:middleware:history:onLoop:)``.
    @inlinable
    public convenience init(
        initial: StateValue,
        reducers: [Reducer<StateValue, ActionValue>],
        middleware: [Middleware<StateValue, ActionValue>] = [],
        history: HistoryLimit = .none,
        onLoop: @escaping @Sendable (DispatchLoop) -> Void = { fatalError($0.description) }
    ) {
        self.init(
            initial: initial,
            reducer: .combine(reducers),
            middleware: middleware,
            history: history,
            onLoop: onLoop
        )
    }

    deinit {
        topics.removeAll()
        effects.cancelAll()
    }

    /// The present state. Reading it copies nothing until one of the two copies changes.
    ///
    /// If another thread dispatches, reading waits until its subscribers have been called and its middleware has
    /// unwound. ``reducedState`` does not.
    public var state: StateValue { handle.state }

    /// The state after the last reduction. Reading it waits for a reduction that is under way, but not for subscribers
    /// and middleware of another thread's dispatch.
    ///
    /// Use it if these are slow, or if they wait for the reading thread. The reader may see a state before the
    /// subscribers do. In a dispatch, it is the same as ``state``.
    ///
    /// **Cost.** The first read waits like one of ``state``, so read it once where you create the store. From then on,
    /// each action takes one more lock, and a store without middleware and subscribers loses its fast path. A store
    /// whose `reducedState` is never read checks one flag an action. Observers, and subscribers with the timing
    /// ``SubscriptionTiming/eachReducer``, are part of the reduction.
    public var reducedState: StateValue { handle.reducedState }

    /// Sends an action through the middleware and the reducers, and notifies the subscribers.
    ///
    /// `dispatch(_:fileID:line:)` of ``Dispatching`` takes the calling line as the action's origin.
    @inlinable
    public func dispatch(_ action: ActionValue, from origin: Origin) {
        lock.lock()
        if dispatchState.pointee.allowsFastPath {
            runReducers(action)
        } else {
            dispatchSlowPath(action, from: origin)
        }
        lock.unlock()
    }
}
