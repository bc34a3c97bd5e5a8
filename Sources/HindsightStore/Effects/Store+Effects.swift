extension Store {
    /// Starts an effect in answer to the action that is handled now, if there is one.
    @usableFromInline
    func start(_ effect: Effect<Action>) {
        if effect.steps.isEmpty { return }
        lock.withLock {
            let cause = door.pointee.passages.innermost
            for step in effect.steps {
                switch step {
                case .cancel(let id):
                    effects.cancel(id: id)
                case .task(let id, let priority, let work):
                    effects.start(id: id, priority: priority) { [weak self] flag in
                        await work(Self.dispatch(for: self, cause, flag))
                    }
                }
            }
        }
    }

    /// The dispatch of an effect. It does not keep the store alive.
    private static func dispatch(for store: Store?, _ cause: Passage?, _ flag: CancelledFlag) -> Dispatch<Action> {
        Dispatch(
            isBound: true,
            send: { [weak store] action, origin in
                store?.dispatch(action, from: origin, answering: cause) { flag.isRaised }
            },
            target: { [weak store] in flag.isRaised ? nil : store }
        )
    }

    /// Cancels all effects that run.
    ///
    /// When it returns, nothing that they dispatch is reduced any more; their tasks end when they notice. Effects that
    /// are started later are not concerned.
    public func cancelEffects() {
        lock.withLock { effects.cancelAll() }
    }

    /// Waits until no effect runs any more: those that run now, those that their actions start, and also those that
    /// were cancelled and have not ended yet.
    ///
    /// Made for tests:
    ///
    /// ```swift
    /// store.dispatch(.typed("swift"))
    /// await store.effectsFinished()
    /// #expect(store.state.results == ["swift.org"])
    /// ```
    ///
    /// Returns early where the waiting task is cancelled.
    public func effectsFinished() async {
        await effects.finished()
    }
}

extension Middleware {
    /// Starts effects in answer to actions.
    ///
    /// `effect` is asked once an action that passes here has been reduced and subscribers have been told, on the
    /// dispatching thread; it should only say what is to be done. See ``Effect``.
    ///
    /// - Parameter effect: What to do in answer to an action. `getState` gives the state as it is when it is called,
    ///   also from within a task.
    public static func effects(
        _ effect: @escaping @Sendable (_ action: Action, _ getState: @escaping @Sendable () -> State) -> Effect<Action>
    ) -> Middleware {
        Middleware { getState, dispatch in
            { next in
                { action in
                    next(action)
                    let effect = effect(action, getState)
                    if !effect.steps.isEmpty { dispatch.target()?.start(effect) }
                }
            }
        }
    }
}
