import HindsightRecording

/// Reads a recording's actions one by one, many at a time from the file.
struct ActionReader {
    private static let batch = 256

    private let recording: Recording
    private var read: [ActionRecord] = []

    init(_ recording: Recording) {
        self.recording = recording
    }

    /// The action with number `seq`, which must be in the recording. Cheap where it follows the one asked for before.
    mutating func action(_ seq: Int) throws -> ActionRecord {
        if let first = read.first?.seq, read.indices.contains(seq - first) {
            return read[seq - first]
        }
        let last = min(seq + Self.batch - 1, recording.actionCount)
        guard seq <= last else { return try recording.action(seq) }
        read = Array(try recording.actions(in: seq...last))
        guard let first = read.first, first.seq == seq else { return try recording.action(seq) }
        return first
    }
}
