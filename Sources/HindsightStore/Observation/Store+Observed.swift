import HindsightSupport

extension Store {
    /// The state as Swift's `Observation` tracks it. See ``ObservedState``.
    public var observed: ObservedState<StateValue, ActionValue, StateValue> {
        ObservedState(store: self, path: \.self)
    }

    /// The hub that tells `Observation` what changed, created by the first use.
    private var observationHub: ObservationHub {
        if let observation { return observation }
        let hub = ObservationHub()
        observation = hub
        return hub
    }

    /// Reads a value of the state and registers the read.
    func readObserved<Value>(_ value: KeyPath<StateValue, Value>, isSame: ((Value, Value) -> Bool)?) -> Value {
        readObserved(key: AnyHashable(value), isSame: isSame) { $0.pointee[keyPath: value] }
    }

    /// Reads a value that changes only with the state, and registers the read.
    func readObserved<Value>(
        key: AnyHashable,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<StateValue>) -> Value
    ) -> Value {
        lock.withLock {
            require(
                dispatchState.pointee.phase != .reducing,
                "A reducer read its store's observed state. Use the state that the reducer is given."
            )
            observationHub.access(key) { onChange in
                addSubscription(
                    key: key,
                    .action,
                    comparesValues: isSame != nil,
                    isSame: isSame,
                    select,
                    // A subscription in the middle of an action does not receive this action's change.
                    .init({ _ in onChange() }, initial: dispatchState.pointee.phase == .betweenReducers)
                )
            }
            return select(statePointer)
        }
    }
}
