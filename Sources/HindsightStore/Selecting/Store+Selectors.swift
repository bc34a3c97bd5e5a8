extension Store {
    /// Calls `onChange` with what a selector makes of the state, whenever that has changed, by its own `==`.
    ///
    /// - Parameters:
    ///   - selector: What to follow. It runs once an action for all subscriptions of equal selectors.
    ///   - timing: Whether to be told once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the value and what changed it.
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output, Change) -> Void
    ) -> Subscription where Selector.Input == State, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==, onChange)
    }

    /// Calls `onChange` with what a selector makes of the state, whenever that has changed, by its own `==`.
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> Subscription where Selector.Input == State, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==) { value, _ in onChange(value) }
    }

    /// Calls `onChange` with what a selector makes of the state after every action; the value cannot be compared.
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> Subscription where Selector.Input == State {
        follow(selector, timing, isSame: nil) { value, _ in onChange(value) }
    }

    private func follow<Selector: StateSelector>(
        _ selector: Selector,
        _ timing: Timing,
        isSame: ((Selector.Output, Selector.Output) -> Bool)?,
        _ receive: @escaping (Selector.Output, Change) -> Void
    ) -> Subscription where Selector.Input == State {
        let selection = selector.makeSelection()
        return add(key: AnyHashable(selector), timing, isSame: isSame, { selection($0.pointee) }, receive)
    }
}

extension Store {
    /// Calls `onChange` with what a selector makes of one property, whenever that has changed, by its own `==`.
    ///
    /// The selector runs only when the property has changed, by its own `==`.
    ///
    /// - Parameters:
    ///   - path: The stored or computed property.
    ///   - selector: What to make of it.
    ///   - timing: Whether to be told once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread, with the value and what changed it.
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output, Change) -> Void
    ) -> Subscription
    where Selector.Input: Equatable & SendableMetatype, Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with what a selector makes of one property, whenever that has changed, by its own `==`.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> Subscription
    where Selector.Input: Equatable & SendableMetatype, Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with what a selector makes of one property that cannot be compared, whenever the selected
    /// value has changed, by its own `==`.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> Subscription where Selector.Output: Equatable & SendableMetatype {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }

    /// Calls `onChange` with what a selector makes of one property after every action; neither can be compared.
    public func subscribe<Selector: StateSelector>(
        _ path: KeyPath<State, Selector.Input> & Sendable,
        through selector: Selector,
        timing: Timing = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> Subscription {
        subscribe(PathSelector(path).then(selector), timing: timing, onChange)
    }
}
