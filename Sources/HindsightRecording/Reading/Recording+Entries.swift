import HindsightFormat
import HindsightSQLite

extension Recording {
    /// An iterator over actions and their steps. Reads one row at a time.
    ///
    /// If another process may write, it releases the file between two rows: a reader's open snapshot makes a recorder's
    /// `-wal` grow, and prevents a recovery from emptying it.
    package struct Entries: ~Copyable {
        private let recording: Recording
        private let row: Statement
        private let withSteps: Bool
        private var rest: ArraySlice<RecordedAction>
        /// The numbers of the next and the last action.
        private var nextSeq: Int
        private let last: Int
        /// The last one that was in the file when the recording was opened.
        private let lastStored: Int
        private var isAtEnd = false
        /// Whether another process may write.
        private var isShared: Bool { recording.file.connection.access == .readShared }

        init(
            _ recording: Recording,
            _ row: consuming Statement,
            in range: ClosedRange<Int>,
            withSteps: Bool
        ) throws {
            self.recording = recording
            self.withSteps = withSteps
            rest = recording.bounds.journalOnly.actions.filter { range.contains($0.seq) }[...]
            // Actions before the start are being deleted.
            nextSeq = max(range.lowerBound, recording.start.seq + 1)
            last = range.upperBound
            lastStored = min(last, recording.lastStored)
            try row.bind(nextSeq, at: 1)
            try row.bind(last, at: 2)
            self.row = row
        }

        /// Returns the next action and its steps; `nil` after the last.
        ///
        /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; or `positionOutOfRange` if a recorder
        ///   has dropped the action meanwhile.
        package mutating func next() throws(RecordingError) -> (action: RecordedAction, steps: [RecordedStep])? {
            let (file, withSteps) = (recording.file, withSteps)
            let entry = try next { row, seq in
                withSteps ? try file.steps(row, Schema.stepsColumn, seq: seq) : []
            }
            return entry.map { ($0.action, $0.steps ?? []) }
        }

        /// Returns the next action and its steps, which are not parsed yet; `nil` after the last. The steps are `nil` if
        /// there are none.
        ///
        /// - Throws: The errors of ``next()``.
        package mutating func nextUnparsed() throws(RecordingError) -> (action: RecordedAction, steps: StepsText?)? {
            let (file, withSteps) = (recording.file, withSteps)
            let entry = try next { row, seq in
                withSteps ? try StepsText(row, Schema.stepsColumn, seq: seq, of: file) : nil
            }
            return entry.map { ($0.action, $0.steps ?? nil) }
        }

        private mutating func next<Steps>(
            _ steps: (borrowing Statement, _ seq: Int) throws -> Steps
        ) throws(RecordingError) -> (action: RecordedAction, steps: Steps?)? {
            if let entry = try recording.file.reading({ try read(steps) }) { return entry }
            return rest.popFirst().map { (recording.bounds.journalOnly.adopted($0), nil) }
        }

        private mutating func read<Steps>(
            _ steps: (borrowing Statement, _ seq: Int) throws -> Steps
        ) throws -> (action: RecordedAction, steps: Steps?)? {
            guard try !isAtEnd && row.step() else {
                if !isAtEnd, nextSeq <= last { try checkThere() }
                if !isAtEnd, nextSeq <= lastStored { throw recording.file.damaged("it is missing", seq: nextSeq) }
                isAtEnd = true
                return nil
            }
            let action = try recording.file.action(row, recording.names)
            // The last action of a run without states has the changes of the whole run.
            let steps = recording.bounds.run(of: action.seq) == nil ? try steps(row, action.seq) : nil
            if isShared { row.reset() }
            if action.seq != nextSeq {
                try checkThere()
                throw disorder(action.seq)
            }
            nextSeq = min(action.seq, .max - 1) + 1
            if isShared { try row.bind(nextSeq, at: 1) }
            // A recorder may meanwhile have written actions that were only in its journal.
            while let first = rest.first, first.seq < nextSeq { rest.removeFirst() }
            return (recording.bounds.journalOnly.adopted(action), steps)
        }

        /// In a damaged file, SQLite may skip rows or return rows again.
        private func disorder(_ found: Int) -> RecordingError {
            found < nextSeq
                ? recording.file.damaged("its actions are not in their order", seq: found)
                : recording.file.damaged("it is missing", seq: nextSeq)
        }

        /// Checks that the next action was not dropped meanwhile.
        private func checkThere() throws(RecordingError) {
            guard recording.isLive else { return }
            let start = try recording.presentStart()
            if nextSeq <= start { throw recording.goneMeanwhile("\(nextSeq)", start) }
        }
    }
}
