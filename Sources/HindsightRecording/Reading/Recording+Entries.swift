import HindsightSQLite

extension Recording {
    /// A walk through a recording. Costs a row at a time.
    ///
    /// Beside a recorder it reads some rows and lets go of the file again, however long they are looked at: a reader
    /// that holds one moment of it would make the recorder's `-wal` grow meanwhile.
    public struct Entries: ~Copyable {
        private let recording: Recording
        private let row: Statement
        private let withSteps: Bool
        private var rest: ArraySlice<ActionRecord>
        /// The action that comes next.
        private var nextSeq: Int
        private let last: Int
        private var isAtEnd = false
        /// What was read ahead, and why no more could be.
        private var ahead: ArraySlice<(action: ActionRecord, steps: [StepRecord])> = []
        private var failure: (any Error)?

        /// So many rows are read ahead.
        private static let mostAhead = 64

        init(
            _ recording: Recording,
            _ row: consuming Statement,
            in range: ClosedRange<Int>,
            withSteps: Bool
        ) throws {
            self.recording = recording
            self.withSteps = withSteps
            rest = recording.extent.tail.actions.filter { range.contains($0.seq) }[...]
            // What stands before the beginning is being deleted.
            nextSeq = max(range.lowerBound, recording.start.seq + 1)
            last = range.upperBound
            try row.bind(nextSeq, at: 1)
            try row.bind(range.upperBound, at: 2)
            self.row = row
        }

        /// The next action and its steps; `nil` after the last.
        ///
        /// - Throws: A ``RecordingError``: `damaged` or `unreadable`; `positionOutOfRange` where a recorder has dropped
        ///   the action meanwhile.
        public mutating func next() throws -> (action: ActionRecord, steps: [StepRecord])? {
            if recording.isLive { try readAhead() } else if let entry = try read() { return entry }
            if let entry = ahead.popFirst() { return entry }
            if let failure { throw failure }
            return rest.popFirst().map { (recording.extent.tail.adopted($0), []) }
        }

        private mutating func readAhead() throws {
            guard ahead.isEmpty, failure == nil, !isAtEnd else { return }
            let expected = nextSeq
            var entries: [(action: ActionRecord, steps: [StepRecord])] = []
            do {
                try recording.file.reading { try row.bind(expected, at: 1) }
                while entries.count < Self.mostAhead, let entry = try read() { entries.append(entry) }
                row.reset()
                if entries.first?.action.seq != expected, expected <= last {
                    let start = try recording.presentStart()
                    if expected <= start { throw recording.goneMeanwhile("\(expected)", start) }
                }
            } catch {
                row.reset()
                failure = error
            }
            ahead = entries[...]
        }

        private mutating func read() throws -> (action: ActionRecord, steps: [StepRecord])? {
            try recording.file.reading {
                // A recorder may have written meanwhile what was its journal's alone.
                guard try !isAtEnd && row.step() else {
                    isAtEnd = true
                    return nil
                }
                let action = try ActionRow.read(row, recording.file)
                nextSeq = action.seq == .max ? .max : action.seq + 1
                while let first = rest.first, first.seq < nextSeq { rest.removeFirst() }
                let steps = withSteps ? try ActionRow.readSteps(row, recording.file) : []
                return (recording.extent.tail.adopted(action), steps)
            }
        }
    }
}
