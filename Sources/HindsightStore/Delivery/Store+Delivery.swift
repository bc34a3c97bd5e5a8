extension Store {
    /// Calls `onChange` on the main actor with one value of the state whenever it has changed, by its own `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, on: MainActor.shared) { count in label.text = "\(count)" }
    /// ```
    ///
    /// An action that is dispatched on the main thread is told before `dispatch` returns, without a hop. Actions of other
    /// threads are told by a task, in order. (On Linux, where an asynchronous `main` gives the main thread up, all of
    /// them are told by a task from then on.)
    ///
    /// A value that has changed again before it could be told is left out, so one value waits at most. The subscriber is
    /// never told the same value twice in a row, nor an older one after a newer.
    public func subscribe<Value: Equatable & Sendable>(
        _ value: KeyPath<State, Value> & Sendable,
        on actor: MainActor,
        _ onChange: @escaping @MainActor @Sendable (Value) -> Void
    ) -> Subscription {
        Courier.main(isSame: ==, onChange).follow { subscribe(value, $0) }
    }

    /// Calls `onChange` on an actor with one value of the state whenever it has changed, by its own `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, on: session) { session, count in session.show(count) }
    /// ```
    ///
    /// Values are told by a task, in order. One that has changed again before it could be told is left out, so one value
    /// waits at most. The actor is not kept alive.
    public func subscribe<Value: Equatable & Sendable, A: Actor>(
        _ value: KeyPath<State, Value> & Sendable,
        on actor: A,
        _ onChange: @escaping @Sendable (isolated A, Value) -> Void
    ) -> Subscription {
        Courier.on(actor, isSame: ==, onChange).follow { subscribe(value, $0) }
    }

    /// Calls `onChange` where `delivery` brings it with one value of the state whenever it has changed, by its own `==`.
    ///
    /// A value that has changed again before it could be told is left out, so one value waits at most.
    public func subscribe<Value: Equatable & Sendable>(
        _ value: KeyPath<State, Value> & Sendable,
        on delivery: Delivery,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        Courier.by(delivery, isSame: ==, onChange).follow { subscribe(value, $0) }
    }
}

extension StateSignal {
    /// Calls `onValue` on the main actor with the present value, and then with each changed one.
    ///
    /// Subscribing on the main thread tells the present value at once. Apart from that it is told as by a store's
    /// `subscribe(_:on:_:)`.
    public func subscribe(
        on actor: MainActor,
        _ onValue: @escaping @MainActor @Sendable (Value) -> Void
    ) -> Subscription {
        Courier.main(isSame: isSame, onValue).follow(start)
    }

    /// Calls `onValue` on an actor with the present value, and then with each changed one.
    ///
    /// The actor is not kept alive.
    public func subscribe<A: Actor>(
        on actor: A,
        _ onValue: @escaping @Sendable (isolated A, Value) -> Void
    ) -> Subscription {
        Courier.on(actor, isSame: isSame, onValue).follow(start)
    }

    /// Calls `onValue` where `delivery` brings it with the present value, and then with each changed one.
    public func subscribe(on delivery: Delivery, _ onValue: @escaping @Sendable (Value) -> Void) -> Subscription {
        Courier.by(delivery, isSame: isSame, onValue).follow(start)
    }
}
