import HindsightFormat
import HindsightRecording
import HindsightSQLite
import HindsightTree

/// A `SELECT` over the documented views of a recording.
///
/// ```swift
/// let query = try RecordingQuery("SELECT position, type FROM actions WHERE duration > 1000000", of: recording)
/// while let row = try query.next() { print(row) }
/// ```
///
/// | view | columns |
/// |---|---|
/// | `actions` | `position`, `seq`, `parent`, `type`, `payload`, `at` (ns since 1970), `time` (UTC), `duration` (ns), `origin`, `problem`, `thread` (its number: 1 is the main thread; NULL if it is not known), `task` (its name) |
/// | `steps` | a row a reducer of an action: `position`, `seq`, `reducer` (its number; 0 for time travel), `name`, `duration`, `changes` |
/// | `changes` | a row an operation: `position`, `seq`, `reducer` (NULL for a run of actions without states), `name`, `op`, `path`, `at` (index or offset), `old`, `new` (JSON) |
/// | `reducers` | `reducer`, `name` |
/// | `notes` | `position`, `seq`, `reducer`, `name`, `text` |
///
/// `value(position, path)` is the value at a path, as in ``RecordingExpression``; NULL if the state is not known, or the
/// value is redacted. An array or object has null in place of redacted values in it. The columns `payload`, `old` and
/// `new` have the placeholders that are recorded.
/// `position(seq, reducer)` is the text of a position; the reducer is a number, a name, or NULL, and one that the
/// recording does not have fails. `json_each` and
/// `json_tree` are available, and SQLite's functions that only read. Actions that are only in the journal of a recording
/// are in no view.
public final class RecordingQuery {
    /// A value in a row.
    public enum Value: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    /// The names of the columns.
    public let columns: [String]
    /// The number of actions that are only in the journal, and so in no view.
    public let journalOnlyCount: Int
    /// How often `value` was asked for a state that was not recorded.
    public var unknownCount: Int { states.unknownCount }
    /// How often `value` was asked for a redacted value, or one with redacted values in it.
    public var redactedCount: Int { states.redactedCount }

    private let sql: String
    private let file: ReadableFile
    private let statement: Statement
    private let states: States
    /// When the query must have ended.
    private let end: ContinuousClock.Instant
    private var isDone = false

    /// Reads states for the function `value`.
    fileprivate final class States {
        let recording: Recording
        var cursor: StateCursor?
        let hidden: HiddenValues
        var unknownCount = 0
        var redactedCount = 0
        var failure: (any Error)?
        /// What the authorizer has refused.
        var refused: SQLUse?

        init(_ recording: Recording) throws(RecordingError) {
            self.recording = recording
            hidden = try HiddenValues(of: recording)
        }
    }

