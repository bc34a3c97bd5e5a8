extension Dispatch {
    /// The same dispatch, bound to the action that is handled now: that is the parent of whatever it dispatches, also
    /// later and from other threads.
    ///
    /// ```swift
    /// let answering = Middleware<AppState, AppAction> { getState, dispatch in
    ///     { next in
    ///         { action in
    ///             next(action)
    ///             guard case .typed(let text) = action else { return }
    ///             let answer = dispatch.bound()
    ///             Task { answer(.found(await lookUp(text))) }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Effects and thunks are handed a bound dispatch already. One that is bound stays so: binding it anew changes nothing.
    public func bound() -> Dispatch {
        isBound ? self : target()?.boundDispatch() ?? self
    }
}

/// What a dispatch needs of its store, whose state's type it does not know.
@usableFromInline
protocol DispatchTarget<Action>: AnyObject, Sendable {
    associatedtype Action: Sendable

    func boundDispatch() -> Dispatch<Action>
    func start(_ effect: Effect<Action>)
}

extension Store: DispatchTarget {
    @usableFromInline
    func boundDispatch() -> Dispatch<Action> {
        let passage = lock.withLock { door.pointee.passages.innermost }
        return Dispatch(
            isBound: true,
            send: { [weak self] action, origin in self?.dispatch(action, from: origin, answering: passage) },
            target: { [weak self] in self }
        )
    }

    /// Dispatches an action in answer to another one, whose passage may be over.
    ///
    /// - Parameter isCancelled: Whether the action is not wanted any more; asked when its turn has come.
    func dispatch(
        _ action: Action,
        from origin: Origin,
        answering passage: Passage?,
        unless isCancelled: (() -> Bool)? = nil
    ) {
        lock.withLock {
            if isCancelled?() == true { return }
            // While its passage is under way it may have no number yet; then it is the innermost, or above that.
            let seq = passage.flatMap { $0.seq ?? $0.reducedAncestor }
            dispatchTheLongWay(action, from: origin, answering: seq, unless: isCancelled)
        }
    }
}
