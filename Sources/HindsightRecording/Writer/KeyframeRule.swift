/// When a whole state is to be kept: where what has changed since the last takes more bytes than that one did. So the
/// file is at most about twice the changes, and a jump reads at most about twice the state.
struct KeyframeRule {
    /// The least number of bytes of changes between two whole states.
    let floor: Int
    private var changes = 0
    private(set) var stateBytes = 0

    init(floor: Int) { self.floor = floor }

    /// Counts an action's changes.
    ///
    /// - Returns: Whether the state after it is to be kept.
    mutating func isDue(after bytes: Int) -> Bool {
        changes += bytes
        return changes > max(stateBytes, floor)
    }

    /// Counts a state that was kept.
    mutating func keep(_ bytes: Int) {
        changes = 0
        stateBytes = bytes
    }
}
