import HindsightSQLite

/// The table `skipped`: one row for each run of actions whose states were left out, because the recorder fell behind.
///
/// It is created with the first run. The steps of a run's last action are the changes of the whole run, as one entry
/// without a duration. Such a run is *bridged*, and its last state is known. In formats 2 and 3, a keyframe follows
/// the run instead. If the process ended within a run, the run has neither.
package struct SkippedTable {
    package static let table = Schema.Table(
        "skipped",
        key: "first",
        ["first", "last"],
        "(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT"
    )

    private var present: ClosedRange<Int>?

    package init() {}

    /// Adds an action inside a transaction.
    ///
    /// - Parameter isBridged: Whether the action ends a run, and has the changes of the whole run.
    package mutating func add(_ seq: Int, isBridged: Bool = false, to connection: Connection) throws(SQLiteError) {
        if present == nil {
            try connection.execute(Self.table.creation)
            try Schema.raise(to: Schema.partialVersion, connection)
        }
        let first = present.flatMap { $0.upperBound == seq - 1 ? $0.lowerBound : nil } ?? seq
        // After a rollback, this replaces the row of a new run, or extends that of a continued one.
        let insert = try connection.prepare("INSERT OR REPLACE INTO skipped(first, last) VALUES (?, ?)")
        try insert.bind(first, at: 1)
        try insert.bind(seq, at: 2)
        try insert.run()
        present = first...seq
        if isBridged { try end(connection) }
    }

    /// Ends the run with its changes, inside a transaction.
    package mutating func bridge(to seq: Int, _ steps: String, _ connection: Connection) throws(SQLiteError) {
        let update = try connection.prepare("UPDATE action SET steps = ? WHERE seq = ?")
        try update.bind(steps, at: 1)
        try update.bind(seq, at: 2)
        try update.run()
        try end(connection)
    }

    /// Starts a new run with the next action.
    private mutating func end(_ connection: Connection) throws(SQLiteError) {
        try Schema.raise(to: Schema.bridgedVersion, connection)
        try connection.execute("INSERT OR IGNORE INTO reducer VALUES \(Schema.bridge)")
        present = nil
    }
}
