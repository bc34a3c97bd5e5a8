extension Store {
    /// A signal of one property: its present value, and then each changed one, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.observe(\.name)
    ///     .filter { !$0.isEmpty }
    ///     .map { "Welcome, \($0)" }
    ///     .subscribe { label.text = $0 }
    /// ```
    ///
    /// - Parameter value: The stored or computed property.
    public func observe<Value: Equatable & Sendable>(_ value: KeyPath<StateValue, Value> & Sendable) -> StateSignal<
        Value
    > {
        signal(key: { AnyHashable(value) }, isSame: ==, { { $0.pointee[keyPath: value] } })
    }

    /// A signal of one property that is not `Equatable`: its present value, and then its value after every action.
    @_disfavoredOverload
    public func observe<Value: Sendable>(_ value: KeyPath<StateValue, Value> & Sendable) -> StateSignal<Value> {
        signal(key: { AnyHashable(value) }, isSame: nil, { { $0.pointee[keyPath: value] } })
    }

    /// A signal of a selector's output: its present value, and then each changed one, as decided by its `==`.
    @_disfavoredOverload
    public func observe<Selector: StateSelector>(_ selector: Selector) -> StateSignal<Selector.Output>
    where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        signal(key: { AnyHashable(selector) }, isSame: ==, { Self.selecting(selector) })
    }

    /// A signal of a selector's output that is not `Equatable`: its present value, and its value after every action.
    @_disfavoredOverload
    public func observe<Selector: StateSelector>(_ selector: Selector) -> StateSignal<Selector.Output>
    where Selector.Input == StateValue, Selector.Output: Sendable {
        signal(key: { AnyHashable(selector) }, isSame: nil, { Self.selecting(selector) })
    }

    /// A signal of what a function selects: its present value, and then each changed one, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.observe { $0.items.count }.subscribe { print($0, "items") }
    /// ```
    ///
    /// Functions cannot be compared. So the store calls `select` once an action for each signal that this method
    /// returns, while it reads a key path once for all signals.
    public func observe<Value: Equatable & Sendable>(
        selecting select: @escaping @Sendable (StateValue) -> Value
    ) -> StateSignal<Value> {
        observe(DerivedSelector(select: select))
    }

    /// A signal of what a function selects and that is not `Equatable`: its present value, and its value after every
    /// action.
    @_disfavoredOverload
    public func observe<Value: Sendable>(
        selecting select: @escaping @Sendable (StateValue) -> Value
    ) -> StateSignal<Value> {
        observe(DerivedSelector(select: select))
    }

    private func signal<Value: Sendable>(
        key: @escaping @Sendable () -> AnyHashable,
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ makeSelect: @escaping @Sendable () -> (UnsafePointer<StateValue>) -> Value
    ) -> StateSignal<Value> {
        StateSignal(isSame: isSame) { [weak self] receive in
            guard let self else { return SubscriptionToken { _ in } }
            return addSubscription(
                key: key(),
                .action,
                isSame: isSame,
                makeSelect(),
                .init { (value: Value) in receive(value) },
                present: receive
            )
        }
    }
}
