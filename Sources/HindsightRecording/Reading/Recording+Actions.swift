import HindsightSQLite
import HindsightTree

extension Recording {
    /// One action.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange` where there is no such action, `damaged` or `unreadable`.
    public func action(_ seq: Int) throws -> ActionRecord {
        if let action = extent.tail[seq] { return action }
        return try file.reading(seq: seq) {
            guard let action = try read(file.selectAction, seq) else {
                if seq >= 1 && seq <= actionCount { throw file.damaged("it is missing", seq: seq) }
                throw outOfRange("\(seq)", reason: "there is no such action")
            }
            return extent.tail.adopted(action)
        }
    }

    private func read(_ row: borrowing Statement, _ seq: Int) throws -> ActionRecord? {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        return try row.step() ? ActionRow.read(row, file) : nil
    }

    /// What each reducer did in one action, in their order.
    ///
    /// Empty where the action never finished, or the states after it were not written.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func steps(of seq: Int) throws -> [StepRecord] {
        try file.reading(seq: seq) { try readSteps(file.selectSteps, seq) }
    }

    private func readSteps(_ row: borrowing Statement, _ seq: Int) throws -> [StepRecord] {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        return try row.step() ? file.steps(row, 0, seq: seq) : []
    }

    /// The actions with numbers in `range`, as many as there are, in their order.
    ///
    /// They are all in memory at once; ``forEachAction(in:_:)`` has one at a time.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func actions(in range: ClosedRange<Int>) throws -> [ActionRecord] {
        var actions: [ActionRecord] = []
        try forEachAction(in: range) { actions.append($0) }
        return actions
    }

    /// Calls `body` with each action whose number is in `range`, in their order.
    ///
    /// Within `body` the recording may be asked anything. To end early, throw.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`; and whatever `body` throws.
    public func forEachAction(in range: ClosedRange<Int>, _ body: (ActionRecord) throws -> Void) throws {
        var entries = try entries(in: range, withSteps: false)
        while let entry = try entries.next() {
            try body(entry.action)
        }
    }

    /// The actions with numbers in `range` together with what each reducer did in them, one at a time.
    ///
    /// ```swift
    /// var entries = try recording.entries(in: 1...recording.actionCount)
    /// while let (action, steps) = try entries.next() { … }
    /// ```
    ///
    /// - Parameters:
    ///   - range: Numbers of actions.
    ///   - withSteps: Whether steps are read; they are empty otherwise.
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func entries(in range: ClosedRange<Int>, withSteps: Bool = true) throws -> Entries {
        try file.reading {
            let selection = withSteps ? ActionRow.selectionWithSteps : ActionRow.selection
            let row = try file.connection.prepare("\(selection) WHERE seq BETWEEN ? AND ? ORDER BY seq")
            try row.bind(range.lowerBound, at: 1)
            try row.bind(range.upperBound, at: 2)
            return Entries(
                file,
                row,
                extent.tail,
                upTo: extent.lastAction,
                in: range,
                withSteps: withSteps,
                holdsNothing: ending == .open(live: true)
            )
        }
    }

    /// A walk through a recording. Costs a row at a time.
    public struct Entries: ~Copyable {
        private let file: ReadableFile
        private let row: Statement
        private let withSteps: Bool
        /// Whether nothing is held between two rows: while a reader holds it, a recorder's `-wal` only grows.
        private let holdsNothing: Bool
        private let tail: Tail
        private var rest: ArraySlice<ActionRecord>
        private var lastStored = 0
        /// The last action in the file that is in the range, when the recording was looked at.
        private let lastKnown: Int
        private var isAtEnd = false

        init(
            _ file: ReadableFile,
            _ row: consuming Statement,
            _ tail: Tail,
            upTo last: Int,
            in range: ClosedRange<Int>,
            withSteps: Bool,
            holdsNothing: Bool
        ) {
            self.file = file
            self.row = row
            self.tail = tail
            self.withSteps = withSteps
            self.holdsNothing = holdsNothing
            rest = tail.actions.filter { range.contains($0.seq) }[...]
            lastKnown = min(range.upperBound, last - tail.actions.count)
        }

        /// The next action and its steps; `nil` after the last.
        ///
        /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
        public mutating func next() throws -> (action: ActionRecord, steps: [StepRecord])? {
            do {
                // A recorder may have written meanwhile what was its journal's alone.
                while let next = rest.first, next.seq <= lastStored { rest.removeFirst() }
                guard try !isAtEnd && row.step() else {
                    if !isAtEnd, lastStored < lastKnown { throw missing(lastStored + 1) }
                    isAtEnd = true
                    return rest.popFirst().map { (tail.adopted($0), []) }
                }
                let action = try ActionRow.read(row, file)
                // In a damaged file, SQLite may leave some out and come back to others.
                guard action.seq > lastStored else { throw disorder(action.seq) }
                if lastStored > 0, action.seq > lastStored + 1 { throw missing(lastStored + 1) }
                lastStored = action.seq
                let steps = withSteps ? try ActionRow.readSteps(row, file) : []
                if holdsNothing {
                    row.reset()
                    try row.bind(lastStored + 1, at: 1)
                }
                return (tail.adopted(action), steps)
            } catch let error as SQLiteError {
                throw Reports(path: file.path).failure(error)
            }
        }

        private func disorder(_ seq: Int) -> RecordingError {
            file.damaged("its actions are not in their order", seq: seq)
        }

        private func missing(_ seq: Int) -> RecordingError { file.damaged("it is missing", seq: seq) }
    }
}
