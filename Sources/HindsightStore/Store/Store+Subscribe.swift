extension Store {
    /// Calls `onChange` with the state after every action.
    ///
    /// - Parameters:
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the state and the change.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (State, StateChange) -> Void
    ) -> SubscriptionToken {
        addSubscription(key: AnyHashable(ObjectIdentifier(State.self)), timing, isSame: nil, { $0.pointee }, onChange)
    }

    /// Calls `onChange` with the state after every action.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (State) -> Void
    ) -> SubscriptionToken {
        subscribe(timing: timing) { state, _ in onChange(state) }
    }

    /// Calls `onChange` with the state after every action that changed it, as decided by its `==`.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (State) -> Void
    ) -> SubscriptionToken where State: Equatable {
        let key = AnyHashable(ObjectIdentifier(State.self))
        return addSubscription(key: key, timing, isSame: ==, { $0.pointee }) { state, _ in onChange(state) }
    }

    /// Calls `onChange` with one value of the state whenever it has changed, as decided by its `==`.
    ///
    /// All subscriptions to one key path share one comparison an action.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the value and the change.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Value, StateChange) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: true, isSame: ==) { topic, change in
            onChange(Topic<State, Value>.value(of: topic), change)
        }
    }

    /// Calls `onChange` with one value of the state whenever it has changed, as decided by its `==`.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: true, isSame: ==) { topic, _ in
            onChange(Topic<State, Value>.value(of: topic))
        }
    }

    /// Calls `onChange` with one value of the state after every action. For a value that is not `Equatable`.
    public func subscribe<Value>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: false, isSame: nil) { topic, _ in
            onChange(Topic<State, Value>.value(of: topic))
        }
    }
}

// MARK: Topics

extension Store {
    /// Subscribes to a property.
    ///
    /// Only the first subscription to a property creates a key and a topic, which costs more than the rest.
    private func follow<Value>(
        _ path: KeyPath<State, Value>,
        _ timing: SubscriptionTiming,
        comparesValues: Bool,
        isSame: @autoclosure () -> ((Value, Value) -> Bool)?,
        _ receive: @escaping AnyTopic.Receive
    ) -> SubscriptionToken {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(at: path, timing, comparesValues: comparesValues) {
            TopicKey(AnyHashable(path), Value.self, timing, comparesValues: comparesValues)
        } makeTopic: { key in
            whileNotifying {
                Topic(key: key, state: statePointer, isSame: isSame(), select: { $0.pointee[keyPath: path] })
            }
        }
        defer { runQueueIfIdle() }
        return addListener(to: topic, receive)
    }

    /// Subscribes to a value that a closure selects from the state.
    ///
    /// - Parameters:
    ///   - key: Identifies the value.
    ///   - timing: When to call `receive`.
    ///   - isSame: Compares two values, if they can be compared.
    ///   - select: Returns the value of a state.
    ///   - present: Called with the present value.
    ///   - receive: Called with each changed value.
    func addSubscription<Value>(
        key: AnyHashable,
        _ timing: SubscriptionTiming,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<State>) -> Value,
        present: ((Value) -> Void)? = nil,
        _ receive: @escaping (Value, StateChange) -> Void
    ) -> SubscriptionToken {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(TopicKey(key, Value.self, timing, comparesValues: isSame != nil)) { key in
            whileNotifying { Topic(key: key, state: statePointer, isSame: isSame, select: select) }
        }
        let token = addListener(to: topic) { topic, change in
            receive(Topic<State, Value>.value(of: topic), change)
        }
        if let present { whileNotifying { present(Topic<State, Value>.value(of: topic)) } }
        runQueueIfIdle()
        return token
    }

    private func addListener(to topic: AnyTopic, _ receive: @escaping AnyTopic.Receive) -> SubscriptionToken {
        SubscriptionToken(topics.add(to: topic, receive), in: topics)
    }

    private func runQueueIfIdle() {
        if dispatchState.pointee.phase == .idle { runQueue(isAnswering: false) }
    }

    private func refuseInReducer() {
        precondition(
            dispatchState.pointee.phase != .reducing,
            "A reducer subscribed to its store. Reducers only change their state."
        )
    }
}
