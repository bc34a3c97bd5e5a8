/// Decides when to write a keyframe, a state in full: if the changes since the last one take a quarter more bytes than
/// the state. The file is then less than twice the size of the changes, and a jump reads at most about twice the state.
/// The extra quarter avoids writing a state twice if one action fills an empty state.
package struct KeyframeRule {
    /// The floor of a recorder.
    package static let usualFloor = 4096

    /// The least number of bytes of changes between two keyframes.
    package let floor: Int
    private var changes = 0
    /// The approximate size of the present state's text: that of the last keyframe, plus the growth since.
    package private(set) var stateBytes = 0
    /// The span between keyframes, if the recording has a limit.
    private var span: KeyframeSpan?

    package init(floor: Int, span: KeyframeSpan? = nil) {
        self.floor = floor
        self.span = span
    }

    /// Counts an action's changes.
    ///
    /// - Parameters:
    ///   - bytes: The size of its operations.
    ///   - growth: The growth of the state's text in bytes.
    ///   - rowBytes: The size of all its texts.
    /// - Returns: Whether to keep the state after the action.
    package mutating func isDue(after bytes: Int, growth: Int, rowBytes: Int) -> Bool {
        changes += bytes
        stateBytes = max(0, stateBytes + growth)
        // Evaluated first, because it must count each action.
        let isOver = span?.isOver(after: rowBytes, stateBytes: stateBytes) ?? false
        return isOver || changes > max(stateBytes + stateBytes / 4, floor)
    }

    /// Resets the counts after a keyframe.
    package mutating func keep(_ bytes: Int) {
        changes = 0
        span?.restart()
        stateBytes = bytes
    }
}
