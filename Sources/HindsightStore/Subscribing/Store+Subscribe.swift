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
        follow(value, timing, comparesValues: true, isSame: ==) { topic, change in
            onChange(Topic<State, Value>.value(of: topic), change)
        }
    }

    /// Calls `onChange` with one value of the state whenever it has changed, by its own `==`.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        follow(value, timing, comparesValues: true, isSame: ==) { topic, _ in
            onChange(Topic<State, Value>.value(of: topic))
        }
    }

    /// Calls `onChange` with one value of the state after every action; the value cannot be compared.
    public func subscribe<Value>(
        _ value: KeyPath<State, Value> & Sendable,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        follow(value, timing, comparesValues: false, isSame: nil) { topic, _ in
            onChange(Topic<State, Value>.value(of: topic))
        }
    }

    /// Follows a property.
    ///
    /// What is needed for the first subscription to it alone is made by functions that are called then: making it costs
    /// more than all the rest of another subscription.
    private func follow<Value>(
        _ path: KeyPath<State, Value>,
        _ timing: Timing,
        comparesValues: Bool,
        isSame: @autoclosure () -> ((Value, Value) -> Bool)?,
        _ receive: @escaping AnyTopic.Receive
    ) -> Subscription {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(at: path, timing, comparesValues: comparesValues) {
            TopicKey(AnyHashable(path), Value.self, timing, comparesValues: comparesValues)
        } makeTopic: { key in
            asRound { Topic(key: key, state: cell, isSame: isSame(), select: { $0.pointee[keyPath: path] }) }
        }
        defer { serveWaitingIfIdle() }
        return add(to: topic, receive)
    }

    /// Follows anything that can be taken from the state.
    ///
    /// - Parameters:
    ///   - key: What it is known by.
    ///   - timing: When to be told.
    ///   - isSame: Compares two values, where that can be done.
    ///   - select: Takes the value from the state.
    ///   - present: Called with the present value.
    ///   - receive: Called with each changed one.
    func add<Value>(
        key: AnyHashable,
        _ timing: Timing,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<State>) -> Value,
        present: ((Value) -> Void)? = nil,
        _ receive: @escaping (Value, Change) -> Void
    ) -> Subscription {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(TopicKey(key, Value.self, timing, comparesValues: isSame != nil)) { key in
            asRound { Topic(key: key, state: cell, isSame: isSame, select: select) }
        }
        let subscription = add(to: topic) { topic, change in
            receive(Topic<State, Value>.value(of: topic), change)
        }
        if let present { asRound { present(Topic<State, Value>.value(of: topic)) } }
        serveWaitingIfIdle()
        return subscription
    }

    private func add(to topic: AnyTopic, _ receive: @escaping AnyTopic.Receive) -> Subscription {
        Subscription(topics.add(to: topic, receive), in: topics)
    }

    /// Runs code of the app as a round of notifications of its own: what is dispatched in it comes after it.
    private func asRound<Result>(_ body: () -> Result) -> Result {
        let outer = door.pointee.phase
        door.pointee.phase = .notifying
        defer { door.pointee.phase = outer }
        return body()
    }

    private func serveWaitingIfIdle() {
        if door.pointee.phase == .idle { serveWaiting() }
    }

    private func refuseInReducer() {
        precondition(
            door.pointee.phase != .reducing,
            "A reducer subscribed to its store. Reducers only change their state."
        )
    }
}
