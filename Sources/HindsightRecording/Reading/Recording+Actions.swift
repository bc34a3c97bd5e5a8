import HindsightFormat
import HindsightSQLite
import HindsightTree

extension Recording {
    /// One action.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange` where there is no such action, `damaged` or `unreadable`.
    public func action(_ seq: Int) throws -> ActionRecord {
        if let action = bounds.journalOnly[seq] { return action }
        if seq >= 1, seq <= dropped { throw outOfRange("\(seq)", reason: dropReason, knownOnly: false) }
        return try file.reading(seq: seq) {
            guard let action = try read(selectAction, seq) else {
                if seq >= 1 && seq <= actionCount { throw try missing(seq) }
                throw outOfRange("\(seq)", reason: "there is no such action", knownOnly: false)
            }
            return bounds.journalOnly.adopted(action)
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
    /// - Throws: A ``RecordingError``: `positionOutOfRange` where it was dropped, `damaged` or `unreadable`.
    public func steps(of seq: Int) throws -> [StepRecord] {
        if seq >= 1, seq <= dropped { throw outOfRange("\(seq)", reason: dropReason, knownOnly: false) }
        if bounds.run(of: seq) != nil { return [] }
        return try file.reading(seq: seq) { try readSteps(selectSteps, seq) }
    }

    /// What a run of actions without states changed together; `nil` if that was not recorded.
    ///
    /// - Parameter run: One of ``skipped``.
    package func changes(across run: ClosedRange<Int>) throws -> Patch? {
        try file.reading(seq: run.upperBound) { try readSteps(selectSteps, run.upperBound).first?.patch }
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
            return try Entries(self, row, in: range, withSteps: withSteps)
        }
    }
}
