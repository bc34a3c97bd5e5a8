import CSQLite
import Foundation

/// Measures SQLite's own time for the rows of a recording: a lower limit for every recorder.
enum BareInserts {
    private struct Row {
        var numbers: [Int64?]
        var texts: [[UInt8]?]
    }

    private static let numbers = ["seq", "parent", "type", "at", "duration", "file", "line", "thread"]
    private static let texts = ["payload", "problem", "steps"]

    /// Writes the actions of a recording into a new database, with SQLite's C functions only.
    ///
    /// - Parameter batch: The number of rows in a transaction.
    /// - Returns: The time for all rows in nanoseconds.
    static func time(rowsOf recording: URL, into output: URL, batch: Int) throws -> Double {
        let rows = try read(recording)
        let database = try open(output)
        defer { sqlite3_close_v2(database) }
        try run(
            database,
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            CREATE TABLE action(
                seq INTEGER PRIMARY KEY, parent INTEGER, type ANY NOT NULL, at INTEGER NOT NULL, duration INTEGER,
                file ANY, line INTEGER, thread ANY, payload TEXT, problem TEXT, steps TEXT
            ) STRICT
            """
        )
        var insert: OpaquePointer?
        try check(
            sqlite3_prepare_v2(
                database,
                "INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                -1,
                &insert,
                nil
            )
        )
        defer { sqlite3_finalize(insert) }
        return try ContinuousClock().measure {
            for start in stride(from: 0, to: rows.count, by: batch) {
                try run(database, "BEGIN")
                for row in rows[start..<min(start + batch, rows.count)] { try write(row, insert) }
                try run(database, "COMMIT")
            }
        } / .nanoseconds(1)
    }

    private static func write(_ row: Row, _ insert: OpaquePointer?) throws {
        var index: Int32 = 0
        for number in row.numbers {
            index += 1
            if let number {
                sqlite3_bind_int64(insert, index, number)
            } else {
                sqlite3_bind_null(insert, index)
            }
        }
        for text in row.texts {
            index += 1
            guard let text else {
                sqlite3_bind_null(insert, index)
                continue
            }
            text.withUnsafeBytes {
                _ = hindsight_bind_text(
                    insert,
                    index,
                    $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UInt64(text.count)
                )
            }
        }
        guard sqlite3_step(insert) == SQLITE_DONE else { throw Failure() }
        sqlite3_reset(insert)
    }

    private static func read(_ recording: URL) throws -> [Row] {
        let database = try open(recording)
        defer { sqlite3_close_v2(database) }
        var select: OpaquePointer?
        let columns = (numbers + texts).joined(separator: ", ")
        try check(sqlite3_prepare_v2(database, "SELECT \(columns) FROM action ORDER BY seq", -1, &select, nil))
        defer { sqlite3_finalize(select) }
        var rows: [Row] = []
        while sqlite3_step(select) == SQLITE_ROW {
            var row = Row(numbers: [], texts: [])
            for column in 0..<Int32(numbers.count) {
                let isNull = sqlite3_column_type(select, column) == SQLITE_NULL
                row.numbers.append(isNull ? nil : sqlite3_column_int64(select, column))
            }
            for column in Int32(numbers.count)..<Int32(numbers.count + texts.count) {
                let text = sqlite3_column_text(select, column)
                let count = Int(sqlite3_column_bytes(select, column))
                row.texts.append(text.map { Array(UnsafeBufferPointer(start: $0, count: count)) })
            }
            rows.append(row)
        }
        return rows
    }

    private struct Failure: Error {}

    private static func open(_ url: URL) throws -> OpaquePointer? {
        var database: OpaquePointer?
        try check(sqlite3_open(url.path, &database))
        return database
    }

    private static func run(_ database: OpaquePointer?, _ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    private static func check(_ result: Int32) throws {
        guard result == SQLITE_OK else { throw Failure() }
    }
}
