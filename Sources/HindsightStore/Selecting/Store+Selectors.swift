extension Store {
    /// Calls `onChange` with a selector's output whenever it has changed, as decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(AppState.visible) { show($0) }
    /// ```
    ///
    /// - Parameters:
    ///   - selector: Runs once an action for all subscriptions to equal selectors.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - onChange: Called on the dispatching thread.
    /// - Returns: A token. Releasing it ends the subscription.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==, .init(onChange))
    }

    /// Calls `onChange` with a selector's output, and how it changed, whenever it has changed, as decided by its `==`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output, StateChange<Selector.Output>) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: ==, .init(onChange))
    }

    /// Calls `onChange` with a selector's output whenever it has changed, or, if `skipsRepeats` is `false`, after every
    /// action.
    // Not a default of the form above: of two disfavoured forms, the compiler prefers the one with fewer parameters.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: skipsRepeats ? (==) : nil, .init(onChange))
    }

    /// Calls `onChange` with a selector's output, and how it changed, whenever it has changed, or, if `skipsRepeats` is
    /// `false`, after every action.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool,
        _ onChange: @escaping @Sendable (Selector.Output, StateChange<Selector.Output>) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & SendableMetatype {
        follow(selector, timing, isSame: skipsRepeats ? (==) : nil, .init(onChange))
    }

    /// Calls `onChange` with a selector's output after every action. For an output that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue {
        follow(selector, timing, isSame: nil, .init(onChange))
    }

    /// Calls `onChange` with a selector's output, and the output before, after every action. For an output that is not
    /// `Equatable`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Selector.Output, StateChange<Selector.Output>) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue {
        follow(selector, timing, isSame: nil, .init(onChange))
    }

    func follow<Selector: StateSelector>(
        _ selector: Selector,
        _ timing: SubscriptionTiming,
        isSame: ((Selector.Output, Selector.Output) -> Bool)?,
        _ subscriber: Topic<StateValue, Selector.Output>.Subscriber,
        present: ((Selector.Output) -> Void)? = nil
    ) -> SubscriptionToken where Selector.Input == StateValue {
        addSubscription(
            key: AnyHashable(selector),
            timing,
            isSame: isSame,
            Self.selecting(selector),
            subscriber,
            present: present
        )
    }

    static func selecting<Selector: StateSelector>(
        _ selector: Selector
    ) -> (UnsafePointer<StateValue>) -> Selector.Output where Selector.Input == StateValue {
        typealias Derived = DerivedSelector<StateValue, Selector.Output>
        if let derived = selector as? Derived { return derived.makeSelectionInPlace() }
        let selection = selector.makeSelection()
        return { selection($0.pointee) }
    }
}
