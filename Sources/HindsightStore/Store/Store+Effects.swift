import HindsightSupport

extension Store: DispatchTarget {
    @usableFromInline
    func boundDispatcher() -> Dispatcher<ActionValue> {
        let frame = lock.withLock { dispatchState.pointee.stack.innermost }
        return Dispatcher(
            isBound: true,
            send: { [weak self] action, origin in self?.dispatch(action, from: origin, answering: frame) },
            target: { [weak self] in self }
        )
    }

    @usableFromInline
    func boundFrame() -> @Sendable (() -> Void) -> Void {
        guard let frame = lock.withLock({ dispatchState.pointee.stack.innermost }) else { return { $0() } }
        return { [weak self] body in
            guard let self else { return body() }
            lock.withLock { self.run(in: frame, body) }
        }
    }

    @usableFromInline
    func startEffect(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (Dispatcher<ActionValue>) async -> Void
    ) {
        lock.withLock {
            let cause = dispatchState.pointee.stack.innermost
            effects.start(id: id, priority: priority) { [weak self] flag in
                await work(Self.dispatcher(for: self, answering: cause, unless: flag))
            }
        }
    }

    @usableFromInline
    func cancelEffect(id: HashableKey) {
        lock.withLock { effects.cancel(id: id) }
    }

    /// The dispatcher of an effect. It does not keep the store alive.
    private static func dispatcher(
        for store: Store?,
        answering cause: DispatchFrame?,
        unless flag: CancellationFlag
    ) -> Dispatcher<ActionValue> {
        Dispatcher(
            isBound: true,
            send: { [weak store] action, origin in
                store?.dispatch(action, from: origin, answering: cause) { flag.isCancelled }
            },
            target: { [weak store] in flag.isCancelled ? nil : store }
        )
    }

    /// Dispatches an action in answer to another one, whose frame may have been popped.
    ///
    /// - Parameter isCancelled: Called immediately before the action would enter the middleware.
    private func dispatch(
        _ action: ActionValue,
        from origin: Origin,
        answering frame: DispatchFrame?,
        unless isCancelled: (() -> Bool)? = nil
    ) {
        lock.withLock {
            if isCancelled?() == true { return }
            // If the frame has no number yet, it is still on the stack, so the innermost frame or below.
            let seq = frame.flatMap { $0.seq ?? $0.reducedAncestor }
            dispatchSlowPath(action, from: origin, answering: seq, unless: isCancelled)
        }
    }
}

extension Store {
    /// Dispatches to this store, and does not keep it alive.
    ///
    /// ```swift
    /// let dispatch = store.dispatcher
    /// dispatch(.add(1))
    /// ```
    ///
    /// It does nothing once the store is gone.
    public var dispatcher: Dispatcher<ActionValue> { handle.dispatcher }

    /// Cancels all running effects.
    ///
    /// After this call, the store reduces none of the actions that they dispatch. Their tasks end when they check for
    /// cancellation.
    public func cancelEffects() {
        lock.withLock { effects.cancelAll() }
    }

    /// Waits until no effect runs: the running ones, those that their actions start, and cancelled ones that have not
    /// ended yet.
    ///
    /// Use it in tests:
    ///
    /// ```swift
    /// store.dispatch(.typed("swift"))
    /// await store.waitForEffects()
    /// ```
    ///
    /// Returns early if the waiting task is cancelled.
    public func waitForEffects() async {
        await effects.finished()
    }

    /// Runs a function that reads the state and dispatches actions, with no action of another thread in between.
    ///
    /// ```swift
    /// store.run { getState, dispatch in
    ///     if !getState().count.isMultiple(of: 2) { dispatch(.add(1)) }
    /// }
    /// ```
    ///
    /// Its actions have the same parent as one that you dispatch at this place. In a subscriber, the store reduces them
    /// after the round of notifications.
    ///
    /// - Parameter body: Runs on the calling thread. You may keep the closures that it receives and call them later;
    ///   they do not keep the store alive.
    public func run<Result>(
        _ body: (_ getState: @escaping @Sendable () -> StateValue, _ dispatch: Dispatcher<ActionValue>) throws -> Result
    ) rethrows -> Result {
        try lock.withLock {
            require(
                dispatchState.pointee.phase != .reducing,
                "A reducer ran a function on its store. Reducers only change their state: change it there directly."
            )
            return try body({ [handle] in handle.state }, boundDispatcher())
        }
    }

    /// Runs a thunk. No action of another thread comes in between.
    ///
    /// Otherwise like the `run` that takes a function.
    public func run(_ thunk: Thunk<StateValue, ActionValue>) {
        run { getState, dispatch in thunk(getState, dispatch) }
    }
}
