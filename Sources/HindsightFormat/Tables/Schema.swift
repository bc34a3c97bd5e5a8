import HindsightSQLite

/// The schema of a recording's database, format 1.
///
/// The views are stable, for users of `sqlite3`, and have the names and columns of the views of a `RecordingQuery`. The
/// tables may change with the format. The view `read_me` says whether the file is complete, because `sqlite3` does not
/// read the journal.
package enum Schema {
    /// Marks an SQLite database as a recording: "HSGT".
    package static let applicationID = 0x4853_4754
    /// The format of all recordings. A file with a higher number is refused.
    package static let version = 1

    /// The statements that create a new file.
    package static let creation = [marks, creatingTables, readMe] + RecordingView.allCases.map(\.creation)

    private static let marks = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The type of rows for time travel in the running app. They have no payload.
    package static let travelType = "@travel"
    /// The name of reducer 0, under which the changes of time travel are shown.
    package static let travelName = "time travel"
    private static let creatingTables =
        tables.map { "\($0.sql);\n" }.joined() + "INSERT INTO reducer VALUES (0, '\(travelName)');"

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

    /// A table, for schema checks.
    package struct Table: Sendable {
        package let name: String
        /// The key column; `nil` if rows are not looked up by one column.
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

        /// A query of the columns, in their order.
        ///
        /// - Parameter wanted: The columns that are wanted; `nil` for all. The others are null.
        package func selection(of wanted: [String]? = nil) -> String {
            let selected = columns.map { wanted?.contains($0) ?? true ? $0 : "NULL" }
            return "SELECT \(selected.joined(separator: ", ")) FROM \(name)"
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
    /// encoded. The type, the file of the origin and the thread are ids of the table `name`, or, if that is full,
    /// texts. The text of a thread is a JSON object with its number, its name and its task; null if the thread is not
    /// known.
    ///
    /// The steps have one entry for each reducer, in order: a duration if the reducer changed nothing, otherwise an
    /// array of the duration and the operations. An only entry with a null duration has the change of time travel, or
    /// that of a run of skipped actions, at its last: see ``run``.
    package static let action = Table(
        "action",
        key: "seq",
        ["seq", "parent", "type", "payload", "at", "duration", "file", "line", "thread", "problem", "steps"],
        """
        (
            seq INTEGER PRIMARY KEY, parent INTEGER, type ANY NOT NULL, payload TEXT, at INTEGER NOT NULL,
            duration INTEGER, file ANY, line INTEGER, thread ANY, problem TEXT, steps TEXT
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

    /// A row for each run of actions without exact states: see ``RunTable``. The kind is `skipped` or `doubtful`. The
    /// path is that of doubtful states; null for skipped ones.
    package static let run = Table(
        "run",
        key: nil,
        ["kind", "first", "last", "path"],
        """
        (
            kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, path TEXT, PRIMARY KEY (kind, first)
        ) STRICT, WITHOUT ROWID
        """
    )

    /// All tables, in the order in which they are created.
    package static let tables = [recording, reducer, name, action, keyframe, note, run]
    /// The tables that a recovery writes. A reader uses all of them.
    package static let recovered = [recording, name, action, keyframe]
}
