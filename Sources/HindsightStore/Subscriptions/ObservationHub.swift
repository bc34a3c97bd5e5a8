import Observation

/// Tells Swift's `Observation` which values of a store changed.
///
/// The hub follows a value as long as a reader is tracked: `Observation` keeps the names of the values that it tracks,
/// from the read to the end of the tracking, and each name keeps a subscription. A read that is not tracked follows
/// nothing.
final class ObservationHub: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    /// Names a value for `Observation`, which compares names, and does not read through them.
    subscript(_ name: ObservedName) -> Void { () }

    /// Registers a read. Called while the store's lock is held.
    ///
    /// - Parameters:
    ///   - key: Identifies the value.
    ///   - follow: Called if the read is tracked. Subscribes to the value, with a closure to call when it changes.
    func access(_ key: AnyHashable, follow: (_ onChange: @escaping () -> Void) -> SubscriptionToken) {
        var name = ObservedName(key)
        registrar.access(self, keyPath: \ObservationHub.[name])
        // Nobody tracks this read, or it repeats another one of the same tracking.
        if isKnownUniquelyReferenced(&name) { return }
        name.token = follow { [weak self] in self?.changed(key) }
    }

    /// Reports a change.
    func changed(_ key: AnyHashable) {
        // The state has changed already, so that `onChange` reads the new value. A name of its own, without a
        // subscription: the tracking may keep it.
        registrar.withMutation(of: self, keyPath: \ObservationHub.[ObservedName(key)]) {}
    }
}

/// The name of a value, whose end ends a subscription.
final class ObservedName: Hashable, @unchecked Sendable {
    // Sound: `token` is set once, before another thread knows the name.
    let key: AnyHashable
    var token: SubscriptionToken?

    init(_ key: AnyHashable) { self.key = key }

    // `Observation` may release the name while it holds a lock of its own.
    deinit { token?.endLater() }

    static func == (one: ObservedName, other: ObservedName) -> Bool { one.key == other.key }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
