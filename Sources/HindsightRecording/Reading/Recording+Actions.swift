import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

extension Recording {
    /// Returns an action.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange` if there is no such action, `damaged` or
    ///   `unreadable`.
    public func action(_ seq: Int) throws(RecordingError) -> RecordedAction {
        if let action = bounds.journalOnly[seq] { return action }
        if seq >= 1, seq <= droppedCount { throw outOfRange("\(seq)", reason: dropReason, knownOnly: false) }
        return try file.reading(seq: seq) {
            guard let action = try read(selectAction, seq) else {
                if seq >= 1 && seq <= actionCount { throw try missing(seq) }
                throw outOfRange("\(seq)", reason: "there is no such action", knownOnly: false)
            }
            return bounds.journalOnly.adopted(action)
        }
    }

    private func read(_ row: borrowing Statement, _ seq: Int) throws -> RecordedAction? {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        guard try row.step() else { return nil }
        return try file.action(row, names)
    }

    /// The thread of an action; `nil` if it is not known, or if there is no such action.
    package func thread(of seq: Int) throws(RecordingError) -> DispatchingThread? {
        if let action = bounds.journalOnly[seq] { return action.thread }
        return try file.reading(seq: seq) {
            defer { selectThread.reset() }
            try selectThread.bind(seq, at: 1)
            var policy = StrictPolicy(file: file)
            return try selectThread.step() ? names.thread(selectThread, 0, at: seq, &policy) : nil
        }
    }

    /// The threads that dispatched actions, in the order of their numbers, each with its first action and without a task.
    /// Costs a pass over the actions.
    package func dispatchingThreads() throws(RecordingError) -> [(thread: DispatchingThread, first: Int)] {
        // A row for each task of each thread.
        var found = try file.reading {
            let row = try file.connection.prepare(
                "SELECT thread, min(seq) FROM action WHERE seq > ? AND thread IS NOT NULL GROUP BY thread"
            )
            try row.bind(start.seq, at: 1)
            var policy = StrictPolicy(file: file)
            var found: [(thread: DispatchingThread, first: Int)] = []
            while try row.step() {
                let first = Int(try row.integer(1))
                if let thread = try names.thread(row, 0, at: first, &policy) { found.append((thread, first)) }
            }
            return found
        }
        for action in bounds.journalOnly.actions {
            if let thread = action.thread { found.append((thread, action.seq)) }
        }
        var threads: [Int: (thread: DispatchingThread, first: Int)] = [:]
        for (thread, first) in found where first < threads[thread.number]?.first ?? .max {
            threads[thread.number] = (DispatchingThread(number: thread.number, name: thread.name), first)
        }
        return threads.values.sorted { $0.thread.number < $1.thread.number }
    }

    /// The last action up to `seq` that a thread dispatched; `nil` if there is none. Costs a pass over the actions
    /// since.
    package func lastAction(ofThread number: Int, upTo seq: Int) throws(RecordingError) -> Int? {
        let actions = bounds.journalOnly.actions
        if let action = actions.last(where: { $0.seq <= seq && $0.thread?.number == number }) { return action.seq }
        return try file.reading(seq: seq) {
            let thread = RecordingView.text(of: "thread")
            let row = try file.connection.prepare(
                """
                SELECT seq FROM action WHERE seq > ? AND seq <= ? AND \(thread) ->> 'number' = ?
                ORDER BY seq DESC LIMIT 1
                """
            )
            try row.bind(start.seq, at: 1)
            try row.bind(seq, at: 2)
            try row.bind(number, at: 3)
            return try row.step() ? Int(row.integer(0)) : nil
        }
    }

    /// The lines that dispatched actions, in no order. Costs a pass over the actions.
    package func origins() throws(RecordingError) -> [Origin] {
        let stored = try file.reading {
            let row = try file.connection.prepare(
                "SELECT DISTINCT file, line FROM action WHERE seq > ? AND file IS NOT NULL AND line IS NOT NULL"
            )
            try row.bind(start.seq, at: 1)
            var origins: [Origin] = []
            while try row.step() {
                let file =
                    row.isInteger(0) ? try names.text(try row.integer(0), StrictPolicy.self) : try row.text(0)
                origins.append(Origin(file: file, line: Int(try row.integer(1))))
            }
            return origins
        }
        return stored + bounds.journalOnly.actions.compactMap(\.source)
    }

    /// Returns the change by each reducer in an action, in order. Empty if the action never finished, or if the states
    /// after it were not written.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange` if the action was dropped, `damaged` or
    ///   `unreadable`.
    public func steps(of seq: Int) throws(RecordingError) -> [RecordedStep] {
        guard let text = try stepsText(of: seq) else { return [] }
        return try steps(in: text)
    }

    /// The same, unparsed; `nil` if there are none.
    package func stepsText(of seq: Int) throws(RecordingError) -> StepsText? {
        if seq >= 1, seq <= droppedCount { throw outOfRange("\(seq)", reason: dropReason, knownOnly: false) }
        if bounds.run(of: seq) != nil { return nil }
        return try file.reading(seq: seq) { try readSteps(selectSteps, seq) }
    }

    /// Parses steps of this recording.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`.
    package func steps(in text: StepsText) throws(RecordingError) -> [RecordedStep] { try text.steps(in: file) }

    /// What a run of actions without states changed together; `nil` if that was not recorded.
    ///
    /// - Parameter run: One of ``skipped``.
    package func changes(across run: ClosedRange<Int>) throws(RecordingError) -> Patch? {
        let text = try file.reading(seq: run.upperBound) { try readSteps(selectSteps, run.upperBound) }
        return try text?.steps(in: file).first?.patch
    }

    private func readSteps(_ row: borrowing Statement, _ seq: Int) throws -> StepsText? {
        defer { row.reset() }
        try row.bind(seq, at: 1)
        return try row.step() ? StepsText(row, 0, seq: seq, of: file) : nil
    }

    /// Returns the actions with numbers in `range`, in order. The range may exceed the recording.
    ///
    /// All of them are in memory at once; ``entries(in:withSteps:)`` reads one at a time.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    public func actions(in range: ClosedRange<Int>) throws(RecordingError) -> [RecordedAction] {
        var actions: [RecordedAction] = []
        var entries = try entries(in: range, withSteps: false)
        while let entry = try entries.next() { actions.append(entry.action) }
        return actions
    }

    /// Returns the actions with numbers in `range` and their steps, one at a time.
    ///
    /// ```swift
    /// var entries = try recording.entries(in: 1...recording.actionCount)
    /// while let (action, steps) = try entries.next() {
    ///     print(action.seq, action.type, steps.count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - range: The numbers of the actions.
    ///   - withSteps: Whether to read the steps; otherwise they are empty.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func entries(in range: ClosedRange<Int>, withSteps: Bool = true) throws(RecordingError) -> Entries {
        try file.reading {
            let selection = Schema.action.selection(without: withSteps ? nil : "steps")
            let row = try file.connection.prepare("\(selection) WHERE seq BETWEEN ? AND ? ORDER BY seq")
            return try Entries(self, row, in: range, withSteps: withSteps)
        }
    }
}
