/// When a whole state is to be kept: if what has changed since the last takes a quarter more bytes than the state does now.
/// So the file is less than twice the changes, and a jump reads at most about twice the state. A quarter more, so that
/// loading everything into an empty state does not write it twice at once.
struct KeyframeRule {
    /// The least number of bytes of changes between two whole states.
    let floor: Int
    private var changes = 0
    /// The bytes of the present state as text, about: those of the last whole one, and by how many it grew since.
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
    ///   - growth: By how many bytes the state's text grew.
    ///   - rowBytes: Those of all its texts.
    /// - Returns: Whether the state after it is to be kept.
    mutating func isDue(after bytes: Int, growth: Int, rowBytes: Int) -> Bool {
        changes += bytes
        stateBytes = max(0, stateBytes + growth)
        // Counted in any case.
        let isOver = span?.isOver(after: rowBytes, stateBytes: stateBytes) ?? false
        return isOver || changes > max(stateBytes + stateBytes / 4, floor)
    }

    /// Counts a state that was kept.
    mutating func keep(_ bytes: Int) {
        changes = 0
        span?.restart()
        stateBytes = bytes
    }
}
