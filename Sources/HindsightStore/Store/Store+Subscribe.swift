import HindsightSupport

extension Store {
    /// Calls `onChange` with the state after every action that changed it, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe { state in print("the state is", state) }
    /// ```
    ///
    /// - Parameters:
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - skipsRepeats: Whether to leave out actions that did not change the state. `false` compares nothing.
    ///   - onChange: Called on the dispatching thread.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (StateValue) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        follow(timing, isSame: skipsRepeats ? (==) : nil, .init(onChange))
    }

    /// Calls `onChange` with the state, and how it changed, after every action that changed it, as decided by its `==`.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (StateValue, StateChange<StateValue>) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        follow(timing, isSame: skipsRepeats ? (==) : nil, .init(onChange))
    }

    /// Calls `onChange` with the state after every action. For a state that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe(
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (StateValue) -> Void
    ) -> SubscriptionToken {
        follow(timing, isSame: nil, .init(onChange))
    }

    /// Calls `onChange` with the state, and the state before, after every action. For a state that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe(
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (StateValue, StateChange<StateValue>) -> Void
    ) -> SubscriptionToken {
        follow(timing, isSame: nil, .init(onChange))
    }

    /// Calls `onChange` with one value of the state whenever it has changed, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count) { print("count is", $0) }
    /// ```
    ///
    /// **Cost.** All subscriptions to one key path share one comparison an action. The store keeps the value until it
    /// changes, so the first change that an action makes to a followed collection copies that collection.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - skipsRepeats: Whether to leave out actions that did not change the value. `false` compares nothing.
    ///   - onChange: Called on the dispatching thread.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: skipsRepeats, isSame: ==, .init(onChange))
    }

    /// Calls `onChange` with one value of the state, and how it changed, whenever it has changed, as decided by its
    /// `==`.
    public func subscribe<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (Value, StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: skipsRepeats, isSame: ==, .init(onChange))
    }

    /// Calls `onChange` with one value of the state after every action. For a value that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Value>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: false, isSame: nil, .init(onChange))
    }

    /// Calls `onChange` with one value of the state, and the value before, after every action. For a value that is not
    /// `Equatable`.
    @_disfavoredOverload
    public func subscribe<Value>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Value, StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, comparesValues: false, isSame: nil, .init(onChange))
    }
}

// MARK: Topics

extension Store {
    /// Subscribes to the state.
    private func follow(
        _ timing: SubscriptionTiming,
        isSame: ((StateValue, StateValue) -> Bool)?,
        _ subscriber: Topic<StateValue, StateValue>.Subscriber
    ) -> SubscriptionToken {
        follow(nil, timing, comparesValues: isSame != nil, isSame: isSame, { $0.pointee }, subscriber)
    }

    /// Subscribes to a property.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - timing: When to call the subscriber.
    ///   - comparesValues: Whether to call it for changes only.
    ///   - isSame: Compares two values.
    ///   - subscriber: Called with each changed value.
    ///   - present: Called with the present value.
    func follow<Value>(
        _ path: KeyPath<StateValue, Value>,
        _ timing: SubscriptionTiming,
        comparesValues: Bool,
        isSame: @autoclosure () -> ((Value, Value) -> Bool)?,
        _ subscriber: Topic<StateValue, Value>.Subscriber,
        present: ((Value) -> Void)? = nil
    ) -> SubscriptionToken {
        follow(
            path,
            timing,
            comparesValues: comparesValues,
            isSame: isSame(),
            { $0.pointee[keyPath: path] },
            subscriber,
            present: present
        )
    }

    /// Subscribes to a property, or to the state if `path` is `nil`.
    ///
    /// Only the first subscription to a value creates a key and a topic, which costs more than the rest.
    private func follow<Value>(
        _ path: AnyKeyPath?,
        _ timing: SubscriptionTiming,
        comparesValues: Bool,
        isSame: @autoclosure () -> ((Value, Value) -> Bool)?,
        _ select: @autoclosure () -> (UnsafePointer<StateValue>) -> Value,
        _ subscriber: Topic<StateValue, Value>.Subscriber,
        present: ((Value) -> Void)? = nil
    ) -> SubscriptionToken {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(at: path, timing, comparesValues: comparesValues) {
            let key = path.map { AnyHashable($0) } ?? AnyHashable(ObjectIdentifier(StateValue.self))
            return TopicKey(key, Value.self, timing, comparesValues: comparesValues)
        } makeTopic: { key in
            whileNotifying {
                Topic(key: key, state: statePointer, isSame: comparesValues ? isSame() : nil, select: select())
            }
        }
        return add(subscriber, to: topic, present: present)
    }

    /// Subscribes to a value that a closure selects from the state.
    ///
    /// - Parameters:
    ///   - key: Identifies the value.
    ///   - timing: When to call the subscriber.
    ///   - isSame: Compares two values; `nil` to notify the subscriber of each action.
    ///   - select: Returns the value of a state.
    ///   - subscriber: Called with each changed value.
    ///   - present: Called with the present value.
    func addSubscription<Value>(
        key: AnyHashable,
        _ timing: SubscriptionTiming,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<StateValue>) -> Value,
        _ subscriber: Topic<StateValue, Value>.Subscriber,
        present: ((Value) -> Void)? = nil
    ) -> SubscriptionToken {
        lock.lock()
        defer { lock.unlock() }
        refuseInReducer()
        let topic = topics.topic(TopicKey(key, Value.self, timing, comparesValues: isSame != nil)) { key in
            whileNotifying { Topic(key: key, state: statePointer, isSame: isSame, select: select) }
        }
        return add(subscriber, to: topic, present: present)
    }

    private func add<Value>(
        _ subscriber: Topic<StateValue, Value>.Subscriber,
        to topic: AnyTopic,
        present: ((Value) -> Void)?
    ) -> SubscriptionToken {
        if subscriber.wantsOld { Topic<StateValue, Value>.of(topic).keepOld() }
        let token = SubscriptionToken(topics.add(to: topic, subscriber.receive), in: topics)
        if let present {
            let start = { present(Topic<StateValue, Value>.of(topic).value) }
            if topic.key.timing == .action && dispatchState.pointee.isMidAction {
                topics.startLater(start)
            } else {
                whileNotifying(start)
            }
        }
        runQueueIfIdle()
        return token
    }

    private func runQueueIfIdle() {
        if dispatchState.pointee.phase == .idle { runQueue(isAnswering: false) }
    }

    private func refuseInReducer() {
        require(
            dispatchState.pointee.phase != .reducing,
            "A reducer subscribed to its store. Reducers only change their state: subscribe outside of the reducer."
        )
    }
}
