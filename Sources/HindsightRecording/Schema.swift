/// The layout of a recording's database, format 1.
///
/// The views are a promise to people with `sqlite3`; the tables may change with the format.
enum Schema {
    /// Marks an SQLite database as a recording: "HSGT".
    static let applicationID = 0x4853_4754
    /// The format that is written, and the newest that is read.
    static let version = 1

    /// Everything that a new file is made of.
    static let creation = [marks, tables, history, changes]

    private static let marks = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// Times are nanoseconds since 1970, durations nanoseconds. A step's patch is null where the reducer changed nothing.
    /// An action's duration is null until it is over, its payload where it could not be encoded.
    private static let tables = """
        CREATE TABLE recording(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE reducer(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        CREATE TABLE action(
            seq INTEGER PRIMARY KEY, parent INTEGER, type TEXT NOT NULL, payload TEXT, at INTEGER NOT NULL,
            duration INTEGER, origin TEXT, problem TEXT
        ) STRICT;
        CREATE TABLE step(
            seq INTEGER NOT NULL, reducer INTEGER NOT NULL, duration INTEGER NOT NULL, patch TEXT,
            PRIMARY KEY(seq, reducer)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE keyframe(seq INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, reducer INTEGER, name TEXT UNIQUE, text TEXT, at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE branch(
            id INTEGER PRIMARY KEY, parent_seq INTEGER NOT NULL, name TEXT UNIQUE, created INTEGER NOT NULL
        ) STRICT;
        """

    /// A row an action.
    private static let history = """
        CREATE VIEW history AS
        SELECT
            seq,
            strftime('%Y-%m-%dT%H:%M:%S', at / 1000000000, 'unixepoch') || printf('.%06dZ', at / 1000 % 1000000) AS at,
            type,
            payload,
            parent,
            origin,
            duration / 1000.0 AS duration_us,
            (SELECT coalesce(sum(json_array_length(patch)), 0) FROM step WHERE step.seq = action.seq) AS changes,
            (SELECT group_concat(path, ',') FROM (
                SELECT DISTINCT operation.value ->> '$.path' AS path
                FROM step, json_each(step.patch) AS operation
                WHERE step.seq = action.seq
            )) AS paths,
            problem
        FROM action
        """

    /// A row an operation. Values are JSON text cut out of the patch, so that numbers keep all digits.
    private static let changes = """
        CREATE VIEW changes AS
        SELECT
            step.seq AS seq,
            reducer.name AS reducer,
            operation.value ->> '$.op' AS op,
            operation.value ->> '$.path' AS path,
            operation.value ->> '$.at' AS at,
            coalesce(operation.value -> '$.old', operation.value -> '$.remove') AS old,
            coalesce(operation.value -> '$.value', operation.value -> '$.insert') AS new
        FROM step
        JOIN reducer ON reducer.id = step.reducer
        JOIN json_each(step.patch) AS operation
        """

    /// The tables that a reader asks, and the columns it needs there.
    static let needed: [(table: String, columns: Set<String>)] = [
        ("recording", ["key", "value"]),
        ("reducer", ["id", "name"]),
        ("action", ["seq", "parent", "type", "payload", "at", "duration", "origin", "problem"]),
        ("step", ["seq", "reducer", "duration", "patch"]),
        ("keyframe", ["seq", "state"]),
        ("note", ["seq", "reducer", "name"]),
    ]
}
