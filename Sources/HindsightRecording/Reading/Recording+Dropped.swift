import HindsightFormat
import HindsightSQLite

/// What a limited recording has dropped: before it was opened, or meanwhile.
extension Recording {
    /// Whether a recorder was at work when it was opened or last refreshed. Otherwise nothing in it changes any more.
    var isLive: Bool { ending == .open(live: true) }

    /// The first action after which there is a whole state now.
    func presentStart() throws -> Int {
        guard isLive else { return start.seq }
        return try file.reading { Int(try file.connection.integer("SELECT min(seq) FROM keyframe") ?? 0) }
    }

    /// Why an action that should be there is not.
    func missing(_ seq: Int) throws -> RecordingError {
        let present = try presentStart()
        return seq <= present ? goneMeanwhile("\(seq)", present) : file.damaged("it is missing", seq: seq)
    }

    /// A position that was there when the recording was opened, and is dropped now.
    func goneMeanwhile(_ text: String, _ present: Int) -> RecordingError {
        var error = outOfRange(text, reason: "the recording's limit has dropped it meanwhile")
        error.allowed = [present < end.seq ? "\(present) to \(end)" : "\(end)", "end"]
        return error
    }

    /// Why what stands before ``start`` is not there.
    var dropReason: String {
        "the recording's limit has dropped the first \(dropped == 1 ? "action" : "\(dropped) actions")"
    }
}
