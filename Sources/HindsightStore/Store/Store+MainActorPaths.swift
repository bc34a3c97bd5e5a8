// These forms are chosen only for key paths that are not `Sendable`. In Swift 5 mode, whose compiler does not tell them
// apart, they would be chosen for all, so they do not exist there. `isolation` has a default, as `timing` has in the
// other form: otherwise the compiler would prefer this one, which would have fewer parameters. The other form needs a
// `SendableMetatype`, so that the compiler prefers it if both fit.
extension Store {
    /// Calls `onChange` on the main actor with one value of the state whenever it has changed, as decided by its `==`.
    /// For a state that is isolated to the main actor.
    ///
    /// In a module whose default isolation is `MainActor`, the key paths of a state that is not marked `nonisolated` may
    /// only be used on the main actor. So the store reads and compares the value there, once for each subscription.
    ///
    /// If you dispatch on the main thread, the store calls `onChange` before `dispatch` returns. If you dispatch on
    /// another thread, a task calls it with the newest value.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow.
    ///   - skipsRepeats: Whether to leave out actions that did not change the value.
    ///   - initial: Whether to call `onChange` with the present value at once.
    ///   - isolation: The main actor.
    ///   - onChange: Called on the main actor, with the value.
    /// - Returns: A token. Releasing it ends the subscription.
    @available(swift, introduced: 6)
    @MainActor
    public func subscribe<Value>(
        _ value: KeyPath<StateValue, Value>,
        skipsRepeats: Bool = true,
        initial: Bool = false,
        isolation: MainActor = .shared,
        _ onChange: @escaping (Value) -> Void
    ) -> SubscriptionToken {
        follow(MainActorFollower(self, value, skipsRepeats, initial: initial ? onChange : nil) { onChange($0.new) })
    }

    /// Calls `onChange` on the main actor with each change of one value of the state. For a state that is isolated to
    /// the main actor.
    @available(swift, introduced: 6)
    @MainActor
    public func subscribe<Value>(
        changesOf value: KeyPath<StateValue, Value>,
        skipsRepeats: Bool = true,
        _ onChange: @escaping (StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        follow(MainActorFollower(self, value, skipsRepeats, onChange))
    }

    @MainActor
    private func follow(_ follower: ChangeFollower) -> SubscriptionToken {
        // The follower reads the newest value on the main actor, so only the change is sent there.
        DeliveryScheduler<StateChange<Void>>.main(isSame: nil) { follower.update($0) }.follow { send in
            addSubscription(
                key: AnyHashable(ObjectIdentifier(ChangeFollower.self)),
                .action,
                comparesValues: false,
                isSame: nil,
                { _ in },
                .init(changes: send, present: { _ in follower.start() })
            )
        }
    }
}

/// Follows one value on the main actor. Does not know the value's type, which may be used only there.
@MainActor
private class ChangeFollower {
    /// Reads the value from which the first change leads. In the middle of an action, called after it.
    func start() {}
    func update(_ change: StateChange<Void>) {}
}

private final class MainActorFollower<StateValue: Sendable, ActionValue: Sendable, Value>: ChangeFollower {
    private weak var store: Store<StateValue, ActionValue>?
    private let path: KeyPath<StateValue, Value>
    private let isSame: ((Value, Value) -> Bool)?
    private let initial: ((Value) -> Void)?
    private let onChange: (StateChange<Value>) -> Void
    private var last: Value?

    init(
        _ store: Store<StateValue, ActionValue>,
        _ path: KeyPath<StateValue, Value>,
        _ skipsRepeats: Bool,
        initial: ((Value) -> Void)? = nil,
        _ onChange: @escaping (StateChange<Value>) -> Void
    ) {
        self.store = store
        self.path = path
        isSame = equalityOnMainActor(of: Value.self, if: skipsRepeats)
        self.initial = initial
        self.onChange = onChange
    }

    override func start() {
        guard let value = store?.state[keyPath: path] else { return }
        last = value
        initial?(value)
    }

    override func update(_ change: StateChange<Void>) {
        guard let value = store?.state[keyPath: path], let old = last else { return }
        if let isSame, isSame(old, value) { return }
        last = value
        onChange(StateChange(ChangeCause(seq: change.seq, isTravel: change.isTravel), old: old, new: value))
    }
}
