import HindsightFormat
import HindsightRecording
import HindsightSQLite
import HindsightTree

/// A `SELECT` over the documented views of a recording.
///
/// ```swift
/// let query = try RecordingQuery("SELECT position, type FROM history WHERE duration > 1000000", of: recording)
/// while let row = try query.next() { print(row) }
/// ```
///
/// | view | columns |
/// |---|---|
/// | `history` | a row an action: `position`, `seq`, `parent`, `type`, `payload`, `at` (ns since 1970), `time` (UTC), `duration` (ns), `origin`, `problem`, `thread` (its number: 1 is the main thread; NULL if it is not known), `task` (its name), `changes` (how many; NULL if they are not known), `paths` (of the changes, with commas) |
/// | `steps` | a row a reducer of an action: `position`, `seq`, `reducer` (its number; 0 for time travel), `name`, `duration`, `changes` |
/// | `changes` | a row an operation: `position`, `seq`, `reducer` and `name` (NULL for a run of actions without states), `op`, `path`, `at` (index or offset), `old`, `new` (values as in ``RecordingExpression``) |
/// | `reducers` | `reducer`, `name` |
/// | `notes` | `position`, `seq`, `reducer`, `name`, `text` |
///
/// The file of a recording has views of the same names and columns, for SQLite's own tools, whose `old` and `new` are
/// JSON text.
///
/// A path such as `/cart/total` is the value there after the row's `position`, `old(/cart/total)` the value before it, and
/// `changed(/cart)` says whether the two differ, as in ``RecordingExpression``. For another position, write
/// `value(position, '/cart/total')`, and `old` and `changed` alike. All are NULL if the state is not known, or the value is
/// redacted. An array or object has null in place of redacted values in it. The columns `payload`, `old` and `new` have
/// the placeholders that are recorded.
/// `position(seq, reducer)` is the text of a position; the reducer is a number (0 stands for the position before the first
/// one), a name, or NULL, and one that the recording does not have fails. `json_each` and
/// `json_tree` are available, and SQLite's functions that only read. Actions that are only in the journal of a recording
/// are in no view.
package final class RecordingQuery {
    /// A value in a row. It has no mark.
    package typealias Value = SQLValue

    /// The names of the columns.
    package let columns: [String]
    /// The number of actions that are only in the journal, and so in no view.
    package let journalOnlyCount: Int
    /// How often `value` was asked for a state that was not recorded.
    package var unknownCount: Int { states.unknownCount }
    /// How often `value` was asked for a doubtful state.
    package var doubtfulCount: Int { states.doubtfulCount }
    /// How often a value was a number that SQLite holds only as a text.
    package var longNumberCount: Int { states.longNumberCount }
    /// How often `value` was asked for a redacted value, or one with redacted values in it.
    package var redactedCount: Int { states.redactedCount }

    private let text: String
    private let tokens: [ExpressionToken]
    private let file: ReadableFile
    private let statement: Statement
    private let states: States
    /// When the query must have ended.
    private let end: ContinuousClock.Instant
    private var isDone = false
    /// Whether a row had something other than NULL and 0, which are what aggregates of no rows give.
    private var hasValues = false

    /// Reads states for the function `value`.
    final class States {
        let recording: Recording
        let states: LazyStateCursor
        let statesBefore: LazyStateCursor
        /// The paths that were asked for, and whether there was ever a value.
        var paths: [NodePath: Bool] = [:]
        let hidden: HiddenValues
        var unknownCount = 0
        var doubtfulCount = 0
        var redactedCount = 0
        var longNumberCount = 0
        var failure: (any Error)?
        /// What to write in place of a call with a path that is not quoted.
        var quotedCall: String?
        /// What the authorizer has refused.
        var refused: SQLUse?

        init(_ recording: Recording) throws(RecordingError) {
            self.recording = recording
            (states, statesBefore) = (LazyStateCursor(on: recording), LazyStateCursor(on: recording))
            hidden = try HiddenValues(of: recording)
        }
    }

    /// Compiles a query.
    ///
    /// - Parameter longest: The longest time that the query may take, from now on, with all that happens between its rows.
    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged` or `unreadable`.
    package init(_ text: String, of recording: Recording, longest: Duration = .seconds(60)) throws {
        self.text = text
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
            for view in QueryViews.all(after: recording.start.seq, under: secret) {
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
        tokens = try ExpressionTokenizer.tokens(of: text, isStatement: true)
        try Self.checkNumbers(in: text, tokens)
        states.quotedCall = tokens.quotedCall
        let translated = Translation(text, tokens)
        do {
            guard let statement = try connection.prepareOne(translated.sql), statement.isReadOnly else {
                let reason = "sql runs one SELECT, and this is none, or several."
                throw ExpressionError(.statement, in: text, reason)
            }
            var names: [String] = []
            for index in 0..<statement.columnCount { names.append(translated.name(statement.name(Int32(index)))) }
            columns = names
            self.statement = statement
        } catch let error as SQLiteError {
            throw SQLMistake.error(
                error,
                in: text,
                tokens,
                at: error.offset.map(translated.offset),
                isQuery: true,
                refusing: states.refused
            )
        }
    }

    /// Checks that SQLite rounds no number of the statement.
    private static func checkNumbers(in text: String, _ tokens: [ExpressionToken]) throws(ExpressionError) {
        guard let index = tokens.indices.first(where: tokens.isRounded) else { return }
        let number = tokens[index]
        throw ExpressionError(
            .syntax,
            in: text,
            at: number.offset,
            "SQLite rounds this number here.",
            suggestion:
                "A number of a state that is as long is a text, '\(number.text)', and find compares it exactly. To round "
                + "it: cast(\(number.text) AS REAL)"
        )
    }

    /// A statement with calls in place of pointers.
    private struct Translation {
        /// What was replaced: where it begins in the statement, its text, and the call.
        private var calls: [(offset: Int, text: String, call: String)] = []
        private(set) var sql = ""

        init(_ text: String, _ tokens: [ExpressionToken]) {
            let bytes = Array(text.utf8)
            var (index, at) = (0, 0)
            while index < tokens.count {
                let token = tokens[index]
                let argument = tokens.pathArgument(ofCallAt: index)
                let last = argument == nil ? token : tokens[index + 3]
                index += argument == nil ? 1 : 4
                guard argument != nil || token.kind == .pointer else { continue }
                let path = argument ?? token
                let quoted = path.kind == .pointer ? "'\(path.text)'" : path.text
                // In quotes, the name is none with a keyword directly before it, as in SELECT/items.
                let call = "\"\(argument == nil ? "value" : token.text)\"(position, \(quoted))"
                let end = last.offset + last.text.utf8.count
                let replaced = String(decoding: bytes[token.offset..<end], as: UTF8.self)
                sql += String(decoding: bytes[at..<token.offset], as: UTF8.self)
                calls.append((sql.utf8.count, replaced, call))
                sql += call
                at = end
            }
            sql += String(decoding: bytes[at...], as: UTF8.self)
        }

        /// Where a byte of the SQL comes from in the statement.
        func offset(ofSQL offset: Int) -> Int {
            var shift = 0
            for (start, text, call) in calls where start < offset {
                if offset < start + call.utf8.count { return start - shift }
                shift += call.utf8.count - text.utf8.count
            }
            return offset - shift
        }

        /// The name of a column, as it was given.
        func name(_ column: String) -> String {
            calls.reduce(column) { $0.replacing($1.call, with: $1.text) }
        }
    }

    /// Returns the next row; `nil` after the last.
    ///
    /// - Throws: An ``ExpressionError`` with the code `failed`, or a `RecordingError` with the code `damaged` or
    ///   `unreadable`.
    package func next() throws -> [Value]? {
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
            // The file, and not the statement, is to blame.
            if [.corrupt, .notADatabase, .inputOutput].contains(error.code) {
                throw RecordingError(error, reading: file.path)
            }
            throw SQLMistake.error(error, in: text, tokens, at: nil, isQuery: true)
        }
        let row = columns.indices.map { statement.value(Int32($0)) }
        hasValues = hasValues || row.contains { ![.null, .integer(0), .real(0)].contains($0) }
        return row
    }

    /// Fails if the time is up. ``next()`` does so, too.
    ///
    /// Call it during long work with a row, such as printing it.
    ///
    /// - Throws: An ``ExpressionError`` with the code `failed`.
    package func checkTime() throws(ExpressionError) {
        guard ContinuousClock.now > end else { return }
        isDone = true
        throw SQLMistake.tookTooLong(text)
    }

    /// What the query names that the recording does not have, after all rows were read: paths; and if there were no
    /// rows, or only 0 and NULL in them, the texts with which it compares columns, too.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func unknownNames() throws(RecordingError) -> UnknownNames {
        let missing = states.paths.filter { !$0.value }.map(\.key).sorted { $0.description < $1.description }
        let tokens = hasValues ? [] : tokens
        return try states.recording.unknownNames(in: tokens, paths: missing, isStatement: true, by: nil)
    }

    /// What its comparisons with literals of another kind mean, after all rows were read, as sentences. SQLite sorts
    /// all texts after all numbers, and a number never equals a text.
    package var remarksOnComparisons: [String] {
        let comparisons = tokens.literalComparisons
        func compares(_ column: String, with kind: ExpressionToken.Kind) -> LiteralComparison? {
            comparisons.first { one in one.compares(column) && one.literals.contains { $0.last?.kind == kind } }
        }
        var remarks: [String] = []
        if compares("position", with: .number) != nil {
            remarks.append(
                "The column position of the views is a text such as '3.2', and SQLite sorts all texts after all "
                    + "numbers. Compare seq."
            )
        }
        for column in ["old", "new"] where !tokens.contains(where: { $0.isWord(["typeof"]) }) {
            guard let one = compares(column, with: .number), !one.asksForEquality else { continue }
            remarks.append(
                "The column \(column) of the view changes may be a text, and SQLite sorts all texts after all numbers. "
                    + "For numbers only, add: typeof(\(column)) <> 'text'"
            )
        }
        guard !hasValues else { return remarks }
        if comparisons.contains(where: { $0.relation.kind == .symbol && $0.literals[0].last?.isWord(["null"]) == true })
        {
            remarks.append("A comparison with NULL is never true. Write “is null” or “is not null”.")
        }
        for column in ["reducer", "seq", "at", "duration", "thread", "parent"] {
            guard let text = compares(column, with: .string)?.literals.first?.last?.text else { continue }
            let advice = column == "reducer" ? " A reducer's name is in the column name." : ""
            remarks.append("The column \(column) of the views is a number, and \(text) is a text.\(advice)")
        }
        return remarks
    }
}
