/// The largest span between two keyframes of a recording with a limit. The recording can only begin with a keyframe, so
/// keyframes must be frequent.
package struct KeyframeSpan {
    /// An eighth of each limit; a sixteenth of the limit of bytes.
    let actions: Int
    let bytes: Int
    let age: Int64
    private let now: @Sendable () -> Int64
    private var count = (actions: 0, bytes: 0)
    private var started: Int64

    package init(_ limit: RecordingLimit, now: @escaping @Sendable () -> Int64) {
        actions = limit.actions.map { max(1, $0 / 8) } ?? .max
        bytes = limit.bytes.map { $0 / 16 } ?? .max
        age = limit.age.map { $0.nanoseconds / 8 } ?? .max
        self.now = now
        started = age == .max ? 0 : now()
    }

    /// Counts an action with the size of its texts.
    ///
    /// - Parameter stateBytes: The size of the last keyframe. A keyframe that only the limit requires is not written
    ///   before other rows have an eighth of that size.
    /// - Returns: Whether to keep the state after the action.
    mutating func isOver(after bytes: Int, stateBytes: Int) -> Bool {
        count.actions += 1
        count.bytes += bytes + RowWriter.rowOverhead
        if count.bytes > max(stateBytes, self.bytes) { return true }
        if count.actions >= actions, count.bytes >= stateBytes / 8 { return true }
        return age != .max && now() - started >= age
    }

    /// Resets the counts after a keyframe.
    mutating func restart() {
        count = (0, 0)
        if age != .max { started = now() }
    }
}
