import Observation

/// Tells Swift's `Observation` which values of a store changed.
///
/// The hub subscribes once to each value that was ever read, for as long as the store lives. A subscription that ended
/// with the first change would miss a change between a read and the installation of its tracking.
final class ObservationHub<StateValue: Sendable>: Observable, @unchecked Sendable {
    // Sound: `followed` is touched only while the store's lock is held.
    private let registrar = ObservationRegistrar()
    private var followed: [AnyKeyPath: Followed] = [:]
    private let getState: @Sendable () -> StateValue

    /// Subscribes to a value, with a closure to call when it changes.
    typealias Follow = (_ onChange: @escaping () -> Void) -> SubscriptionToken

    private struct Followed {
        let token: SubscriptionToken
        let follow: Follow
    }

    init(getState: @escaping @Sendable () -> StateValue) {
        self.getState = getState
    }

    /// Names a value of the state for `Observation`.
    subscript<Value>(value: KeyPath<StateValue, Value>) -> Value { getState()[keyPath: value] }

    /// Registers a read.
    ///
    /// - Parameters:
    ///   - name: Identifies the value.
    ///   - makeFollow: Called for the first read of the value.
    func access<Value>(_ name: KeyPath<ObservationHub, Value>, makeFollow: () -> Follow) {
        registrar.access(self, keyPath: name)
        if followed[name] == nil { follow(name, by: makeFollow()) }
    }

    /// Reports a change that does not come from the state.
    func changed<Value>(_ name: KeyPath<ObservationHub, Value>) {
        // The old subscription ends first, so that the new one does not share its topic and the old value.
        guard let follow = followed.removeValue(forKey: name)?.follow else { return }
        self.follow(name, by: follow)
        notify(name)
    }

    private func follow<Value>(_ name: KeyPath<ObservationHub, Value>, by follow: @escaping Follow) {
        followed[name] = Followed(token: follow { [weak self] in self?.notify(name) }, follow: follow)
    }

    private func notify<Value>(_ name: KeyPath<ObservationHub, Value>) {
        // The state has changed already, so that `onChange` reads the new value.
        registrar.withMutation(of: self, keyPath: name) {}
    }
}
