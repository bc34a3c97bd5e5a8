import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

/// Reads actions one at a time, in order or not, and of each only the columns that are wanted.
///
/// ```swift
/// let cursor = try ActionCursor(of: recording, reading: [.type])
/// try cursor.move(to: 7)
/// print(try cursor.type())
/// ```
///
/// Moving to the next action costs much less than to another one.
package final class ActionCursor {
    /// A column of the table `action`, by its number in `Schema.action`.
    package enum Column: Int32, CaseIterable, Sendable {
        case parent = 1, type, payload, at, duration, file, line, thread, problem, steps
    }

    private let recording: Recording
    private let row: Statement
    /// The number of the present action; `nil` if there is none.
    private var seq: Int?
    /// The last action that the statement reads before it is bound again.
    private var lastBound = -1
    /// The present action, if only the journal has it.
    private var journalOnly: RecordedAction?

    /// The number of rows to read before the file is released, so that a recorder's `-wal` does not grow meanwhile.
    private static let rowsAtOnce = 4096

    /// - Parameter columns: The columns that are wanted. The others seem to be null.
    package init(
        of recording: Recording,
        reading columns: Set<Column> = Set(Column.allCases)
    ) throws(RecordingError) {
        self.recording = recording
        let names = columns.map { Schema.action.columns[Int($0.rawValue)] }
        let sql = "\(Schema.action.selection(of: ["seq"] + names)) WHERE seq BETWEEN ? AND ? ORDER BY seq"
        row = try recording.file.reading { try recording.file.connection.prepare(sql) }
    }

    /// Moves to an action.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; or `positionOutOfRange` if there is none,
    ///   or if a recorder has dropped it meanwhile.
    package func move(to target: Int) throws(RecordingError) {
        guard target != seq else { return }
        if target > recording.lastStored {
            (seq, journalOnly) = (target, try recording.action(target))
            return
        }
        journalOnly = nil
        try recording.file.reading(seq: target) {
            if seq != target - 1 || target > lastBound {
                row.reset()
                lastBound = min(recording.lastStored, target + Self.rowsAtOnce - 1)
                try row.bind(target, at: 1)
                try row.bind(lastBound, at: 2)
            }
            seq = nil
            guard try row.step() else { throw try recording.missing(target) }
            let found = Int(try row.integer(0))
            guard found == target else {
                throw found < target
                    ? recording.file.damaged("its actions are not in their order", seq: found)
                    : try recording.missing(target)
            }
        }
        seq = target
    }

    /// Moves to each action of a range, in order, and calls `body` with its number.
    ///
    /// - Parameter range: The numbers of the actions; `nil` for all. It may exceed the recording.
    /// - Throws: The errors of ``move(to:)``; or the error of `body`, as the cause of an error `unreadable`.
    package func forEach(
        in range: ClosedRange<Int>? = nil,
        _ body: (_ seq: Int) throws -> Void
    ) throws(RecordingError) {
        let first = max(range?.lowerBound ?? 1, recording.start.seq + 1)
        let last = min(range?.upperBound ?? .max, recording.actionCount)
        guard first <= last else { return }
        try recording.file.reading {
            for seq in first...last {
                try move(to: seq)
                try body(seq)
            }
        }
        release()
    }

    /// Leaves the present action, and releases the file: a reader's open snapshot makes a recorder's `-wal` grow, and
    /// prevents a recovery from emptying it.
    package func release() {
        row.reset()
        (seq, journalOnly) = (nil, nil)
    }

    // MARK: The present action

    /// The action. All columns but the steps must be wanted.
    package func action() throws(RecordingError) -> RecordedAction {
        if let journalOnly { return journalOnly }
        let action = try read { try recording.file.action($0, recording.names) }
        return recording.bounds.journalOnly.adopted(action)
    }

    package func parent() throws(RecordingError) -> Int? {
        if let journalOnly { return journalOnly.parent }
        let stored = try read { try $0.optionalInteger(Column.parent.rawValue).map { Int($0) } }
        return seq.flatMap { recording.bounds.journalOnly.parents[$0] } ?? stored
    }

    /// The action's short name.
    package func type() throws(RecordingError) -> String {
        if let journalOnly { return journalOnly.type }
        return try read { try text(of: .type, $0) }
    }

    /// The JSON text of the action; `nil` if it has none.
    package func payload() throws(RecordingError) -> String? {
        if let journalOnly { return journalOnly.payload?.json }
        return try read { try $0.optionalText(Column.payload.rawValue) }
    }

    /// The same, without a copy if the action is in the file.
    @discardableResult
    package func withPayload<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws(RecordingError)
        -> Result?
    {
        try read { row in
            guard let journalOnly else { return try row.withText(Column.payload.rawValue, body) }
            guard let payload = journalOnly.payload else { return nil }
            return try Array(payload.json.utf8).withUnsafeBufferPointer(body)
        }
    }

    /// When the action reached the reducers, in nanoseconds since 1970.
    package func at() throws(RecordingError) -> Int64 {
        if let journalOnly { return journalOnly.nanosecondsSinceEpoch }
        return try read { try $0.integer(Column.at.rawValue) }
    }

    /// How long all its reducers took, in nanoseconds; `nil` if they did not finish.
    package func duration() throws(RecordingError) -> Int64? {
        if let journalOnly { return journalOnly.durationInNanoseconds }
        return try read { try $0.optionalInteger(Column.duration.rawValue) }
    }

    /// Where the action was dispatched; `nil` if that was not recorded.
    package func origin() throws(RecordingError) -> Origin? {
        if let journalOnly { return journalOnly.source }
        return try read { row in
            guard !row.isNull(Column.file.rawValue), !row.isNull(Column.line.rawValue) else { return nil }
            return Origin(file: try text(of: .file, row), line: Int(try row.integer(Column.line.rawValue)))
        }
    }

    /// The thread and the task that dispatched the action; `nil` if they are not known.
    package func thread() throws(RecordingError) -> DispatchingThread? {
        if let journalOnly { return journalOnly.thread }
        return try read { row in
            var policy = StrictPolicy(file: recording.file)
            return try Optional(recording.names).thread(row, Column.thread.rawValue, at: seq ?? 0, &policy)
        }
    }

    /// Why the action cannot be replayed: see ``RecordedAction/problem``; `nil` if it can.
    func problem() throws(RecordingError) -> String? {
        if let journalOnly { return journalOnly.problem }
        return try read { try $0.optionalText(Column.problem.rawValue) }
    }

    /// The text of what the reducers did, in the form of ``TimedPatches``; `nil` if it was not recorded. The last
    /// action of a run of ``Recording/skipped`` has what the whole run changed, as one entry.
    @discardableResult
    package func withSteps<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws(RecordingError)
        -> Result?
    {
        if journalOnly != nil { return nil }
        return try read { try $0.withText(Column.steps.rawValue, body) }
    }

    /// What each reducer did; empty if it was not recorded.
    package func timedPatches() throws(RecordingError) -> [TimedPatch] { try storedPatches() ?? [] }

    /// What each reducer did; `nil` if it was not recorded.
    func steps() throws(RecordingError) -> [RecordedStep]? { try storedPatches().map(RecordedStep.steps) }

    private func storedPatches() throws(RecordingError) -> [TimedPatch]? {
        if journalOnly != nil { return nil }
        return try read { row in
            var policy = StrictPolicy(file: recording.file)
            return try policy.steps(row, Column.steps.rawValue, at: seq ?? 0).value
        }
    }

    /// What each reducer did, unparsed; `nil` if there is nothing, or if it is that of a whole run.
    func stepsText() throws(RecordingError) -> StepsText? {
        guard journalOnly == nil, let seq, recording.bounds.run(of: seq) == nil else { return nil }
        return try read { try StepsText($0, Column.steps.rawValue, seq: seq, of: recording.file) }
    }

    private func read<Result>(_ body: (borrowing Statement) throws -> Result) throws(RecordingError) -> Result {
        try recording.file.reading(seq: seq) { try body(row) }
    }

    private func text(of column: Column, _ row: borrowing Statement) throws -> String {
        guard row.isInteger(column.rawValue) else { return try row.text(column.rawValue) }
        return try recording.names.text(try row.integer(column.rawValue), StrictPolicy.self)
    }
}

extension Recording {
    /// The error for a patch that does not fit the state before it.
    package func patchFailure(_ error: any Error, seq: Int, reducer: Int?) -> RecordingError {
        damaged("its patch does not fit the state: \(error)", seq: seq, reducer: reducer, cause: error)
    }

    /// The error for steps that no recorder writes.
    package func damaged(
        _ reason: String? = nil,
        seq: Int?,
        reducer: Int? = nil,
        cause: (any Error)? = nil
    ) -> RecordingError {
        RecordingError(.damaged, file: file.path, seq: seq, reducer: reducer, reason: reason, cause: cause)
    }
}