    /// Compiles a query.
    ///
    /// - Parameter longest: The longest time that the query may take, from now on, with all that happens between its rows.
    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged` or `unreadable`.
    public init(_ sql: String, of recording: Recording, longest: Duration = .seconds(60)) throws {
        self.sql = sql
        end = ContinuousClock.now + longest
        journalOnlyCount = recording.actionCount - recording.lastStored
        let states = try States(recording)
        self.states = states
        let file = try ReadableFile(path: recording.url.path)
        self.file = file
        let connection = file.connection
        do {
            try connection.prepareTableFunctions()
            try connection.refuseTextInDoubleQuotes()
            try connection.execute("PRAGMA query_only = OFF")
            let secret = String(UInt64.random(in: .min ... .max), radix: 16)
            let hasThreads = try connection.fault(ofReading: ThreadTable.table) == nil
            for view in QueryViews.all(after: recording.start.seq, under: secret, hasThreads: hasThreads) {
                try connection.execute(view)
            }
            try connection.execute("PRAGMA query_only = ON")
            try Self.define(states, on: connection)
            connection.limitValues(toBytes: 100_000_000, depth: 200)
            connection.limitAllWork(to: longest)
            let sources = QueryViews.sources(under: secret)
            connection.authorize { [unowned states] use in
                if AllowedSQL.isAllowedInQuery(use, views: QueryViews.names, sources: sources) { return true }
                states.refused = use
                return false
            }
        } catch {
            throw file.damaged(error.message, cause: error)
        }
        if sql.utf8.contains(0) {
            throw ExpressionError(.syntax, in: sql, at: nil, "A NUL cannot stand in a statement.")
        }
        do throws(SQLiteError) {
            guard let statement = try connection.prepareOne(sql), statement.isReadOnly else {
                throw SQLiteError(SQLiteError.Code.denied.rawValue, Self.isSeveral, path: file.path)
            }
            var names: [String] = []
            for index in 0..<statement.columnCount { names.append(statement.name(Int32(index))) }
            columns = names
            self.statement = statement
        } catch {
            if error.message == Self.isSeveral {
                throw ExpressionError(
                    .statement,
                    in: sql,
                    at: nil,
                    "sql runs one SELECT, and this is none, or several."
                )
            }
            throw Self.mistake(error, in: sql, refusing: states.refused)
        }
    }

    private static let isSeveral = "not one statement"

    private static func mistake(_ error: SQLiteError, in sql: String, refusing use: SQLUse?) -> ExpressionError {
        SQLMistake.error(
            error,
            in: sql,
            at: error.offset,
            columns: QueryViews.columns,
            tables: QueryViews.names.sorted() + AllowedSQL.tableFunctions.sorted(),
            refusing: use
        )
    }

    /// Returns the next row; `nil` after the last.
    ///
    /// - Throws: An ``ExpressionError`` with the code `failed`, or a `RecordingError` with the code `damaged` or
    ///   `unreadable`.
    public func next() throws -> [Value]? {
        guard !isDone else { return nil }
        // SQLite looks at the time only while it works, which a short step does not.
        try checkTime()
        do {
            guard try statement.step() else {
                isDone = true
                return nil
            }
        } catch {
            isDone = true
            if let failure = states.failure { throw failure }
            throw Self.mistake(error, in: sql, refusing: nil)
        }
        return columns.indices.map { index in
            switch statement.value(Int32(index)) {
            case .null: .null
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let text), .marked(let text, _): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
        }
    }

    /// Fails if the time is up. ``next()`` does so, too.
    ///
    /// Call it during long work with a row, such as printing it.
    ///
    /// - Throws: An ``ExpressionError`` with the code `failed`.
    public func checkTime() throws(ExpressionError) {
        guard ContinuousClock.now > end else { return }
        isDone = true
        throw SQLMistake.tookTooLong(sql)
    }

    // MARK: Functions

    private static func define(_ states: States, on connection: Connection) throws(SQLiteError) {
        try connection.define("value", arguments: 2) { [unowned states] arguments in
            do {
                return try states.value(arguments[0], arguments[1])
            } catch {
                states.failure = error
                throw error
            }
        }
        try connection.define("position", arguments: 2) { [unowned states] arguments in
            do {
                return try states.position(arguments[0], arguments[1])
            } catch {
                states.failure = error
                throw error
            }
        }
    }
}

extension RecordingQuery.States {
    fileprivate func position(_ seq: SQLValue, _ reducer: SQLValue) throws(ExpressionError) -> SQLValue {
        if seq == .null { return .null }
        guard case .integer(let seq) = seq, seq >= 0 else {
            throw ExpressionError(
                .failed,
                in: "",
                at: nil,
                "The first argument of position is the number of an action, but was \(seq.inWords)."
            )
        }
        let reducers = recording.reducers
        switch reducer {
        // As in the view of steps, 0 is time travel, which is one step.
        case .null, .integer(0): return .text("\(seq)")
        case .integer(let number) where number > 0 && number <= reducers.count:
            return .text("\(seq).\(number)")
        default:
            let index = reducers.firstIndex { reducer.text?.utf8.elementsEqual($0.utf8) ?? false }
            if let index { return .text("\(seq).\(index + 1)") }
            throw ExpressionError(
                .unknownName,
                in: "",
                at: nil,
                "The second argument of position is the number or name of a reducer, but was \(reducer.inWords). "
                    + "The view reducers lists all \(reducers.count).",
                given: reducer.text,
                allowed: reducers
            )
        }
    }

    fileprivate func value(_ position: SQLValue, _ path: SQLValue) throws -> SQLValue {
        if position == .null || path == .null { return .null }
        guard let text = path.text, let path = NodePath(text) else {
            throw ExpressionError(
                .badPath,
                in: "",
                at: nil,
                "The second argument of value is a path such as '/cart/total', but was \(path.inWords).",
                suggestion: path.pathSuggestion
            )
        }
        let name: String
        switch position {
        case .integer(let seq): name = "\(seq)"
        case .text(let text): name = text
        case .real, .blob, .marked, .null:
            throw ExpressionError(
                .failed,
                in: "",
                at: nil,
                "The first argument of value is a position such as 3 or '3.2', but was \(position.inWords)."
            )
        }
        let place = try recording.position(name, knownOnly: false)
        guard recording.absence(at: place) == nil else {
            unknownCount += 1
            return .null
        }
        guard let cursor else {
            let cursor = try StateCursor(on: recording, at: place)
            self.cursor = cursor
            return known(cursor.state[path], at: path)
        }
        if cursor.position != place { try cursor.move(to: place) }
        return known(cursor.state[path], at: path)
    }

    /// What is known of a value.
    private func known(_ node: Node?, at path: NodePath) -> SQLValue {
        guard let node, hidden.extent(of: node, at: path) != .nothing else { return SQLValue(node) }
        redactedCount += 1
        return SQLValue(hidden.blanked(node, at: path))
    }
}
