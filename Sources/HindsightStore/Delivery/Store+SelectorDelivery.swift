// The output of a selector with an owner, or in another place.
extension Store {
    /// Calls `onChange` with an object and a selector's output whenever that has changed, as long as the object lives.
    ///
    /// Otherwise like the form with a key path.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Selector: StateSelector>(
        _ selector: Selector,
        owner: Owner,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Owner, Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & SendableMetatype {
        OwnedSubscription(owner).start(in: topics) { owned in
            let receive = { (output: Selector.Output) in owned.withOwner { onChange($0, output) } }
            return follow(
                selector,
                timing,
                isSame: skipsRepeats ? (==) : nil,
                .init(receive),
                present: initial ? receive : nil
            )
        }
    }

    /// Calls `onChange` on the main actor with an object and a selector's output whenever that has changed, as long as
    /// the object lives.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Selector: StateSelector>(
        _ selector: Selector,
        on actor: MainActor,
        owner: Owner,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @MainActor @Sendable (Owner, Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        OwnedSubscription(owner).start(in: topics) { owned in
            deliver(selector, skipsRepeats: skipsRepeats, initial: initial) { isSame in
                DeliveryScheduler<Selector.Output>.main(isSame: isSame) { output in
                    owned.withOwner { onChange($0, output) }
                }
            }
        }
    }

    /// Calls `onChange` on the main actor with a selector's output whenever it has changed, as decided by its `==`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        on actor: MainActor,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @MainActor @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        deliver(selector, skipsRepeats: skipsRepeats) { DeliveryScheduler.main(isSame: $0, onChange) }
    }

    /// Calls `onChange` on an actor with a selector's output whenever it has changed, as decided by its `==`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector, A: Actor>(
        _ selector: Selector,
        on actor: A,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (isolated A, Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        deliver(selector, skipsRepeats: skipsRepeats) { DeliveryScheduler.on(actor, isSame: $0, onChange) }
    }

    /// Calls `onChange` in a place such as a dispatch queue with a selector's output whenever it has changed, as
    /// decided by its `==`.
    @_disfavoredOverload
    public func subscribe<Selector: StateSelector>(
        _ selector: Selector,
        on place: some DeliveryPlace,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (Selector.Output) -> Void
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        deliver(selector, skipsRepeats: skipsRepeats) { DeliveryScheduler.by(place.delivery, isSame: $0, onChange) }
    }

    private func deliver<Selector: StateSelector>(
        _ selector: Selector,
        skipsRepeats: Bool,
        initial: Bool = false,
        by makeScheduler: (
            _ isSame: (@Sendable (Selector.Output, Selector.Output) -> Bool)?
        ) -> DeliveryScheduler<Selector.Output>
    ) -> SubscriptionToken where Selector.Input == StateValue, Selector.Output: Equatable & Sendable {
        let isSame: (@Sendable (Selector.Output, Selector.Output) -> Bool)? = skipsRepeats ? (==) : nil
        return makeScheduler(isSame).follow { send in
            follow(selector, .action, isSame: isSame, .init(send), present: initial ? { send($0) } : nil)
        }
    }
}
