/// The action that changed a subscriber's value.
///
/// ```swift
/// let token = store.subscribe(\.count) { count, change in
///     print(change.isTravel ? "back at \(count)" : "action \(change.seq) made it \(count)")
/// }
/// ```
public struct StateChange: Sendable, Hashable {
    /// The action that led to the present state. For time travel, the action to which the store travelled, or the
    /// travel's own number if the state is not from the store's history.
    public let seq: Int
    /// Whether time travel set the state, instead of the reducers.
    public let isTravel: Bool

    @usableFromInline
    init(seq: Int, isTravel: Bool) {
        self.seq = seq
        self.isTravel = isTravel
    }
}

/// When a store calls a subscriber.
///
/// ```swift
/// let token = store.subscribe(\.count, timing: .eachReducer) { print("a reducer made it", $0) }
/// ```
public enum SubscriptionTiming: Sendable {
    /// Once an action, after all reducers.
    case action
    /// After each reducer.
    case eachReducer
}
