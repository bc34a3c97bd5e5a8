extension Store {
    /// The state as Swift's `Observation` tracks it. See ``ObservedState``.
    public var observed: ObservedState<StateValue, ActionValue, StateValue> {
        ObservedState(store: self, path: \.self)
    }

    /// The hub that tells `Observation` what changed, created by the first use.
    var observationHub: ObservationHub<StateValue> {
        lock.withLock {
            if let observation { return observation }
            let hub = ObservationHub<StateValue> { [handle] in handle.state }
            observation = hub
            return hub
        }
    }

    /// Reads a value of the state and registers the read.
    func readObserved<Value>(_ value: KeyPath<StateValue, Value>, isSame: ((Value, Value) -> Bool)?) -> Value {
        readObserved(as: \ObservationHub.[value], key: AnyHashable(value), isSame: isSame) {
            $0.pointee[keyPath: value]
        }
    }

    /// Reads a value that changes only with the state, and registers the read.
    func readObserved<Value>(
        as name: KeyPath<ObservationHub<StateValue>, Value>,
        key: AnyHashable,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<StateValue>) -> Value
    ) -> Value {
        lock.withLock {
            precondition(
                dispatchState.pointee.phase != .reducing,
                "A reducer read its store's observed state. Use the state that the reducer is given."
            )
            observationHub.access(name) {
                // The hub belongs to the store, and uses this while the store is in one of its methods.
                { [unowned self] onChange in
                    addSubscription(key: key, .action, isSame: isSame, select, .init { (_: Value) in onChange() })
                }
            }
            return select(statePointer)
        }
    }
}
