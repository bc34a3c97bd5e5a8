extension Store {
    /// Calls `onChange` with the state after every action.
    ///
    /// - Parameters:
    ///   - timing: Whether to be told once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the state and what changed it.
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe(
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (State, Change) -> Void
    ) -> Subscription {
        add(key: AnyHashable(ObjectIdentifier(State.self)), timing, isSame: nil, { $0.pointee }, onChange)
    }

    /// Calls `onChange` with the state after every action.
    public func subscribe(
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (State) -> Void
    ) -> Subscription {
        subscribe(timing: timing) { state, _ in onChange(state) }
    }

    /// Calls `onChange` with the state after every action that changed it, by its own `==`.
    public func subscribe(
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (State) -> Void
    ) -> Subscription where State: Equatable {
        add(key: AnyHashable(ObjectIdentifier(State.self)), timing, isSame: ==, { $0.pointee }) { state, _ in
            onChange(state)
        }
    }

    /// Calls `onChange` with one value of the state whenever it has changed, by its own `==`.
    ///
    /// Subscriptions to one key path share one comparison an action, however many there are.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow.
    ///   - timing: Whether to be told once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the value and what changed it.
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Value, Change) -> Void
    ) -> Subscription {
        add(key: AnyHashable(value), timing, isSame: ==, { $0.pointee[keyPath: value] }, onChange)
    }

    /// Calls `onChange` with one value of the state whenever it has changed, by its own `==`.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        subscribe(value, timing: timing) { value, _ in onChange(value) }
    }

    /// Calls `onChange` with one value of the state after every action; the value cannot be compared.
    public func subscribe<Value>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        add(key: AnyHashable(value), timing, isSame: nil, { $0.pointee[keyPath: value] }) { value, _ in
            onChange(value)
        }
    }

    func add<Value>(
        key: AnyHashable,
        _ timing: Timing,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafeMutablePointer<State>) -> Value,
        present: ((Value) -> Void)? = nil,
        _ receive: @escaping (Value, Change) -> Void
    ) -> Subscription {
        lock.lock()
        defer { lock.unlock() }
        precondition(
            door.pointee.phase != .reducing,
            "A reducer subscribed to its store. Reducers only change their state."
        )
        let key = TopicKey(
            value: key,
            type: ObjectIdentifier(Value.self),
            timing: timing,
            comparesValues: isSame != nil
        )
        let (topic, subscriber) = topics.add(
            key: key,
            makeTopic: { notifying { Topic(state: cell, select: select, isSame: isSame) } },
            receive: receive
        )
        if let present { notifying { present(topic.value) } }
        if door.pointee.phase == .idle { serveWaiting() }
        return Subscription(Ending(store: self, topic: topic, subscriber: subscriber, key: key))
    }
}

extension Store {
    /// Runs code of the app as a round of notifications of its own: what is dispatched in it comes after it.
    private func notifying<Result>(_ body: () -> Result) -> Result {
        let outer = door.pointee.phase
        door.pointee.phase = .notifying
        defer { door.pointee.phase = outer }
        return body()
    }
}

/// Knows how to end one subscription.
private final class Ending<State: Sendable, Action: Sendable>: SubscriptionEnding, @unchecked Sendable {
    // Sound: the topic and the subscriber are touched only while the store's lock is held.
    weak let store: Store<State, Action>?
    // Sound: while the store is there, a topic lives as long as one of its subscribers is active.
    unowned let topic: AnyTopic<State>
    let subscriber: Subscriber
    let key: TopicKey

    init(store: Store<State, Action>, topic: AnyTopic<State>, subscriber: Subscriber, key: TopicKey) {
        self.store = store
        self.topic = topic
        self.subscriber = subscriber
        self.key = key
    }

    func end() {
        guard let store else { return }
        let old = store.lock.withLock { () -> (AnyTopic<State>, Any?)? in
            guard subscriber.isActive else { return nil }
            let topic = topic
            store.topics.end(subscriber, of: topic, key: key)
            return (topic, subscriber.giveUp())
        }
        // Let go only now: what the closure and the value hold may end other subscriptions as it goes.
        withExtendedLifetime(old) {}
    }
}
