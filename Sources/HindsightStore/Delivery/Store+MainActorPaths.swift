// These forms are chosen only for key paths that are not `Sendable`. In Swift 5 mode, whose compiler does not tell them
// apart, they would be chosen for all, so they do not exist there. `isolation` has a default, as `timing` has in the
// other forms: otherwise the compiler would prefer these, which have fewer parameters.
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
    ///   - isolation: The main actor.
    ///   - onChange: Called on the main actor, with the value.
    /// - Returns: A token. Releasing it ends the subscription.
    @available(swift, introduced: 6)
    @MainActor
    public func subscribe<Value: Equatable>(
        _ value: KeyPath<StateValue, Value>,
        skipsRepeats: Bool = true,
        isolation: MainActor = .shared,
        _ onChange: @escaping (Value) -> Void
    ) -> SubscriptionToken {
        follow(MainActorFollower(self, value, skipsRepeats) { value, _ in onChange(value) })
    }

    /// Calls `onChange` on the main actor with one value of the state, and how it changed, whenever it has changed.
    /// For a state that is isolated to the main actor.
    @available(swift, introduced: 6)
    @MainActor
    public func subscribe<Value: Equatable>(
        _ value: KeyPath<StateValue, Value>,
        skipsRepeats: Bool = true,
        isolation: MainActor = .shared,
        _ onChange: @escaping (Value, StateChange<Value>) -> Void
    ) -> SubscriptionToken {
        follow(MainActorFollower(self, value, skipsRepeats, onChange))
    }

    @MainActor
    private func follow(_ follower: ChangeFollower) -> SubscriptionToken {
        // The follower reads the newest value on the main actor, so only the change is sent there.
        DeliveryScheduler<StateChange<Void>>.main(isSame: nil) { follower.update($0) }.follow { send in
            lock.withLock {
                follower.start()
                return addSubscription(
                    key: AnyHashable(ObjectIdentifier(ChangeFollower.self)),
                    .action,
                    isSame: nil,
                    { _ in },
                    .init { _, change in send(change) }
                )
            }
        }
    }
}

/// Follows one value on the main actor. Does not know the value's type, which may be used only there.
@MainActor
private class ChangeFollower {
    func start() {}
    func update(_ change: StateChange<Void>) {}
}

private final class MainActorFollower<StateValue: Sendable, ActionValue: Sendable, Value: Equatable>: ChangeFollower {
    private weak var store: Store<StateValue, ActionValue>?
    private let path: KeyPath<StateValue, Value>
    private let skipsRepeats: Bool
    private let onChange: (Value, StateChange<Value>) -> Void
    private var last: Value?

    init(
        _ store: Store<StateValue, ActionValue>,
        _ path: KeyPath<StateValue, Value>,
        _ skipsRepeats: Bool,
        _ onChange: @escaping (Value, StateChange<Value>) -> Void
    ) {
        self.store = store
        self.path = path
        self.skipsRepeats = skipsRepeats
        self.onChange = onChange
    }

    override func start() {
        last = store?.state[keyPath: path]
    }

    override func update(_ change: StateChange<Void>) {
        guard let value = store?.state[keyPath: path], let old = last, !skipsRepeats || value != old else { return }
        last = value
        onChange(value, StateChange(ChangeCause(seq: change.seq, isTravel: change.isTravel), old: old))
    }
}
