import CSQLite
import Foundation
import TestSupport

/// Attacks with `sqlite3`: schemas that run code, values of the wrong type or of absurd size, and numbers at the ends
/// of their range.
enum HostileSQL {
    /// - Returns: A description of the change.
    static func change(_ files: inout [String: [UInt8]], _ random: inout Seeded, scratch: String) -> String {
        let path = scratch + "/edited.db"
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }
        for suffix in ["", "-wal"] { write(files[suffix], path + suffix) }
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return "nothing" }
        _ = hindsight_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        run("PRAGMA synchronous = OFF; PRAGMA journal_mode", handle)
        // Writes stay in the `-wal` if there is one, with correct checksums.
        if files["-wal"] == nil { run("PRAGMA journal_mode = DELETE", handle) }
        var done = "SQL"
        for _ in 0...(random.once(in: 3) ? random.below(3) : 0) {
            let sql = statement(&random)
            run(sql, handle)
            done += " " + String(sql.prefix(300))
        }
        // A text that takes long to write tests no more than a shorter one.
        guard size(path) + size(path + "-wal") < largest else { return done + ": too big" }
        for suffix in ["", "-wal"] where files[suffix] != nil {
            if let data = FileManager.default.contents(atPath: path + suffix) { files[suffix] = [UInt8](data) }
        }
        return done
    }

    /// In bytes.
    private static let largest = 8 << 20

    private static func size(_ path: String) -> Int {
        var present = stat()
        return stat(path, &present) == 0 ? Int(present.st_size) : 0
    }

    private static func write(_ bytes: [UInt8]?, _ path: String) {
        guard let bytes else { return }
        // A missing file is a mutant as well.
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }

    /// A failed statement leaves the file unchanged, which is a mutant as well.
    private static func run(_ sql: String, _ handle: OpaquePointer?) {
        _ = sqlite3_exec(handle, sql, nil, nil, nil)
    }

    private static func statement(_ random: inout Seeded) -> String {
        switch random.below(6) {
        case 0: values(&random)
        case 1: texts(&random)
        case 2: random.pick(schemas)
        case 3: rewritten(&random)
        default: random.pick(rows)
        }
    }

    private static let columns = [
        (
            "action",
            ["seq", "parent", "type", "payload", "at", "duration", "file", "line", "thread", "problem", "steps"]
        ),
        ("keyframe", ["seq", "state"]), ("reducer", ["id", "name"]), ("name", ["id", "text"]),
        ("recording", ["key", "value"]), ("note", ["seq", "reducer", "name", "text", "at"]),
        ("run", ["kind", "first", "last", "path"]),
    ]

    private static let literals = [
        "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "36028797018963968", "36028797018963969",
        "1e308",
        "-0.5", "NULL", "x'00ff80'", "''", "'x'", "char(0)", "'a' || char(0) || 'b'", "CAST(x'ff80c0' AS TEXT)",
        "char(27) || '[2J'", "zeroblob(1000000)", "CAST(zeroblob(1000000) AS TEXT)", "'9223372036854775808'",
        "printf('%.*c', 100000, '[')", "printf('%.*c', 20000, '{')",
        "'[' || replace(hex(zeroblob(9000)), '00', '[],') || '1]'",
    ]

    /// Sets one column of some rows to a value. Strict tables refuse some values; others accept any.
    private static func values(_ random: inout Seeded) -> String {
        let (table, names) = random.pick(columns)
        let column = random.pick(names)
        let rowid = ["recording": "key <> ''", "run": "first"][table, default: "rowid"]
        let which = random.pick(["", " WHERE \(rowid) = 3", " WHERE \(rowid) % 7 = 1"])
        return "\(random.once(in: 2) ? loose(table) : "")"
            + "UPDATE OR IGNORE \(table) SET \(column) = \(random.pick(literals))\(which)"
    }

    /// Replaces a piece of the JSON in one column.
    private static func texts(_ random: inout Seeded) -> String {
        let (table, column) = random.pick([
            ("action", "payload"), ("action", "steps"), ("keyframe", "state"), ("action", "steps"),
        ])
        let (old, new) = random.pick([
            ("\"", ""), ("[", "[["), ("]", "]]"), ("0", "-0"), ("1", "9223372036854775807"), ("1", "1e999"),
            ("\"r/", "\"s/"), ("\"e/", "\"d/"), ("\"a/", "\"r/"), ("/", "/~2"), ("/", "//"), (":", ":null,\"a\":"),
            ("2", "18446744073709551616"), ("\"", "\\ud800\""), ("{}", "{\"$data\":\"!\"}"), (",", ",,"), ("1", "01"),
            ("\"", "\"\\u0000"), ("e", "\\u0065"), (",", " , "), ("0", "00"), ("{", "{\"$absent\":null,"),
        ])
        let which = random.pick(["", " WHERE seq = 3", " WHERE seq % 5 = 2"])
        return "UPDATE \(table) SET \(column) = replace(\(column), '\(old)', '\(new)')\(which)"
    }

    /// Removes `STRICT` from a table, so that its columns accept any value.
    private static func loose(_ table: String) -> String {
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, ' STRICT', ''), ', WITHOUT ROWID', "
            + "' WITHOUT ROWID') WHERE name = '\(table)' AND name <> 'recording'; PRAGMA writable_schema = RESET; "
    }

    /// Changes the text of a table's entry in the schema behind SQLite's back.
    private static func rewritten(_ random: inout Seeded) -> String {
        let (table, _) = random.pick(columns)
        let change = random.pick([
            "sql = replace(sql, 'payload TEXT', 'payload TEXT AS (randomblob(100000000))')",
            "sql = replace(sql, 'steps TEXT', 'steps TEXT DEFAULT (printf(''%.*c'', 1000000000, ''[''))')",
            "sql = replace(sql, 'state TEXT NOT NULL', 'state TEXT CHECK (length(zeroblob(1000000000)) > 0)')",
            "sql = replace(sql, 'INTEGER PRIMARY KEY', 'TEXT PRIMARY KEY')", "sql = replace(sql, 'PRIMARY KEY', '')",
            "sql = replace(sql, 'TEXT', 'BLOB')", "sql = replace(sql, 'TEXT', 'TEXT COLLATE NOCASE')",
            "sql = replace(sql, 'TEXT', 'TEXT COLLATE nobody')", "sql = NULL", "sql = ''", "sql = 'CREATE'",
            "sql = 'CREATE VIEW \(table) AS WITH RECURSIVE c(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM c) SELECT seq, "
                + "seq AS id, '''' AS name, '''' AS text, ''app'' AS key, '''' AS value FROM c'",
            "sql = 'CREATE TABLE \(table)(x)'", "sql = 'CREATE TABLE \(table) AS SELECT 1'",
            "sql = 'CREATE VIRTUAL TABLE \(table) USING fts5(seq, state, id, name, text)'",
            "sql = 'CREATE TRIGGER \(table) AFTER INSERT ON action BEGIN DELETE FROM keyframe; END', type = 'trigger'",
            "rootpage = 1", "rootpage = 2147483647", "rootpage = 0", "rootpage = -1",
            "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'keyframe')",
            "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'action')", "name = 'ACTION'", "type = 'view'",
            "name = 'sqlite_stat1'", "tbl_name = 'elsewhere'", "sql = sql || ' -- ' || printf('%.*c', 200000, 'x')",
            "sql = printf('%.*c', 5000, '(')", "sql = replace(sql, '(', '/*')", "sql = sql || ', WITHOUT ROWID'",
        ])
        return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) WHERE name = '\(table)'"
    }

    private static let schemas = [
        "CREATE TRIGGER t AFTER INSERT ON action BEGIN DELETE FROM keyframe; SELECT writefile('outside', 'x'); END",
        "CREATE TRIGGER t AFTER INSERT ON recording BEGIN UPDATE action SET payload = printf('%.*c', 1000000000, '1'); END",
        "DROP VIEW history; CREATE VIEW history AS SELECT load_extension('outside'), readfile('/etc/passwd')",
        "DROP VIEW history; CREATE VIEW history AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT * FROM c",
        "DROP VIEW history; CREATE VIEW history AS SELECT zeroblob(1000000000) AS seq",
        "CREATE INDEX i ON action(seq, type, payload, steps); PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'keyframe') WHERE name = 'i'",
        "CREATE INDEX i ON action(steps) WHERE steps IS NOT NULL; PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', 'NULL') WHERE name = 'i'",
        "CREATE INDEX i ON keyframe(seq, state)",
        "CREATE INDEX i ON action(abs(seq)); CREATE INDEX j ON name(hex(text))",
        "CREATE TABLE sqlite_stat1(tbl, idx, stat)",
        "ANALYZE; UPDATE sqlite_stat1 SET stat = '-1 0 9223372036854775807'",
        "CREATE VIEW v0 AS SELECT 1 AS x; CREATE VIEW v1 AS SELECT a.x FROM v0 a, v0 b, v0 c, v0 d; "
            + "CREATE VIEW v2 AS SELECT a.x FROM v1 a, v1 b, v1 c, v1 d; CREATE VIEW v3 AS SELECT a.x FROM v2 a, v2 b, v2 c, v2 d; "
            + "CREATE VIEW v4 AS SELECT a.x FROM v3 a, v3 b, v3 c, v3 d; CREATE VIEW v5 AS SELECT a.x FROM v4 a, v4 b, v4 c, v4 d",
        "DROP TABLE note; CREATE VIEW note AS SELECT seq, 0 AS reducer, 'x' AS name FROM action",
        "DROP TABLE name; CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT AS (hex(zeroblob(400000000))))",
        "DROP TABLE keyframe; CREATE TABLE keyframe(seq INTEGER PRIMARY KEY, state TEXT) WITHOUT ROWID",
        "DROP TABLE reducer; CREATE TABLE reducer(id, name); INSERT INTO reducer SELECT value, value FROM json_each('[1,2,3]')",
        "ALTER TABLE action ADD COLUMN more TEXT DEFAULT 'x'", "ALTER TABLE action RENAME COLUMN steps TO Steps",
        "ALTER TABLE keyframe RENAME TO other; ALTER TABLE other RENAME TO keyframe",
        "PRAGMA application_id = 0", "PRAGMA user_version = 2", "PRAGMA user_version = 0", "PRAGMA user_version = -1",
        "PRAGMA page_size = 512; VACUUM", "PRAGMA page_size = 65536; VACUUM", "PRAGMA auto_vacuum = FULL; VACUUM",
        "PRAGMA encoding = 'UTF-16le'", "PRAGMA schema_version = 2147483647", "PRAGMA journal_mode = WAL",
    ]

    private static let rows = [
        "DELETE FROM action WHERE seq % 7 = 3", "DELETE FROM action WHERE seq < 5", "DELETE FROM action",
        "DELETE FROM keyframe", "DELETE FROM keyframe WHERE seq = 0", "DELETE FROM name", "DELETE FROM reducer",
        "DELETE FROM recording WHERE key <> 'app'", "DELETE FROM recording WHERE key = 'closed'",
        "UPDATE OR REPLACE action SET seq = seq + 9223372036854775700 WHERE seq > 5",
        "UPDATE OR REPLACE action SET seq = -seq", "UPDATE OR REPLACE action SET seq = seq * 2",
        "UPDATE action SET parent = seq", "UPDATE action SET parent = 9223372036854775807",
        "UPDATE action SET at = 9223372036854775807; UPDATE recording SET value = -9223372036854775808 WHERE key = 'created'",
        "UPDATE action SET duration = NULL", "UPDATE action SET duration = NULL WHERE seq > 4",
        "UPDATE action SET steps = NULL WHERE seq > 4", "UPDATE action SET steps = NULL WHERE seq = 4",
        "UPDATE action SET payload = NULL", "UPDATE action SET payload = NULL, type = '@travel' WHERE seq = 4",
        "UPDATE action SET steps = '[[9223372036854775807,[\"e/text\",\"\",\"x\",9223372036854775807]]]' WHERE seq = 2",
        "UPDATE action SET steps = '[[1,[\"s/items\",[],[1],9223372036854775807]]]' WHERE seq = 2",
        "UPDATE action SET steps = '[' || replace(hex(zeroblob(20000)), '00', '1,') || '1]' WHERE seq = 2",
        "UPDATE action SET steps = '[[1,[\"r' || replace(hex(zeroblob(20000)), '00', '/a') || '\",1,2]]]' WHERE seq = 2",
        "UPDATE keyframe SET state = '{' || replace(hex(zeroblob(3000)), '00', '\"a\":{') WHERE seq = 0",
        "UPDATE keyframe SET state = '[' || replace(hex(zeroblob(30000)), '00', '[],') || '0]' WHERE seq = 0",
        "UPDATE action SET payload = '{\"add\":{\"title\":\"' || replace(hex(zeroblob(100000)), '00', '\\u0000') || '\"}}'",
        "UPDATE action SET payload = replace(hex(zeroblob(500)), '00', '{\"a\":') || '1' || replace(hex(zeroblob(500)), '00', '}')",
        "INSERT INTO keyframe SELECT seq, '{}' FROM action WHERE seq % 5 = 0",
        "INSERT OR IGNORE INTO keyframe VALUES (9223372036854775807, '{}'), (-5, '{}')",
        "INSERT INTO note(seq, reducer, name, at) VALUES (9223372036854775807, -1, 'here', 0)",
        "INSERT INTO note(seq, reducer, name, at) VALUES (2, 9223372036854775807, 'here', 0)",
        "INSERT INTO reducer SELECT value, value FROM json_each('[100,101]')",
        "INSERT INTO reducer SELECT max(id) + 1, printf('%.*c', 1000000, 'x') FROM reducer",
        "WITH RECURSIVE c(x) AS (SELECT 100000 UNION ALL SELECT x + 1 FROM c WHERE x < 102000) INSERT INTO action(seq, type, at) SELECT x, 'x', 0 FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM c WHERE x < 2000) INSERT INTO reducer SELECT x, x FROM c",
        "INSERT OR REPLACE INTO recording VALUES ('stopped', 'why' || char(27)), ('died', '3.9223372036854775807'), ('recovered', 1)",
        "INSERT OR REPLACE INTO recording VALUES ('closed', 'never'), ('lost', '1-9223372036854775807')",
    ]
}
