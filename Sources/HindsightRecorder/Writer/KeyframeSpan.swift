import HindsightFormat

/// What may lie between two whole states of a recording whose beginning is dropped: it can begin with a whole state only,
/// so these must come often enough.
struct KeyframeSpan {
    /// Eighths of what is to be kept, but bytes: of these a sixteenth.
    let actions: Int
    let bytes: Int
    let age: Int64
    private let now: @Sendable () -> Int64
    private var count = (actions: 0, bytes: 0)
    private var started: Int64

    init(_ limit: RecordingLimit, now: @escaping @Sendable () -> Int64) {
        actions = limit.actions.map { max(1, $0 / 8) } ?? .max
        bytes = limit.bytes.map { $0 / 16 } ?? .max
        age = limit.age.map { $0.nanoseconds / 8 } ?? .max
        self.now = now
        started = age == .max ? 0 : now()
    }

    /// Counts an action with the bytes of its texts.
    ///
    /// - Parameter stateBytes: Those of the last whole state. Another one that is not due for the file's own sake is not
    ///   kept before an eighth as much has come.
    /// - Returns: Whether the state after it is to be kept.
    mutating func isOver(after bytes: Int, stateBytes: Int) -> Bool {
        count.actions += 1
        count.bytes += bytes + PendingAction.rowOverhead
        if count.bytes > max(stateBytes, self.bytes) { return true }
        if count.actions >= actions, count.bytes >= stateBytes / 8 { return true }
        return age != .max && now() - started >= age
    }

    /// A state was kept.
    mutating func restart() {
        count = (0, 0)
        if age != .max { started = now() }
    }
}
