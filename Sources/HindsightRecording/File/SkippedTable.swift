import HindsightSQLite

/// The actions whose states were left out, since the recorder was behind: the table `skipped`, a row a run of them.
///
/// A file has it from the first on. After the last action of each run there is a whole state, unless the recording ends
/// there.
struct SkippedTable {
    static let table = Schema.Table("skipped", key: "first", ["first", "last"], in: creation)

    static let creation = "CREATE TABLE IF NOT EXISTS skipped(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT"

    private var present: ClosedRange<Int>?

    /// Adds an action, within a transaction.
    mutating func add(_ seq: Int, to connection: Connection) throws(SQLiteError) {
        if present == nil {
            try connection.execute(Self.creation)
            try Schema.raise(to: Schema.partialVersion, connection)
        }
        let first = present.flatMap { $0.upperBound == seq - 1 ? $0.lowerBound : nil } ?? seq
        // Of what was rolled back there is nothing, and of a run that goes on everything.
        let insert = try connection.prepare("INSERT OR REPLACE INTO skipped(first, last) VALUES (?, ?)")
        try insert.bind(first, at: 1)
        try insert.bind(seq, at: 2)
        try insert.run()
        present = first...seq
    }
}

extension ReadableFile {
    /// The runs of actions whose states were left out, in their order.
    ///
    /// - Throws: ``RecordingError``: `damaged`.
    func skipped(after start: Int, upTo last: Int) throws -> [ClosedRange<Int>] {
        guard try hasTable(SkippedTable.table) else { return [] }
        var runs: [ClosedRange<Int>] = []
        let row = try connection.prepare("SELECT first, last FROM skipped ORDER BY first")
        while try row.step() {
            let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
            guard first <= end, first > runs.last?.upperBound ?? 0, end <= last else {
                throw damaged("what it says of states that were left out cannot be")
            }
            // Of what a limit has dropped nobody asks any more.
            if end > start { runs.append(max(first, start + 1)...end) }
        }
        return runs
    }
}
