extension Store {
    /// A signal of one property: its present value, and then each changed one.
    ///
    /// ```swift
    /// let token = store.observe(\.name)
    ///     .filter { !$0.isEmpty }
    ///     .map { "Welcome, \($0)" }
    ///     .subscribe { label.text = $0 }
    /// ```
    ///
    /// As with `subscribe`, the value's `==` decides what a change is. If it has none, every action counts as a change.
    ///
    /// - Parameter value: The stored or computed property.
    public func observe<Value: Sendable>(_ value: KeyPath<StateValue, Value> & Sendable) -> StateSignal<Value> {
        signal(isSame: equality(of: Value.self)) { store, receive in
            store.follow(value, .action, true, .init(receive, initial: true))
        }
    }

    /// A signal of a selector's output: its present value, and then each changed one.
    @_disfavoredOverload
    public func observe<Value: Sendable>(_ selector: some StateSelector<StateValue, Value>) -> StateSignal<Value> {
        signal(isSame: equality(of: Value.self)) { store, receive in
            store.follow(selector, .action, true, .init(receive, initial: true))
        }
    }

    /// A signal of what a function selects: its present value, and then each changed one.
    ///
    /// ```swift
    /// let token = store.observe { $0.items.count }.subscribe { print($0, "items") }
    /// ```
    ///
    /// Functions cannot be compared. So the store calls `select` once an action for each signal that this method
    /// returns, while it reads a key path once for all signals.
    public func observe<Value: Sendable>(
        selecting select: @escaping @Sendable (StateValue) -> Value
    ) -> StateSignal<Value> {
        observe(DerivedSelector(select: select))
    }

    /// A signal of the changes of one property: what caused each, and the values before and after it. It has no present
    /// value.
    ///
    /// ```swift
    /// let token = store.changes(of: \.count)
    ///     .filter { $0.new > $0.old }
    ///     .subscribe { print("it rose by", $0.new - $0.old) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The stored or computed property; `\.self` for the whole state.
    ///   - timing: Whether a change is that of an action or of a reducer.
    ///   - skipsRepeats: Whether to leave out actions that did not change the value. `false` compares nothing.
    public func changes<Value: Sendable>(
        of value: KeyPath<StateValue, Value> & Sendable,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true
    ) -> StateSignal<StateChange<Value>> {
        signal(isSame: nil) { store, receive in store.follow(value, timing, skipsRepeats, .init(changes: receive)) }
    }

    /// A signal of the changes of a selector's output. It has no present value.
    @_disfavoredOverload
    public func changes<Value: Sendable>(
        of selector: some StateSelector<StateValue, Value>,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true
    ) -> StateSignal<StateChange<Value>> {
        signal(isSame: nil) { store, receive in store.follow(selector, timing, skipsRepeats, .init(changes: receive)) }
    }

    private func signal<Value: Sendable>(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ start: @escaping @Sendable (Store, @escaping @Sendable (Value) -> Void) -> SubscriptionToken
    ) -> StateSignal<Value> {
        StateSignal(topics: topics, isSame: isSame) { [weak self] receive in
            guard let self else { return SubscriptionToken { _ in } }
            return start(self, receive)
        }
    }
}
