import HindsightRecording

/// Reads a recording's actions one by one, in batches.
struct ActionReader {
    typealias Entry = (action: RecordedAction, steps: StepsText?)

    private static let batch = 64

    private let recording: Recording
    private let withSteps: Bool
    private var read: [Entry] = []

    init(_ recording: Recording, withSteps: Bool) {
        self.recording = recording
        self.withSteps = withSteps
    }

    /// The action with number `seq` and its steps. Cheap if it follows the action of the last call.
    ///
    /// - Throws: `RecordingError` if there is no such action, or it cannot be read.
    mutating func entry(_ seq: Int) throws -> Entry {
        if let entry = inBatch(seq) { return entry }
        read = []
        if (1...max(1, recording.actionCount)).contains(seq) {
            let isLastBatch = recording.actionCount - seq < Self.batch
            var entries = try recording.entries(
                in: seq...(isLastBatch ? recording.actionCount : seq + Self.batch - 1),
                withSteps: withSteps
            )
            while let entry = try entries.nextUnparsed() { read.append(entry) }
        }
        if let entry = inBatch(seq) { return entry }
        // If the action is missing or damaged, reading it alone throws the error.
        read = []
        return (try recording.action(seq), withSteps ? try recording.stepsText(of: seq) : nil)
    }

    private func inBatch(_ seq: Int) -> Entry? {
        guard let first = read.first?.action.seq, read.indices.contains(seq - first) else { return nil }
        let entry = read[seq - first]
        return entry.action.seq == seq ? entry : nil
    }
}
