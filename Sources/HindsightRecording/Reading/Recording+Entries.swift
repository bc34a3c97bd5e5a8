import HindsightFormat
import HindsightSQLite

extension Recording {
    /// An iterator over actions and their steps. Reads one row at a time.
    ///
    /// If another process may write, it releases the file between two rows.
    package struct Entries: ~Copyable {
        private let recording: Recording
        private let cursor: ActionCursor
        private let withSteps: Bool
        /// The numbers of the next and the last action.
        private var nextSeq: Int
        private let last: Int

        init(_ recording: Recording, in range: ClosedRange<Int>, withSteps: Bool) throws(RecordingError) {
            self.recording = recording
            self.withSteps = withSteps
            let columns = Set(ActionCursor.Column.allCases)
            cursor = try ActionCursor(of: recording, reading: withSteps ? columns : columns.subtracting([.steps]))
            // Actions before the start are being deleted.
            nextSeq = max(range.lowerBound, recording.start.seq + 1)
            last = min(range.upperBound, recording.actionCount)
        }

        /// Returns the next action and its steps; `nil` after the last.
        ///
        /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; or `positionOutOfRange` if a recorder
        ///   has dropped the action meanwhile.
        package mutating func next() throws(RecordingError) -> (action: RecordedAction, steps: [RecordedStep])? {
            guard let (action, text) = try nextUnparsed() else { return nil }
            guard let text else { return (action, []) }
            return (action, try recording.steps(in: text))
        }

        /// Returns the next action and its steps, which are not parsed yet; `nil` after the last. The steps are `nil` if
        /// there are none.
        ///
        /// - Throws: The errors of ``next()``.
        package mutating func nextUnparsed() throws(RecordingError) -> (action: RecordedAction, steps: StepsText?)? {
            guard nextSeq <= last else { return nil }
            try cursor.move(to: nextSeq)
            let entry = (try cursor.action(), withSteps ? try cursor.stepsText() : nil)
            if recording.file.connection.access == .readShared { cursor.release() }
            nextSeq += 1
            return entry
        }
    }
}
