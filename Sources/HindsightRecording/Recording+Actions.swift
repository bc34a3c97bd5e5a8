import HindsightSQLite
import HindsightTree

extension Recording {
    /// One action.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange` where there is no such action, `damaged` or `unreadable`.
    public func action(_ seq: Int) throws -> ActionRecord {
        try file.reading(seq: seq) {
            guard let action = try read(file.selectAction, seq) else {
                if seq >= 1 && seq <= actionCount { throw file.damaged("it is missing", seq: seq) }
                throw outOfRange("\(seq)", reason: "there is no such action")
            }
            return action
        }
    }

    private func read(_ row: borrowing Statement, _ seq: Int) throws -> ActionRecord? {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        return try row.step() ? ActionRow.read(row, file) : nil
    }

    /// What each reducer did in one action, in their order.
    ///
    /// Empty where the action never finished.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func steps(of seq: Int) throws -> [StepRecord] {
        try file.reading(seq: seq) { try readSteps(file.selectSteps, seq) }
    }

    private func readSteps(_ row: borrowing Statement, _ seq: Int) throws -> [StepRecord] {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        var steps: [StepRecord] = []
        while try row.step() { steps.append(try StepRow.read(row, file).step) }
        return steps
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
            let order = "WHERE seq BETWEEN \(range.lowerBound) AND \(range.upperBound) ORDER BY seq"
            return Entries(
                file,
                actions: try file.connection.prepare("\(ActionRow.selection) \(order)"),
                steps: try file.connection.prepare("\(StepRow.selection) \(order), reducer"),
                withSteps: withSteps
            )
        }
    }

    /// A walk through a recording. Costs a row at a time.
    public struct Entries: ~Copyable {
        private let file: ReadableFile
        private let actionRow: Statement
        private let stepRow: Statement
        private let withSteps: Bool
        /// A step that was read and belongs to a later action.
        private var pending: (seq: Int, step: StepRecord)?

        init(_ file: ReadableFile, actions: consuming Statement, steps: consuming Statement, withSteps: Bool) {
            self.file = file
            actionRow = actions
            stepRow = steps
            self.withSteps = withSteps
        }

        /// The next action and its steps; `nil` after the last.
        ///
        /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
        public mutating func next() throws -> (action: ActionRecord, steps: [StepRecord])? {
            let file = file
            do {
                guard try actionRow.step() else { return nil }
                let action = try ActionRow.read(actionRow, file)
                return (action, withSteps ? try steps(of: action.seq) : [])
            } catch let error as SQLiteError {
                throw Reports(path: file.path).failure(error)
            }
        }

        private mutating func steps(of seq: Int) throws -> [StepRecord] {
            var steps: [StepRecord] = []
            while true {
                if let (stepSeq, step) = pending {
                    if stepSeq > seq { return steps }
                    // Steps of an action that is missing are passed over.
                    if stepSeq == seq { steps.append(step) }
                }
                guard try stepRow.step() else {
                    pending = nil
                    return steps
                }
                pending = try StepRow.read(stepRow, file)
            }
        }
    }
}
