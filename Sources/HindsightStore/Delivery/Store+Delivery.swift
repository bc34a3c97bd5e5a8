extension Store {
    /// Calls `onChange` on the main actor with one value of the state whenever it has changed, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, on: MainActor.shared) { [weak label] count in label?.text = "\(count)" }
    /// ```
    ///
    /// If you dispatch on the main thread, the store calls `onChange` before `dispatch` returns. If you dispatch on
    /// another thread, a task calls it, in order. On Linux, an asynchronous `main` gives the main thread up; from then
    /// on, a task always calls it.
    ///
    /// At most one value waits: a value that changes again before the call is dropped. `onChange` never receives the
    /// same value twice in a row, nor an older value after a newer one.
    ///
    /// If you end the subscription on the main thread, no call follows. If you end it on another thread, a call that has
    /// begun may still be under way.
    ///
    /// The subscription retains `onChange`. If that is an object's own closure, capture the object weakly, or make it
    /// the subscription's owner.
    public func subscribe<Value: Equatable & Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: MainActor,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @MainActor @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.main(isSame: skipsRepeats ? (==) : nil, onChange).follow {
            subscribe(value, skipsRepeats: skipsRepeats, $0)
        }
    }

    /// Calls `onChange` on the main actor with one value of the state after every action. For a value that is not
    /// `Equatable`.
    @_disfavoredOverload
    public func subscribe<Value: Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: MainActor,
        _ onChange: @escaping @MainActor @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.main(isSame: nil, onChange).follow { subscribe(value, $0) }
    }

    /// Calls `onChange` on an actor with one value of the state whenever it has changed, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, on: session) { session, count in session.show(count) }
    /// ```
    ///
    /// A task calls `onChange`, in order. At most one value waits: a value that changes again before the call is
    /// dropped. The subscription does not keep the actor alive.
    ///
    /// If you end the subscription on the actor, no call follows. If you end it elsewhere, a call that has begun may
    /// still be under way.
    public func subscribe<Value: Equatable & Sendable, A: Actor>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: A,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (isolated A, Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.on(actor, isSame: skipsRepeats ? (==) : nil, onChange).follow {
            subscribe(value, skipsRepeats: skipsRepeats, $0)
        }
    }

    /// Calls `onChange` on an actor with one value of the state after every action. For a value that is not
    /// `Equatable`.
    @_disfavoredOverload
    public func subscribe<Value: Sendable, A: Actor>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: A,
        _ onChange: @escaping @Sendable (isolated A, Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.on(actor, isSame: nil, onChange).follow { subscribe(value, $0) }
    }

    /// Calls `onChange` in a place such as a dispatch queue with one value of the state whenever it has changed, as
    /// decided by its `==`.
    ///
    /// At most one value waits: a value that changes again before the call is dropped.
    ///
    /// If you end the subscription in the place where `onChange` is called, such as its serial queue, no call follows.
    /// If you end it elsewhere, a call that has begun may still be under way.
    public func subscribe<Value: Equatable & Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on place: some DeliveryPlace,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.by(place.delivery, isSame: skipsRepeats ? (==) : nil, onChange).follow {
            subscribe(value, skipsRepeats: skipsRepeats, $0)
        }
    }

    /// Calls `onChange` in a place such as a dispatch queue with one value of the state after every action. For a value
    /// that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Value: Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on place: some DeliveryPlace,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.by(place.delivery, isSame: nil, onChange).follow { subscribe(value, $0) }
    }
}

extension StateSignal {
    /// Calls `onValue` on the main actor with the present value, and then with each changed one.
    ///
    /// If you subscribe on the main thread, `onValue` receives the present value at once. Otherwise like a store's
    /// `subscribe(_:on:_:)`.
    public func subscribe(
        on actor: MainActor,
        _ onValue: @escaping @MainActor @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.main(isSame: isSame, onValue).follow(start)
    }

    /// Calls `onValue` on an actor with the present value, and then with each changed one.
    ///
    /// The subscription does not keep the actor alive.
    public func subscribe<A: Actor>(
        on actor: A,
        _ onValue: @escaping @Sendable (isolated A, Value) -> Void
    ) -> SubscriptionToken {
        DeliveryScheduler.on(actor, isSame: isSame, onValue).follow(start)
    }

    /// Calls `onValue` in a place such as a dispatch queue with the present value, and then with each changed one.
    public func subscribe(on place: some DeliveryPlace, _ onValue: @escaping @Sendable (Value) -> Void)
        -> SubscriptionToken
    {
        DeliveryScheduler.by(place.delivery, isSame: isSame, onValue).follow(start)
    }
}
