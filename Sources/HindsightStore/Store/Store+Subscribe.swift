import HindsightSupport

extension Store {
    /// Calls `onChange` with the state whenever it has changed.
    ///
    /// ```swift
    /// let token = store.subscribe { state in print("the state is", state) }
    /// ```
    ///
    /// Otherwise like the form with a key path.
    public func subscribe(
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (StateValue) -> Void
    ) -> SubscriptionToken {
        follow(nil, timing, skipsRepeats, { $0.pointee }, .init(onChange, initial: initial))
    }

    /// Calls `onChange` with one value of the state whenever it has changed.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count) { print("count is", $0) }
    /// ```
    ///
    /// The value's `==` decides what a change is. If the value is not `Equatable`, or only on an actor, every action
    /// counts as a change.
    ///
    /// **Cost.** All subscriptions to one key path share one comparison an action. The store keeps the value until it
    /// changes, so the first change that an action makes to a followed collection copies that collection.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow; `\.self` for the whole state.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - skipsRepeats: Whether to leave out actions that did not change the value. `false` compares nothing.
    ///   - initial: Whether to call `onChange` with the present value at once.
    ///   - onChange: Called on the dispatching thread.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe<Value: SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(value, timing, skipsRepeats, .init(onChange, initial: initial))
    }

    /// Calls a subscriber with one value of the state whenever it has changed: on the main actor, on another actor, or
    /// on a queue.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, .onMain { [weak label] count in label?.text = "\(count)" })
    /// ```
    ///
    /// Otherwise like the form with a closure.
    public func subscribe<Value: SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ subscriber: StateSubscriber<Value>
    ) -> SubscriptionToken {
        subscriber.start(source(skipsRepeats, initial) { self.follow(value, timing, skipsRepeats, $0) })
    }

    /// Calls a subscriber with an object and one value of the state whenever that has changed, as long as the object
    /// lives.
    ///
    /// ```swift
    /// store.subscribe(\.count, .owner(self) { header, count in header.show(count) })
    /// ```
    ///
    /// Otherwise like the form with a closure.
    ///
    /// - Returns: A token that can end the subscription earlier. Releasing it has no effect.
    @discardableResult
    public func subscribe<Value: SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ subscriber: OwnedStateSubscriber<Value>
    ) -> SubscriptionToken {
        subscriber.start(source(skipsRepeats, initial) { self.follow(value, timing, skipsRepeats, $0) })
    }
}

// MARK: Selectors

extension Store {
    /// Calls `onChange` with a selector's output whenever it has changed.
    ///
    /// ```swift
    /// let token = store.subscribe(AppState.visible) { show($0) }
    /// ```
    ///
    /// The selector runs once an action for all subscriptions to equal selectors. Otherwise like the form with a key
    /// path.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector<StateValue, Value>, Value>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        follow(selector, timing, skipsRepeats, .init(onChange, initial: initial))
    }

    /// Calls a subscriber with a selector's output whenever it has changed: on the main actor, on another actor, or on
    /// a queue.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector<StateValue, Value>, Value>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ subscriber: StateSubscriber<Value>
    ) -> SubscriptionToken {
        subscriber.start(source(skipsRepeats, initial) { self.follow(selector, timing, skipsRepeats, $0) })
    }

    /// Calls a subscriber with an object and a selector's output whenever that has changed, as long as the object
    /// lives.
    ///
    /// - Returns: A token that can end the subscription earlier. Releasing it has no effect.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Selector: StateSelector<StateValue, Value>, Value>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ subscriber: OwnedStateSubscriber<Value>
    ) -> SubscriptionToken {
        subscriber.start(source(skipsRepeats, initial) { self.follow(selector, timing, skipsRepeats, $0) })
    }

    private func source<Value>(
        _ skipsRepeats: Bool,
        _ initial: Bool,
        _ follow: @escaping (Topic<StateValue, Value>.Subscriber) -> SubscriptionToken
    ) -> StateSubscriber<Value>.Source {
        StateSubscriber<Value>.Source(topics: topics, isSame: equality(of: Value.self, if: skipsRepeats)) { receive in
            follow(.init(receive, initial: initial))
        }
    }
}

// MARK: Topics

extension Store {
    /// Subscribes to a property.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - timing: When to call the subscriber.
    ///   - skipsRepeats: Whether to call it for changes only.
    ///   - subscriber: Called with each changed value.
    func follow<Value>(
        _ path: KeyPath<StateValue, Value>,
        _ timing: SubscriptionTiming,
        _ skipsRepeats: Bool,
        _ subscriber: Topic<StateValue, Value>.Subscriber
    ) -> SubscriptionToken {
        follow(path, timing, skipsRepeats, { $0.pointee[keyPath: path] }, subscriber)
    }

