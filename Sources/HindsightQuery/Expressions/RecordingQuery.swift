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
/// `value(position, path)` is the value at a path, as in ``RecordingExpression``; NULL if the state is not known.
/// `position(seq, reducer)` is the text of a position; the reducer is a number, a name, or NULL. `json_each` and
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

    private let sql: String
    private let file: ReadableFile
    private let statement: Statement
    private let states: States
    private var isDone = false

    /// Reads states for the function `value`.
    fileprivate final class States {
        let recording: Recording
        var cursor: StateCursor?
        var unknownCount = 0
        var failure: (any Error)?

        init(_ recording: Recording) { self.recording = recording }
    }

    /// Compiles a query.
    ///
    /// - Parameter longest: The longest time that the query may take, from now on.
    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged` or `unreadable`.
    public init(_ sql: String, of recording: Recording, longest: Duration = .seconds(60)) throws {
        self.sql = sql
        journalOnlyCount = recording.actionCount - recording.lastStored
        let states = States(recording)
        self.states = states
        let file = try ReadableFile(path: recording.url.path)
        self.file = file
        let connection = file.connection
        do {
            try connection.prepareTableFunctions()
            try connection.refuseTextInDoubleQuotes()
            try connection.execute("PRAGMA query_only = OFF")
            let hasThreads = try connection.fault(ofReading: ThreadTable.table) == nil
            for view in QueryViews.all(after: recording.start.seq, hasThreads: hasThreads) { try connection.execute(view) }
            try connection.execute("PRAGMA query_only = ON")
            try Self.define(states, on: connection)
            connection.limitValues(toBytes: 100_000_000, depth: 200)
            connection.limitAllWork(to: longest)
            connection.authorize { AllowedSQL.isAllowedInQuery($0, views: QueryViews.names) }
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
            throw Self.mistake(error, in: sql)
        }
    }

    private static let isSeveral = "not one statement"

    private static func mistake(_ error: SQLiteError, in sql: String) -> ExpressionError {
        SQLMistake.error(
            error,
            in: sql,
            at: error.offset,
            columns: QueryViews.columns,
            tables: QueryViews.names.sorted() + AllowedSQL.tableFunctions.sorted()
        )
    }

    /// Returns the next row; `nil` after the last.
    ///
    /// - Throws: An ``ExpressionError`` with the code `failed`, or a `RecordingError` with the code `damaged` or
    ///   `unreadable`.
    public func next() throws -> [Value]? {
        guard !isDone else { return nil }
        do {
            guard try statement.step() else {
                isDone = true
                return nil
            }
        } catch {
            isDone = true
            if let failure = states.failure { throw failure }
            throw Self.mistake(error, in: sql)
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
            guard let seq = arguments.integer(0).flatMap({ Int(exactly: $0) }), seq >= 0 else { return .null }
            switch arguments[1] {
            case .null: return .text("\(seq)")
            case .integer(let number): return .text("\(seq).\(number)")
            case let name:
                let index = states.recording.reducers.firstIndex { name.text?.utf8.elementsEqual($0.utf8) ?? false }
                return index.map { .text("\(seq).\($0 + 1)") } ?? .null
            }
        }
    }
}

extension RecordingQuery.States {
    fileprivate func value(_ position: SQLValue, _ path: SQLValue) throws -> SQLValue {
        if position == .null || path == .null { return .null }
        guard let text = path.text, let path = NodePath(text) else {
            throw ExpressionError(
                .badPath,
                in: "",
                at: nil,
                "The second argument of value is a path such as '/cart/total', but was \(path)."
            )
        }
        let name: String
        switch position {
        case .integer(let seq): name = "\(seq)"
        case .text(let text), .marked(let text, _): name = text
        case .real, .blob, .null: return .null
        }
        let place = try recording.position(name, knownOnly: false)
        guard recording.absence(at: place) == nil else {
            unknownCount += 1
            return .null
        }
        guard let cursor else {
            let cursor = try StateCursor(on: recording, at: place)
            self.cursor = cursor
            return SQLValue(cursor.state[path])
        }
        if cursor.position != place { try cursor.move(to: place) }
        return SQLValue(cursor.state[path])
    }
}
