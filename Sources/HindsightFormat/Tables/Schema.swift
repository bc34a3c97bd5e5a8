import HindsightSQLite

/// The schema of a recording's database, formats 1 to 4.
///
/// A file says format 1 if it has everything that was recorded; every version can read it. Each later format marks
/// something that an older version would misread, so that it refuses the file:
///
/// - Format 2: something is missing or hidden. The recorder left out states, a limit dropped actions, values were
///   redacted, or the recording was salvaged.
/// - Format 3: some states are doubtful, because a keyframe differs from the result of the changes before it.
/// - Format 4: the last action of a run without states has the changes of the whole run; see ``SkippedTable``.
///
/// The table `thread` needs no format of its own, because versions that do not know it pass over it: see ``ThreadTable``.
///
/// The views `history` and `changes` are stable, for users of `sqlite3`. The tables may change with the format. The
/// view `read_me` says whether the file is complete, because `sqlite3` does not read the journal.
package enum Schema {
    /// Marks an SQLite database as a recording: "HSGT".
    package static let applicationID = 0x4853_4754
    /// The newest readable format.
    package static let version = 4
    /// The format of a recording in which something is missing or hidden.
    package static let partialVersion = 2
    /// The format of a recording with doubtful states.
    package static let doubtfulVersion = 3
    /// The format of a recording with bridged runs.
    package static let bridgedVersion = 4

    /// Raises the format of a file, if it is lower.
    package static func raise(to version: Int, _ connection: Connection) throws(SQLiteError) {
        guard try connection.integer("PRAGMA user_version") ?? 0 < version else { return }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// The statements that create a new file.
    package static let creation = [marks, tables, readMe, history, changes]

    private static let marks = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = 1;
        """

    /// The type of rows for time travel in the running app. They have no payload.
    package static let travelType = "@travel"
    /// The name of reducer 0, under which the changes of time travel are shown.
    package static let travelName = "time travel"
    /// The row of `reducer` for the changes of a run of actions, in a file that has such runs.
    package static let bridge = "(-1, 'all since the last known state')"
    private static let tables =
        needed.map { "\($0.sql);\n" }.joined() + "INSERT INTO reducer VALUES (0, '\(travelName)');"

    /// One row, which says whether the file is complete, and what to do if it is not.
    private static let readMe = """
        CREATE VIEW read_me AS
        SELECT CASE
            WHEN EXISTS (SELECT 1 FROM recording WHERE key = 'closed')
            THEN 'This recording was closed: the views history and changes show all of it.'
            WHEN EXISTS (SELECT 1 FROM recording WHERE key IN ('recovered', 'salvaged'))
            THEN 'This recording was not closed, and was recovered: the views history and changes show all that is known.'
            ELSE 'This recording was not closed: its last actions are in the journal beside it, which SQLite does not read, '
                || 'and history and changes do not show them. If its process has ended, run: hindsight recover FILE'
        END AS note
        """

    /// One row an action. The changes of a whole run are not shown at its last action, not even that there were none.
    private static let history = historyHidingRuns(
        unless: "json_type(steps, '$[0]') IS NOT 'null' AND json_type(steps, '$[0][0]') IS NOT 'null'"
    )

    /// The views of earlier versions, and a table that they created but never used.
    package static let earlierDefinitions = [
        """
        CREATE TABLE branch(
            id INTEGER PRIMARY KEY, parent_seq INTEGER NOT NULL, name TEXT UNIQUE, created INTEGER NOT NULL
        ) STRICT
        """,
        history(countingChanges: changeCount),
        history(countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END"),
        history(
            countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END",
            comment: documentation("A row an action.")
        ),
        // Shows a run without any change as an action without changes.
        historyHidingRuns(unless: "json_type(steps, '$[0][0]') IS NOT 'null'"),
        changes(),
        changes(comment: documentation("A row an operation.")),
    ]
    /// A comment in each view, for readers of the schema.
    private static func documentation(_ row: String) -> String {
        "\n-- \(row) Recover a recording first that was not closed: see the view read_me."
    }

    private static let changeCount = """
        (
                SELECT count(*)
                FROM json_each(steps) AS step, json_each(step.value) AS operation
                WHERE operation.key > 0
            )
        """

    /// - Parameter reducers: Whether the steps are those of reducers, which have durations.
    private static func historyHidingRuns(unless reducers: String) -> String {
        history(
            of: """
                (
                    SELECT
                        seq, parent, type, payload, at, duration, file, line, problem,
                        CASE
                            WHEN \(reducers) OR \(text(of: "type")) = '\(travelType)' THEN steps
                        END AS steps
                    FROM action
                )
                """,
            countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END",
            comment: documentation("A row an action.")
        )
    }

    private static func history(
        of actions: String = "action",
        countingChanges changes: String,
        comment: String = ""
    ) -> String {
        """
        CREATE VIEW history AS\(comment)
        SELECT
            seq,
            strftime('%Y-%m-%dT%H:%M:%S', at / 1000000000, 'unixepoch') || printf('.%06dZ', at / 1000 % 1000000) AS at,
            \(text(of: "type")) AS type,
            payload,
            parent,
            \(text(of: "file")) || ':' || line AS origin,
            duration / 1000.0 AS duration_us,
            \(changes) AS changes,
            (SELECT group_concat(path, ',') FROM (
                SELECT DISTINCT substr(operation.value ->> 0, 2) AS path
                FROM json_each(steps) AS step, json_each(step.value) AS operation
                WHERE operation.key > 0
            )) AS paths,
            problem
        FROM \(actions)
        """
    }

    /// One row an operation. Values are JSON text cut from the steps, so that numbers keep all digits.
    private static let changes = changes(
        comment: documentation("A row an operation."),
        withoutReducer: "CASE \(text(of: "action.type")) WHEN '\(travelType)' THEN 0 ELSE -1 END"
    )

    private static func changes(comment: String = "", withoutReducer reducer: String = "0") -> String {
        """
        CREATE VIEW changes AS\(comment)
        SELECT
            action.seq AS seq,
            reducer.name AS reducer,
            CASE substr(operation.value ->> 0, 1, 1)
                WHEN 'a' THEN 'add' WHEN 'd' THEN 'remove' WHEN 'r' THEN 'replace' WHEN 's' THEN 'splice' ELSE 'edit'
            END AS op,
            substr(operation.value ->> 0, 2) AS path,
            operation.value ->> CASE WHEN substr(operation.value ->> 0, 1, 1) IN ('a', 'd') THEN 2 ELSE 3 END AS at,
            CASE substr(operation.value ->> 0, 1, 1) WHEN 'a' THEN NULL ELSE operation.value -> 1 END AS old,
            CASE substr(operation.value ->> 0, 1, 1)
                WHEN 'a' THEN operation.value -> 1 WHEN 'd' THEN NULL ELSE operation.value -> 2
            END AS new
        FROM action
        JOIN json_each(action.steps) AS step
        JOIN json_each(step.value) AS operation ON operation.key > 0
        JOIN reducer ON reducer.id = CASE WHEN step.value ->> 0 IS NULL THEN \(reducer) ELSE step.key + 1 END
        """
    }

    /// The text in a column, or the text that its id refers to.
    private static func text(of column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT text FROM name WHERE id = \(column)) ELSE \(column) END"
    }

    /// A table, for schema checks.
    package struct Table: Sendable {
        package let name: String
        /// The key column; `nil` if rows are not looked up by key.
        package let key: String?
        /// The columns that readers use.
        package let columns: [String]
        /// The statement that creates the table, as SQLite stores it.
        package let sql: String

        /// - Parameter definition: What follows the name in the statement that creates the table.
        package init(_ name: String, key: String?, _ columns: [String], _ definition: String) {
            self.name = name
            self.key = key
            self.columns = columns
            sql = "CREATE TABLE \(name)\(definition)"
        }

        /// The statement that creates the table if it does not exist.
        package var creation: String { "CREATE TABLE IF NOT EXISTS \(sql.dropFirst("CREATE TABLE ".count))" }

        /// A query of the columns, in their order.
        package func selection(without column: String? = nil) -> String {
            "SELECT \(columns.filter { $0 != column }.joined(separator: ", ")) FROM \(name)"
        }
    }

    package static let recording = Table(
        "recording",
        key: "key",
        ["key", "value"],
        "(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID"
    )
    package static let reducer = Table(
        "reducer",
        key: "id",
        ["id", "name"],
        "(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
    )
    package static let name = Table(
        "name",
        key: "id",
        ["id", "text"],
        "(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
    )
    /// Times are nanoseconds since 1970; durations are nanoseconds.
    ///
    /// The duration and the steps of an action are null until the action ends. The payload is null if it could not be
    /// encoded. The type and the file of the origin are ids of the table `name`, or, if that is full, texts. The steps
    /// have one entry for each reducer, in order: a duration if the reducer changed nothing, otherwise an array of the
    /// duration and the operations. A null duration marks time travel.
    package static let action = Table(
        "action",
        key: "seq",
        ["seq", "parent", "type", "payload", "at", "duration", "file", "line", "problem", "steps"],
        """
        (
            seq INTEGER PRIMARY KEY, parent INTEGER, type ANY NOT NULL, payload TEXT, at INTEGER NOT NULL,
            duration INTEGER, file ANY, line INTEGER, problem TEXT, steps TEXT
        ) STRICT
        """
    )
    package static let keyframe = Table(
        "keyframe",
        key: "seq",
        ["seq", "state"],
        "(seq INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT"
    )
    package static let note = Table(
        "note",
        key: "id",
        ["id", "seq", "reducer", "name", "text", "at"],
        """
        (
            id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, reducer INTEGER, name TEXT UNIQUE, text TEXT, at INTEGER NOT NULL
        ) STRICT
        """
    )

    /// The tables that every recording has, in the order in which they are created.
    package static let needed = [recording, reducer, name, action, keyframe, note]
    /// The tables that a recovery writes. A reader uses all of them.
    package static let recovered = [recording, name, action, keyframe]
}
