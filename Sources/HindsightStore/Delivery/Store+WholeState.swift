// The whole state with an owner, or in another place: short for the forms with the key path `\.self`.
extension Store {
    /// Calls `onChange` with an object and the state after every action that changed it, as decided by its `==`, as long
    /// as the object lives.
    ///
    /// Otherwise like the form with a key path.
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable>(
        owner: Owner,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Owner, StateValue) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        subscribe(
            \StateValue.self,
            owner: owner,
            timing: timing,
            skipsRepeats: skipsRepeats,
            initial: initial,
            onChange
        )
    }

    /// Calls `onChange` with an object and the state after every action, as long as the object lives. For a state that is
    /// not `Equatable`.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable>(
        owner: Owner,
        timing: SubscriptionTiming = .action,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Owner, StateValue) -> Void
    ) -> SubscriptionToken {
        subscribe(\StateValue.self, owner: owner, timing: timing, initial: initial, onChange)
    }

    /// Calls `onChange` on the main actor with the state whenever it has changed, as decided by its `==`.
    public func subscribe(
        on actor: MainActor,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @MainActor @Sendable (StateValue) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        subscribe(\StateValue.self, on: actor, skipsRepeats: skipsRepeats, onChange)
    }

    /// Calls `onChange` on the main actor with the state after every action. For a state that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe(
        on actor: MainActor,
        _ onChange: @escaping @MainActor @Sendable (StateValue) -> Void
    ) -> SubscriptionToken {
        subscribe(\StateValue.self, on: actor, onChange)
    }

    /// Calls `onChange` on an actor with the state whenever it has changed, as decided by its `==`.
    public func subscribe<A: Actor>(
        on actor: A,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (isolated A, StateValue) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        subscribe(\StateValue.self, on: actor, skipsRepeats: skipsRepeats, onChange)
    }

    /// Calls `onChange` on an actor with the state after every action. For a state that is not `Equatable`.
    @_disfavoredOverload
    public func subscribe<A: Actor>(
        on actor: A,
        _ onChange: @escaping @Sendable (isolated A, StateValue) -> Void
    ) -> SubscriptionToken {
        subscribe(\StateValue.self, on: actor, onChange)
    }

    /// Calls `onChange` in a place such as a dispatch queue with the state whenever it has changed, as decided by its
    /// `==`.
    public func subscribe(
        on place: some DeliveryPlace,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (StateValue) -> Void
    ) -> SubscriptionToken where StateValue: Equatable {
        subscribe(\StateValue.self, on: place, skipsRepeats: skipsRepeats, onChange)
    }

    /// Calls `onChange` in a place such as a dispatch queue with the state after every action. For a state that is not
    /// `Equatable`.
    @_disfavoredOverload
    public func subscribe(
        on place: some DeliveryPlace,
        _ onChange: @escaping @Sendable (StateValue) -> Void
    ) -> SubscriptionToken {
        subscribe(\StateValue.self, on: place, onChange)
    }
}
