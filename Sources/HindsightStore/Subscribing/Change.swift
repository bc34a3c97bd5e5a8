/// What a subscriber is told beside the value.
///
/// ```swift
/// let token = store.subscribe(\.count) { count, change in
///     print(change.isTravel ? "back at \(count)" : "action \(change.seq) made it \(count)")
/// }
/// ```
public struct Change: Sendable, Hashable {
    /// The action after which the value is this one; for time travel, the action to which the store travelled, or the
    /// travel's own number where that was no state of its history.
    public let seq: Int
    /// Whether the state was set by time travel instead of being reduced.
    public let isTravel: Bool

    @usableFromInline
    init(seq: Int, isTravel: Bool) {
        self.seq = seq
        self.isTravel = isTravel
    }
}

/// When subscribers are told.
///
/// ```swift
/// let token = store.subscribe(\.count, timing: .eachReducer) { print("a reducer made it", $0) }
/// ```
public enum Timing: Sendable {
    /// Once an action, when all reducers have run: never in the middle of an action.
    case action
    /// After each reducer.
    case eachReducer
}
