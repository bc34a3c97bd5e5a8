import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Reads actions one at a time, in order or not, and of each only the values that are asked for.
///
/// Reading the next action costs much less than another, and less than ``Recording/entries(in:withSteps:)``, which
/// parses everything.
package final class ActionRows {
    /// A column that may be asked for.
    package enum Column: String, CaseIterable, Sendable {
        case type, payload, at, duration, file, line, steps
    }

    private let recording: Recording
    private let row: Statement
    /// The number of the present action; `nil` before the first.
    private var seq: Int?
    /// The last action that the statement reads before it is bound again.
    private var lastBound = -1
    /// The present action, if only the journal has it.
    private var journalOnly: RecordedAction?

    /// The number of rows to read before the file is released, so that a recorder's `-wal` does not grow meanwhile.
    private static let rowsAtOnce = 4096

    /// - Parameter columns: The columns that will be asked for. The others seem to be null.
    package init(of recording: Recording, reading columns: Set<Column>) throws(RecordingError) {
        self.recording = recording
        let selected = Column.allCases.map { columns.contains($0) ? $0.rawValue : "NULL" }.joined(separator: ", ")
        let sql = "SELECT seq, \(selected) FROM action WHERE seq BETWEEN ? AND ? ORDER BY seq"
        row = try recording.file.reading { try recording.file.connection.prepare(sql) }
    }

    /// Moves to an action.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, or `positionOutOfRange` if there is none.
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

    // MARK: The present action

    /// The action's short name.
    package func type() throws(RecordingError) -> String {
        if let journalOnly { return journalOnly.type }
        return try recording.file.reading(seq: seq) {
            guard row.isInteger(1) else { return try row.text(1) }
            return try recording.names.text(try row.integer(1), StrictPolicy.self)
        }
    }

    /// The JSON text of the action; `nil` if it has none.
    package func payload() throws(RecordingError) -> String? {
        if let journalOnly { return journalOnly.payload?.json }
        return try recording.file.reading(seq: seq) { try row.optionalText(2) }
    }

    /// When the action reached the reducers, in nanoseconds since 1970.
    package func at() throws(RecordingError) -> Int64 {
        if let journalOnly { return journalOnly.nanosecondsSinceEpoch }
        return try recording.file.reading(seq: seq) { try row.integer(3) }
    }

    /// How long all its reducers took, in nanoseconds; `nil` if they did not finish.
    package func duration() throws(RecordingError) -> Int64? {
        if let journalOnly { return journalOnly.durationInNanoseconds }
        return try recording.file.reading(seq: seq) { try row.optionalInteger(4) }
    }

    /// Where the action was dispatched, as `file:line`; `nil` if that was not recorded.
    package func origin() throws(RecordingError) -> String? {
        if let journalOnly { return journalOnly.origin }
        return try recording.file.reading(seq: seq) {
            guard !row.isNull(5), !row.isNull(6) else { return nil }
            let file =
                row.isInteger(5)
                ? try recording.names.text(try row.integer(5), StrictPolicy.self) : try row.text(5)
            return "\(file):\(try row.integer(6))"
        }
    }

    /// The text of what the reducers did, in the form of ``TimedPatches``; `nil` if it was not recorded.
    package func withSteps<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws(RecordingError)
        -> Result?
    {
        if journalOnly != nil { return nil }
        return try recording.file.reading(seq: seq) { try row.withText(7, body) }
    }

    /// What each reducer did; empty if it was not recorded.
    package func timedPatches() throws(RecordingError) -> [TimedPatch] {
        if journalOnly != nil { return [] }
        return try recording.file.reading(seq: seq) {
            var policy = StrictPolicy(file: recording.file)
            return try policy.steps(row, 7, at: seq ?? 0).value ?? []
        }
    }
}

extension Recording {
    /// The error for a patch that does not fit the state before it.
    package func misfit(_ error: any Error, seq: Int, reducer: Int?) -> RecordingError {
        file.damaged("its patch does not fit the state: \(error)", seq: seq, reducer: reducer, cause: error)
    }
}
