import HindsightFormat
import HindsightSQLite

/// Actions that the limit dropped, before the recording was opened or since.
extension Recording {
    /// The action of the first keyframe at this moment.
    func presentStart() throws(RecordingError) -> Int {
        guard isLive else { return start.seq }
        return try file.reading { Int(try file.connection.integer("SELECT min(seq) FROM keyframe") ?? 0) }
    }

    /// The last action that the limit dropped: its time says since when the recording has everything.
    package func lastDropped() throws(RecordingError) -> RecordedAction? {
        guard start.seq > 0 else { return nil }
        return try storedAction(start.seq)
    }

    /// The error for an action that should exist.
    func missing(_ seq: Int) throws(RecordingError) -> RecordingError {
        let present = try presentStart()
        return seq <= present ? goneMeanwhile("\(seq)", present) : file.damaged("it is missing", seq: seq)
    }

    /// The error for a position that existed when the recording was opened, and was dropped since.
    func goneMeanwhile(_ text: String, _ present: Int) -> RecordingError {
        var error = outOfRange(text, reason: "the recording's limit has dropped it meanwhile")
        error.allowed = [present < end.seq ? "\(present) to \(end)" : "\(end)", "end"]
        return error
    }

    /// The reason why positions before ``start`` do not exist.
    var dropReason: String {
        "the recording's limit has dropped the first \(droppedCount == 1 ? "action" : "\(droppedCount) actions")"
    }
}
