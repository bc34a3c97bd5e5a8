/// A change of a followed value: what caused it, and the values before and after it.
///
/// ```swift
/// let token = store.changes(of: \.count).subscribe { count in
///     print(count.isTravel ? "back at \(count.new)" : "action \(count.seq) made it \(count.new)")
///     if count.new > count.old { print("it rose by", count.new - count.old) }
/// }
/// ```
///
/// **Cost.** The old value is the one that the store keeps in any case, to compare it with the new one. Each call of a
/// subscriber retains it once more; no call copies a buffer. Only for a signal of changes, the store keeps the old
/// value until the end of the round of notifications.
public struct StateChange<Value> {
    /// The action that led to the present state. For time travel, the action to which the store travelled, or the
    /// travel's own number if the state is not from the store's history.
    public let seq: Int
    /// Whether time travel set the state, instead of the reducers.
    public let isTravel: Bool
    /// The followed value before this change. If repeats are not skipped, it may equal ``new``.
    public let old: Value
    /// The followed value after this change.
    public let new: Value

    init(_ cause: ChangeCause, old: Value, new: Value) {
        seq = cause.seq
        isTravel = cause.isTravel
        self.old = old
        self.new = new
    }
}

extension StateChange: Sendable where Value: Sendable {}
extension StateChange: Equatable where Value: Equatable {}
extension StateChange: Hashable where Value: Hashable {}

/// What led to a round of notifications.
@usableFromInline
struct ChangeCause: Sendable {
    /// See ``StateChange/seq``.
    let seq: Int
    let isTravel: Bool

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
    /// After each reducer, even in the middle of an action.
    ///
    /// If such a subscriber subscribes with the timing ``action``, the subscription begins when the action is complete:
    /// it does not receive this action's change, and a signal's first value is the one after the action.
    case eachReducer
}
