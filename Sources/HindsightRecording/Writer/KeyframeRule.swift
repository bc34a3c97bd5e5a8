/// When a whole state is to be kept: where what has changed since the last takes more bytes than that one did. So the
/// file is at most about twice the changes, and a jump reads at most about twice the state.
struct KeyframeRule {
    /// The least number of bytes of changes between two whole states.
    let floor: Int
    private var changes = 0
    private(set) var stateBytes = 0
    /// What may lie between two of them, where the recording's beginning is to be dropped.
    private var span: KeyframeSpan?

    init(floor: Int, span: KeyframeSpan? = nil) {
        self.floor = floor
        self.span = span
    }

    /// Counts an action's changes.
    ///
    /// - Parameters:
    ///   - bytes: Those of its operations.
    ///   - rowBytes: Those of all its texts.
    /// - Returns: Whether the state after it is to be kept.
    mutating func isDue(after bytes: Int, rowBytes: Int) -> Bool {
        changes += bytes
        // Counted in any case.
        let isOver = span?.isOver(after: rowBytes, stateBytes: stateBytes) ?? false
        return isOver || changes > max(stateBytes, floor)
    }

    /// Counts a state that was kept.
    mutating func keep(_ bytes: Int) {
        changes = 0
        span?.restart()
        stateBytes = bytes
    }
}
