extension Store {
    /// Calls `onChange` with a selector's output whenever it has changed, as decided by its `==`.
    ///
    /// - Parameters:
    ///   - selector: Runs once an action for all subscriptions to equal selectors.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the output and the change.
    /// - Returns: A token. Releasing it ends the subscription.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output, StateChange) -> Void
    ) -> SubscriptionToken where Selector.Input == State, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==, onChange)
    }

    /// Calls `onChange` with a selector's output whenever it has changed, as decided by its `==`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == State, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==) { value, _ in onChange(value) }
    }

    /// Calls `onChange` with a selector's output after every action. For an output that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == State {
        follow(selector, timing, isSame: nil) { value, _ in onChange(value) }
    }

    private func follow<Selector: StateSelector>(
        _ selector: Selector,
        _ timing: SubscriptionTiming,
        isSame: ((Selector.Output, Selector.Output) -> Bool)?,
        _ receive: @escaping (Selector.Output, StateChange) -> Void
    ) -> SubscriptionToken where Selector.Input == State {
        let selection = selector.makeSelection()
        return addSubscription(key: AnyHashable(selector), timing, isSame: isSame, { selection($0.pointee) }, receive)
    }
}

extension Store {
    /// Calls `onChange` with a selector's output for one property whenever it has changed, as decided by its `==`.
    ///
    /// The selector runs only when the property has changed, as decided by its `==`.
    ///
    /// - Parameters:
    ///   - path: The stored or computed property.
    ///   - selector: Selects from the property.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the output and the change.
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output, StateChange) -> Void
    ) -> SubscriptionToken
    where Selector.Input: Equatable & SendableMetatype, Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with a selector's output for one property whenever it has changed, as decided by its `==`.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken
    where Selector.Input: Equatable & SendableMetatype, Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with a selector's output for one property whenever it has changed, as decided by its `==`. For
    /// a property that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with a selector's output for one property after every action. For a property and an output that
    /// are not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }
}
