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
        if let action = try storedAction(seq) { return bounds.journalOnly.adopted(action) }
        if seq >= 1 && seq <= actionCount { throw try missing(seq) }
        throw outOfRange("\(seq)", reason: "there is no such action", knownOnly: false)
    }

    /// Returns an action as its row has it; `nil` if the file does not have it.
    func storedAction(_ seq: Int) throws(RecordingError) -> RecordedAction? {
        try withRow(of: seq) { try file.action($0, names) }
    }

    /// The thread of an action; `nil` if it is not known, or if there is no such action.
    package func thread(of seq: Int) throws(RecordingError) -> DispatchingThread? {
        if let action = bounds.journalOnly[seq] { return action.thread }
        return try withRow(of: seq) { row in
            var policy = StrictPolicy(file: file)
            return try Optional(names).thread(row, ActionCursor.Column.thread.rawValue, at: seq, &policy)
        }
    }

    /// The threads that dispatched actions, in the order of their numbers, each with its first action and without a task.
    /// Costs a pass over the actions.
    package func dispatchingThreads() throws(RecordingError) -> [(thread: DispatchingThread, first: Int)] {
        let cursor = try ActionCursor(of: self, reading: [.thread])
        var threads: [Int: (thread: DispatchingThread, first: Int)] = [:]
        try cursor.forEach { seq in
            guard let thread = try cursor.thread(), threads[thread.number] == nil else { return }
            threads[thread.number] = (DispatchingThread(number: thread.number, name: thread.name), seq)
        }
        return threads.values.sorted { $0.thread.number < $1.thread.number }
    }

    /// The last action up to `seq` that a thread dispatched; `nil` if there is none. Costs a pass over the actions
    /// since.
    package func lastAction(ofThread number: Int, upTo seq: Int) throws(RecordingError) -> Int? {
        let cursor = try ActionCursor(of: self, reading: [.thread])
        for seq in (start.seq + 1..<max(start.seq, min(seq, actionCount)) + 1).reversed() {
            try cursor.move(to: seq)
            if try cursor.thread()?.number == number { return seq }
        }
        return nil
    }

    /// The lines that dispatched actions, in no order. Costs a pass over the actions.
    package func origins() throws(RecordingError) -> Set<Origin> {
        let cursor = try ActionCursor(of: self, reading: [.file, .line])
        var origins: Set<Origin> = []
        try cursor.forEach { _ in
            if let origin = try cursor.origin() { origins.insert(origin) }
        }
        return origins
    }

    /// Returns the actions in a range whose parent is a given action, in order.
    ///
    /// Costs a pass over the range, which reads neither payloads nor steps.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func children(of parent: Int, in range: ClosedRange<Int>) throws(RecordingError) -> [Int] {
        let cursor = try ActionCursor(of: self, reading: [.parent])
        var children: [Int] = []
        try cursor.forEach(in: range) { seq in
            if try cursor.parent() == parent { children.append(seq) }
        }
        return children
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
        return try stepsText(stored: seq)
    }

    /// Parses steps of this recording.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`.
    package func steps(in text: StepsText) throws(RecordingError) -> [RecordedStep] { try text.steps(in: file) }

    /// What a run of actions without states changed together; `nil` if that was not recorded.
    ///
    /// - Parameter run: One of ``skipped``.
    package func changes(across run: ClosedRange<Int>) throws(RecordingError) -> Patch? {
        try stepsText(stored: run.upperBound)?.steps(in: file).first?.patch
    }

    private func stepsText(stored seq: Int) throws(RecordingError) -> StepsText? {
        try withRow(of: seq) { try StepsText($0, Schema.stepsColumn, seq: seq, of: file) }
    }

    /// The text of the steps as it is stored; `nil` if there is none.
    func storedSteps(of seq: Int) throws(RecordingError) -> String? {
        try withRow(of: seq) { try $0.optionalText(Schema.stepsColumn) }
    }

    /// The stored steps of an action; empty if there are none. The last action of a run of ``skipped`` stores what the
    /// whole run changed.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func timedPatches(of seq: Int) throws(RecordingError) -> [TimedPatch] {
        try withRow(of: seq) { row in
            var policy = StrictPolicy(file: file)
            return try policy.steps(row, Schema.stepsColumn, at: seq).value
        } ?? []
    }

    /// Whether the recording has states: whether a store was attached to its recorder.
    package var hasStates: Bool { bounds.hasKeyframe }

    /// The runs of ``skipped`` up to ``end`` whose changes were not recorded. A keyframe follows each.
    package var gaps: [ClosedRange<Int>] { bounds.gaps.filter { $0.upperBound <= end.seq } }

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
        try Entries(self, in: range, withSteps: withSteps)
    }

    /// Calls `body` with each action after one, in order. Does not read their steps.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, and the errors of `body`.
    package func forEachAction(after seq: Int, _ body: (RecordedAction) throws -> Void) throws {
        guard seq < actionCount else { return }
        var entries = try entries(in: seq + 1...actionCount, withSteps: false)
        while let entry = try entries.next() { try body(entry.action) }
    }
}
