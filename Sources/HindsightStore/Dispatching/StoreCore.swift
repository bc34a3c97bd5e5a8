import Synchronization

/// The progress of a store's dispatch, and which parts a dispatch consists of. Not generic, so that access is cheap.
@usableFromInline
struct DispatchState {
    /// What the store does for the present action.
    @usableFromInline
    enum Phase {
        /// Nothing, or the middleware handles it.
        case idle
        /// A reducer runs.
        case reducing
        /// Observers and subscribers with the timing `.eachReducer` are called: the state may be in the middle of the
        /// action.
        case betweenReducers
        /// Other subscribers are called.
        case notifying
    }

    /// What becomes of the actions that were dispatched in a round of notifications. Asking the generic queue itself
    /// would look up type metadata, which costs more than a subscription.
    @usableFromInline
    enum Queue { case empty, waiting, running }

    /// What a dispatch consists of, beside the reducers.
    @usableFromInline
    struct Parts: OptionSet {
        @usableFromInline let rawValue: UInt8

        @inlinable
        init(rawValue: UInt8) { self.rawValue = rawValue }

        @inlinable static var middleware: Parts { Parts(rawValue: 1) }
        @inlinable static var observers: Parts { Parts(rawValue: 2) }
        @inlinable static var history: Parts { Parts(rawValue: 4) }
        /// Subscribers with the timing `.action`.
        @inlinable static var subscribers: Parts { Parts(rawValue: 8) }
        /// Subscribers with the timing `.eachReducer`.
        @inlinable static var stepSubscribers: Parts { Parts(rawValue: 16) }
        /// Other threads may read the state while the subscribers and the middleware run, so that each reduction takes
        /// the lock of the state.
        @inlinable static var readers: Parts { Parts(rawValue: 32) }

        @inlinable static var allSubscribers: Parts { Parts(rawValue: 8 | 16) }
        /// What is to be told after each reducer, beside the observers.
        @inlinable static var stepFollowers: Parts { Parts(rawValue: 4 | 16) }

        mutating func set(_ part: Parts, to isPresent: Bool) {
            if isPresent { insert(part) } else { remove(part) }
        }
    }

    @usableFromInline var phase = Phase.idle
    @usableFromInline var parts: Parts = []
    @usableFromInline var queue = Queue.empty
    @usableFromInline var lastSeq = 0
    /// The number of the last subscription. An action's round of notifications leaves out those that began in the
    /// action, and a reducer's those that began after it ran: they have seen the change.
    @usableFromInline var lastSubscription = 0
    @usableFromInline var stack = DispatchStack()
    /// The number of layers of middleware that have passed the innermost frame's action on.
    @usableFromInline var passedLayers = 0
    /// The stack on which the present chain of answers runs.
    private var chain = (start: UInt(0), limit: UInt(0))

    fileprivate init() {}

    /// Whether only the reducers have to run: no reduction is under way, and a dispatch has no other parts.
    @usableFromInline var allowsFastPath: Bool {
        @inline(__always) get {
            phase == .idle && parts.rawValue == 0
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

    /// Whether the store has observers or keeps history.
    @usableFromInline var isObserved: Bool {
        @inline(__always) get { has(.observers) || has(.history) }
    }

    /// Whether a dispatch has one of these parts.
    @inlinable @inline(__always)
    func has(_ some: Parts) -> Bool { parts.rawValue & some.rawValue != 0 }

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
    /// Whether ``DispatchState/Parts/readers`` is set; readable without `lock`.
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
