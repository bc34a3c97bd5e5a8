import Observation

/// Tells Swift's `Observation` what changed in a store.
///
/// Each value that was ever read is followed by one subscription, for as long as the store lives. A subscription that
/// ended with the first change would lose those that fall between a read and the installation of its tracking.
final class ObservationHub<State: Sendable, Action: Sendable>: Observable, @unchecked Sendable {
    // Sound: `followed` is touched only while the store's lock is held.
    private let registrar = ObservationRegistrar()
    private var followed: [AnyKeyPath: Followed] = [:]
    unowned let store: Store<State, Action>

    private struct Followed {
        let subscription: Subscription
        /// Subscribes anew, from the present value on.
        let follow: () -> Subscription
    }

    init(store: Store<State, Action>) {
        self.store = store
    }

    /// Names a value of the state towards `Observation`.
    subscript<Value>(value: KeyPath<State, Value>) -> Value { store.state[keyPath: value] }

    /// Reads a value of the state, and notes that it was read.
    func read<Value>(_ value: KeyPath<State, Value>, isSame: ((Value, Value) -> Bool)?) -> Value {
        read(as: \ObservationHub.[value], key: AnyHashable(value), isSame: isSame) { $0.pointee[keyPath: value] }
    }

    /// Reads something that changes only when the state does, and notes that it was read.
    func read<Value>(
        as name: KeyPath<ObservationHub, Value>,
        key: AnyHashable,
        isSame: ((Value, Value) -> Bool)?,
        _ select: @escaping (UnsafePointer<State>) -> Value
    ) -> Value {
        store.lock.withLock {
            precondition(
                store.door.pointee.phase != .reducing,
                "A reducer read its store's observed state. Use the state that the reducer is given."
            )
            registrar.access(self, keyPath: name)
            if followed[name] == nil {
                let follow = { [unowned self] in
                    store.add(key: key, .action, isSame: isSame, select) { [weak self] _, _ in self?.tell(name) }
                }
                followed[name] = Followed(subscription: follow(), follow: follow)
            }
            return select(store.cell)
        }
    }

    /// Says that something has changed though the state has not.
    func changed<Value>(_ name: KeyPath<ObservationHub, Value>) {
        // The old subscription goes first: it would hand the old value on to the new one.
        guard let follow = followed.removeValue(forKey: name)?.follow else { return }
        followed[name] = Followed(subscription: follow(), follow: follow)
        tell(name)
    }

    private func tell<Value>(_ name: KeyPath<ObservationHub, Value>) {
        // The change has happened already: whoever reads again at once reads the new value.
        registrar.withMutation(of: self, keyPath: name) {}
    }
}

extension Store {
    /// Tells `Observation` what changed; made when it is first asked for.
    var observationHub: ObservationHub<State, Action> {
        lock.withLock {
            if let observation { return observation }
            let hub = ObservationHub(store: self)
            observation = hub
            return hub
        }
    }
}
