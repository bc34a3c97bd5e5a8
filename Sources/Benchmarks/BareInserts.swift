import Foundation
import HindsightSQLite

/// Measures SQLite's own time for the rows of a recording: a lower limit for every recorder.
enum BareInserts {
    private static let numbers = ["seq", "parent", "type", "at", "duration", "file", "line", "thread"]
    private static let texts = ["payload", "problem", "steps"]

    /// Writes the actions of a recording into a new database.
    ///
    /// - Parameter batch: The number of rows in a transaction.
    /// - Returns: The time for all rows in nanoseconds.
    static func time(rowsOf recording: URL, into output: URL, batch: Int) throws -> Double {
        let rows = try read(recording)
        let database = try newDatabase(
            at: output,
            """
            PRAGMA synchronous = NORMAL;
            CREATE TABLE action(
                seq INTEGER PRIMARY KEY, parent INTEGER, type ANY NOT NULL, at INTEGER NOT NULL, duration INTEGER,
                file ANY, line INTEGER, thread ANY, payload TEXT, problem TEXT, steps TEXT
            ) STRICT
            """
        )
        let insert = try database.prepare("INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        return try elapsed {
            for start in stride(from: 0, to: rows.count, by: batch) {
                try database.execute("BEGIN")
                for row in rows[start..<min(start + batch, rows.count)] {
                    for (index, number) in row.numbers.enumerated() { try insert.bind(number, at: Int32(index + 1)) }
                    for (index, text) in row.texts.enumerated() {
                        try insert.bind(text, at: Int32(numbers.count + index + 1))
                    }
                    try insert.run()
                }
                try database.execute("COMMIT")
            }
        }
    }

    private static func read(_ recording: URL) throws -> [(numbers: [Int?], texts: [String?])] {
        let database = try Connection(recording.path, .readImmutable)
        let columns = (numbers + texts).joined(separator: ", ")
        let select = try database.prepare("SELECT \(columns) FROM action ORDER BY seq")
        var rows: [(numbers: [Int?], texts: [String?])] = []
        while try select.step() {
            var row: (numbers: [Int?], texts: [String?]) = ([], [])
            for column in 0..<Int32(numbers.count) {
                row.numbers.append(try select.optionalInteger(column).map { Int($0) })
            }
            for column in Int32(numbers.count)..<Int32(numbers.count + texts.count) {
                row.texts.append(try select.optionalText(column))
            }
            rows.append(row)
        }
        return rows
    }
}

/// Creates a database with a `-wal`, and runs statements.
func newDatabase(at file: URL, _ sql: String) throws -> Connection {
    try Data().write(to: file)
    let database = try Connection(file.path, .readWrite)
    try database.execute("PRAGMA journal_mode = WAL; \(sql)")
    return database
}
