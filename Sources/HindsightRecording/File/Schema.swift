import HindsightSQLite

/// The layout of a recording's database, formats 1 to 4.
///
/// Format 2 is format 1 with something left out or hidden: states that the recorder had no time for, older actions that a
/// limit dropped, values that were redacted, or what could not be salvaged. A tool that knows only format 1 would misread
/// it, and refuses it by its number; a recording that has everything says 1, and all tools read it.
///
/// Format 3 is format 1 or 2 with states that are doubtful: a whole state is not what the changes before it lead to. A tool
/// that does not know of that would take them for right.
///
/// Format 4 is one of these in which what changed across a run of actions without states stands at the last of them: see
/// ``SkippedTable``. A tool that does not know of that would take it for what that one action did.
///
/// The views `history` and `changes` are a promise to people with `sqlite3`; the tables may change with the format. The view
/// `read_me` tells them whether the file has all there is: `sqlite3` does not read the journal.
enum Schema {
    /// Marks an SQLite database as a recording: "HSGT".
    static let applicationID = 0x4853_4754
    /// The newest format that is read.
    static let version = 4
    /// The format of a recording in which something is left out or hidden.
    static let partialVersion = 2
    /// The format of a recording with doubtful states.
    static let doubtfulVersion = 3
    /// The format of a recording with bridged runs.
    static let bridgedVersion = 4

    /// Gives a file a format, unless it has that or a newer one.
    static func raise(to version: Int, _ connection: Connection) throws(SQLiteError) {
        guard try connection.integer("PRAGMA user_version") ?? 0 < version else { return }
        try connection.execute("PRAGMA user_version = \(version)")
    }

    /// Everything that a new file is made of.
    static let creation = [marks, tables, readMe, history, changes]

    private static let marks = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = 1;
        """

    /// The type of the rows that stand for time travel of the running app. They have no payload.
    static let travelType = "@travel"
    /// The name under which time travel's changes are shown, as that of reducer 0.
    static let travelName = "time travel"
    /// The row of `reducer` under which changes across a run of actions are shown: of a file that has some.
    static let bridge = "(-1, 'all since the last known state')"
    /// Times are nanoseconds since 1970, durations nanoseconds.
    ///
    /// An action's duration and steps are null until it is over, its payload where it could not be encoded. Its type
    /// and its origin's file are ids of the table `name`, or, where that has grown long, texts themselves. Its steps are
    /// what each reducer did, in their order: a duration where it changed nothing, otherwise an array of the duration and
    /// the operations. A duration that is null is no reducer's, but time travel's.
    fileprivate static let tables = """
        CREATE TABLE recording(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE reducer(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        INSERT INTO reducer VALUES (0, '\(travelName)');
        CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        CREATE TABLE action(
            seq INTEGER PRIMARY KEY, parent INTEGER, type ANY NOT NULL, payload TEXT, at INTEGER NOT NULL,
            duration INTEGER, file ANY, line INTEGER, problem TEXT, steps TEXT
        ) STRICT;
        CREATE TABLE keyframe(seq INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, reducer INTEGER, name TEXT UNIQUE, text TEXT, at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE branch(
            id INTEGER PRIMARY KEY, parent_seq INTEGER NOT NULL, name TEXT UNIQUE, created INTEGER NOT NULL
        ) STRICT;
        """

    /// One row: whether the file has all that was recorded, and what to do where it has not.
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

    /// A row an action. What a run's last action has of the whole run is not its own.
    private static let history = history(
        of: """
            (
                SELECT
                    seq, parent, type, payload, at, duration, file, line, problem,
                    CASE
                        WHEN json_type(steps, '$[0][0]') IS NOT 'null' OR \(text(of: "type")) = '\(travelType)' THEN steps
                    END AS steps
                FROM action
            )
            """,
        countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END",
        comment: documentation("A row an action.")
    )

    /// Views as earlier versions made them.
    static let earlierViews = [
        history(countingChanges: changeCount),
        history(countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END"),
        history(
            countingChanges: "CASE WHEN steps IS NOT NULL THEN \(changeCount) END",
            comment: documentation("A row an action.")
        ),
        changes(),
        changes(comment: documentation("A row an operation.")),
    ]
    /// What a view says of itself to those who look at the schema.
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

    /// A row an operation. Values are JSON text cut out of the steps, so that numbers keep all digits.
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

    /// The text that a column has, or that it has the name's id of.
    private static func text(of column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT text FROM name WHERE id = \(column)) ELSE \(column) END"
    }

    /// A table as openers ask for it.
    struct Table: Sendable {
        let name: String
        /// The column by which rows are found; `nil` where they are not.
        let key: String?
        /// The columns that are read.
        let columns: [String]
        /// How a recorder makes it, as SQLite keeps it.
        let sql: String

        init(_ name: String, key: String?, _ columns: [String], in creation: String = Schema.tables) {
            self.name = name
            self.key = key
            self.columns = columns
            sql =
                creation.split(separator: ";\n").first { $0.hasPrefix("CREATE TABLE \(name)(") }.map(String.init) ?? ""
        }
    }

    static let recording = Table("recording", key: "key", ["key", "value"])
    static let reducer = Table("reducer", key: "id", ["id", "name"])
    static let name = Table("name", key: "id", ["id", "text"])
    static let action = Table(
        "action",
        key: "seq",
        ["seq", "parent", "type", "payload", "at", "duration", "file", "line", "problem", "steps"]
    )
    static let keyframe = Table("keyframe", key: "seq", ["seq", "state"])
    static let note = Table("note", key: nil, ["seq", "reducer", "name"])

    /// The tables that a reader asks.
    static let needed = [recording, reducer, name, action, keyframe, note]
    /// The tables that a recovery writes, all of which a reader asks.
    static let recovered = [recording, name, action, keyframe]
}
