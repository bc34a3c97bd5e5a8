extension Store {
    /// Calls `onChange` with an object and one value of the state whenever that has changed, as long as the object
    /// lives.
    ///
    /// ```swift
    /// final class Header: Sendable {
    ///     init(_ store: Store<AppState, AppAction>) {
    ///         store.subscribe(\.count, owner: self) { header, count in header.show(count) }
    ///     }
    ///
    ///     func show(_ count: Int) { print("header shows", count) }
    /// }
    /// ```
    ///
    /// You need not keep the token, and the object is not retained, so it can neither end the subscription too early
    /// nor leak. When the object is gone, the store releases the subscription at the value's next change, or after some
    /// more actions: each looks at one owner that lives, and ends up to 32 subscriptions of owners that are gone.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow; `\.self` for the whole state.
    ///   - owner: The object that needs the value.
    ///   - timing: Whether to call `onChange` once an action or after each reducer.
    ///   - skipsRepeats: Whether to leave out actions that did not change the value.
    ///   - initial: Whether to call `onChange` with the present value at once.
    ///   - onChange: Called on the dispatching thread. It should use the object that it receives, and not capture it.
    /// - Returns: A token that can end the subscription earlier. Releasing it has no effect.
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value: Equatable & SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        owner: Owner,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Owner, Value) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            let receive = { (value: Value) in owned.withOwner { onChange($0, value) } }
            return follow(
                value,
                timing,
                comparesValues: skipsRepeats,
                isSame: ==,
                .init(receive),
                present: initial ? receive : nil
            )
        }
    }

    /// Calls `onChange` with an object, one value of the state, and how it changed, whenever it has changed, as long as
    /// the object lives.
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value: Equatable & SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        owner: Owner,
        timing: SubscriptionTiming = .action,
        skipsRepeats: Bool = true,
        _ onChange: @escaping @Sendable (Owner, Value, StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            subscribe(value, timing: timing, skipsRepeats: skipsRepeats) { (value: Value, change: StateChange<Value>) in
                owned.withOwner { onChange($0, value, change) }
            }
        }
    }

    /// Calls `onChange` with an object and one value of the state after every action, as long as the object lives. For
    /// a value that is not `Equatable`.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        owner: Owner,
        timing: SubscriptionTiming = .action,
        initial: Bool = false,
        _ onChange: @escaping @Sendable (Owner, Value) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            let receive = { (value: Value) in owned.withOwner { onChange($0, value) } }
            return follow(
                value,
                timing,
                comparesValues: false,
                isSame: nil,
                .init(receive),
                present: initial ? receive : nil
            )
        }
    }

    /// Calls `onChange` with an object, one value of the state, and the value before, after every action, as long as
    /// the object lives. For a value that is not `Equatable`.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        owner: Owner,
        timing: SubscriptionTiming = .action,
        _ onChange: @escaping @Sendable (Owner, Value, StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            subscribe(value, timing: timing) { (value: Value, change: StateChange<Value>) in
                owned.withOwner { onChange($0, value, change) }
            }
        }
    }

    /// Calls `onChange` on the main actor with an object and one value of the state whenever that has changed, as long
    /// as the object lives.
    ///
    /// ```swift
    /// @MainActor final class CountView {
    ///     var text = ""
    ///
    ///     init(_ store: Store<AppState, AppAction>) {
    ///         store.subscribe(\.count, on: MainActor.shared, owner: self) { view, count in view.text = "\(count)" }
    ///     }
    /// }
    /// ```
    ///
    /// - Returns: A token that can end the subscription earlier. Releasing it has no effect.
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value: Equatable & Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: MainActor,
        owner: Owner,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        _ onChange: @escaping @MainActor @Sendable (Owner, Value) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            DeliveryScheduler<Value>.main(isSame: skipsRepeats ? (==) : nil) { value in
                owned.withOwner { onChange($0, value) }
            }.follow { send in
                follow(
                    value,
                    .action,
                    comparesValues: skipsRepeats,
                    isSame: ==,
                    .init(send),
                    present: initial ? { send($0) } : nil
                )
            }
        }
    }

    /// Calls `onChange` on the main actor with an object and one value of the state after every action, as long as the
    /// object lives. For a value that is not `Equatable`.
    @_disfavoredOverload
    @discardableResult
    public func subscribe<Owner: AnyObject & Sendable, Value: Sendable>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        on actor: MainActor,
        owner: Owner,
        initial: Bool = false,
        _ onChange: @escaping @MainActor @Sendable (Owner, Value) -> Void
    ) -> SubscriptionToken {
        OwnedSubscription(owner).start(in: topics) { owned in
            DeliveryScheduler<Value>.main(isSame: nil) { value in
                owned.withOwner { onChange($0, value) }
            }.follow { send in
                follow(
                    value,
                    .action,
                    comparesValues: false,
                    isSame: nil,
                    .init(send),
                    present: initial ? { send($0) } : nil
                )
            }
        }
    }
}
