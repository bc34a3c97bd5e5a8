import Synchronization

/// The progress of a store's dispatch, and which parts a dispatch consists of. Not generic, so that access is cheap.
@usableFromInline
struct DispatchState {
    @usableFromInline
    enum Phase { case idle, reducing, notifying }

    @usableFromInline var phase = Phase.idle
    @usableFromInline var lastSeq = 0
    /// The number of the last subscription. An action's round of notifications leaves out those that began in the
    /// action, and a reducer's those that began after it ran: they have seen the change.
    @usableFromInline var lastSubscription = 0
    @usableFromInline var hasMiddleware = false
    @usableFromInline var hasObservers = false
    @usableFromInline var keepsHistory = false
    /// Whether the store has observers or keeps history.
    @usableFromInline var isObserved = false
    /// Whether there are subscribers with the timing `.action`.
    @usableFromInline var hasTopics = false
    /// Whether there are subscribers with the timing `.eachReducer`.
    @usableFromInline var hasStepTopics = false
    /// Whether other threads may read the state while the subscribers and the middleware run, so that each reduction
    /// takes the lock of the state.
    @usableFromInline var sharesState = false
    @usableFromInline var isRunningQueue = false
    /// Whether the state may be in the middle of an action while other code than the reducers runs.
    @usableFromInline var isMidAction = false
    /// Whether the queue has work. Asking the generic queue itself would look up type metadata, which costs more than
    /// a subscription.
    var hasQueuedWork = false
    @usableFromInline var stack = DispatchStack()
    /// The number of layers of middleware that have passed the innermost frame's action on.
    @usableFromInline var passedLayers = 0
    /// The stack on which the present chain of answers runs.
    private var chain = (start: UInt(0), limit: UInt(0))

    fileprivate init() {}

    /// Whether only the reducers have to run: no dispatch is under way, and there is no middleware, observer, history
    /// or subscriber.
    @usableFromInline var allowsFastPath: Bool {
        @inline(__always) get {
            phase == .idle && !(hasMiddleware || isObserved || hasTopics || hasStepTopics || sharesState)
        }
    }

    /// Notes where the thread's stack is, before the second action of a chain of answers.
    mutating func beginChain() {
        let here = StackSpace.here()
        chain = (here, 0)
        guard let space = StackSpace.current, space.contains(here) else { return }
        chain.limit = space.lowest + UInt(min(Self.reservedStack, space.size / 8))
    }

    /// Whether the thread's stack has room for one more answer in a chain, and for the report of a loop.
    ///
    /// - Parameter depth: The length of the chain, the next answer included. At least 3.
    func hasStack(for depth: Int) -> Bool {
        if chain.limit == 0 { return true }
        let here = StackSpace.here()
        if here <= chain.limit { return false }
        // Queued answers need no stack of their own.
        if here >= chain.start { return true }
        // Room for two of the average size.
        return (here - chain.limit) &* UInt(depth - DispatchLoop.untracedDepth) > 2 * (chain.start - here)
    }

    /// In bytes: for a report, and for what the reducers and subscribers of one answer call.
    private static var reservedStack: Int { 32 << 10 }

    /// Whether the middleware is handling an action.
    @usableFromInline var hasFrames: Bool {
        @inline(__always) get { stack.innermost != nil }
    }
}

/// A store's locks, and the dispatch state that the first one guards. Outlives the store if a token or middleware does.
@usableFromInline
final class StoreCore: @unchecked Sendable {
    // Sound: the memory at `dispatchState` is touched only while `lock` is held.
    @usableFromInline let lock = RecursiveLock()
    /// Held during each reduction once the state is shared. Taken while `lock` is held, never the other way round.
    @usableFromInline let stateLock = RecursiveLock()
    /// Whether ``DispatchState/sharesState`` is set; readable without `lock`.
    let isStateShared = Atomic(false)
    @usableFromInline let dispatchState: UnsafeMutablePointer<DispatchState>

    init() {
        dispatchState = .allocate(capacity: 1)
        dispatchState.initialize(to: DispatchState())
    }

    deinit {
        dispatchState.deinitialize(count: 1)
        dispatchState.deallocate()
    }
}