    /// Subscribes to a selector's output.
    func follow<Value>(
        _ selector: some StateSelector<StateValue, Value>,
        _ timing: SubscriptionTiming,
        _ skipsRepeats: Bool,
        _ subscriber: Topic<StateValue, Value>.Subscriber
    ) -> SubscriptionToken {
        subscribe(subscriber) {
            topics.topic(TopicKey(AnyHashable(selector), Value.self, timing, comparesValues: skipsRepeats)) { key in
                let isSame = equality(of: Value.self, if: skipsRepeats)
                if let memo = (selector as? DerivedSelector<StateValue, Value>)?.makeMemo() {
                    return makeTopic(key, isSame: isSame, hasChanged: memo.refresh) { _ in memo.output }
                }
                let selection = selector.makeSelection()
                return makeTopic(key, isSame: isSame) { selection($0.pointee) }
            }
        }
    }

    /// Subscribes to a property, or to the state if `path` is `nil`.
    ///
    /// Only the first subscription to a value creates a key and a topic, which costs more than the rest.
    private func follow<Value>(
        _ path: AnyKeyPath?,
        _ timing: SubscriptionTiming,
        _ skipsRepeats: Bool,
        _ select: @autoclosure () -> (UnsafePointer<StateValue>) -> Value,
        _ subscriber: Topic<StateValue, Value>.Subscriber
    ) -> SubscriptionToken {
        subscribe(subscriber) {
            topics.topic(at: path, timing, comparesValues: skipsRepeats) {
                let key = path.map { AnyHashable($0) } ?? AnyHashable(ObjectIdentifier(StateValue.self))
                return TopicKey(key, Value.self, timing, comparesValues: skipsRepeats)
            } makeTopic: { key in
                makeTopic(key, isSame: equality(of: Value.self, if: skipsRepeats), select())
            }
        }
    }

    /// Subscribes to a value that a closure selects from the state.
    ///
    /// - Parameters:
    ///   - key: Identifies the value.
    ///   - timing: When to call the subscriber.
    ///   - comparesValues: Whether to call it for changes only.
    ///   - isSame: Compares two values; `nil` to notify the subscriber of each action.
    ///   - select: Returns the value of a state.
    ///   - subscriber: Called with each changed value.
    func addSubscription<Value>(
        key: AnyHashable,
        _ timing: SubscriptionTiming,
        comparesValues: Bool,
        isSame: @autoclosure () -> ((Value, Value) -> Bool)?,
        _ select: @autoclosure () -> (UnsafePointer<StateValue>) -> Value,
        _ subscriber: Topic<StateValue, Value>.Subscriber
    ) -> SubscriptionToken {
        subscribe(subscriber) {
            topics.topic(TopicKey(key, Value.self, timing, comparesValues: comparesValues)) { key in
                makeTopic(key, isSame: isSame(), select())
            }
        }
    }

    private func makeTopic<Value>(
        _ key: TopicKey,
        isSame: ((Value, Value) -> Bool)?,
        hasChanged: ((UnsafePointer<StateValue>) -> Bool)? = nil,
        _ select: @escaping (UnsafePointer<StateValue>) -> Value
    ) -> AnyTopic {
        whileNotifying { Topic(key: key, state: statePointer, isSame: isSame, hasChanged: hasChanged, select: select) }
    }

    private func subscribe<Value>(
        _ subscriber: Topic<StateValue, Value>.Subscriber,
        to findTopic: () -> AnyTopic
    ) -> SubscriptionToken {
        lock.lock()
        defer { lock.unlock() }
        require(
            dispatchState.pointee.phase != .reducing,
            "A reducer subscribed to its store. Reducers only change their state: subscribe outside of the reducer."
        )
        let topic = findTopic()
        if subscriber.wantsOld { Topic<StateValue, Value>.of(topic).keepOld() }
        let token = SubscriptionToken(topics.add(to: topic, subscriber.receive), in: topics)
        if let present = subscriber.present {
            let start = { present(Topic<StateValue, Value>.of(topic).value) }
            if topic.key.timing == .action && dispatchState.pointee.phase == .betweenReducers {
                // The subscription may end before the action does, and this must not keep it.
                topics.startLater { [weak token] in if token?.hasEnded == false { start() } }
            } else {
                whileNotifying(start)
            }
        }
        if dispatchState.pointee.phase == .idle { runQueue(isAnswering: false) }
        return token
    }
}
