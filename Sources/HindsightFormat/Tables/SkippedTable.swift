import HindsightSQLite

/// The actions whose states were left out, since the recorder was behind: the table `skipped`, a row a run of them.
///
/// A file has it from the first on. The steps of the last action of a run are what changed across the whole run, as one
/// entry without a duration: such a run is *bridged*, and its last state is known. In formats 2 and 3 there is a whole
/// state after it instead. A run that the process did not live to end has neither.
package struct SkippedTable {
    package static let table = Schema.Table("skipped", key: "first", ["first", "last"], in: creation)

    package static let creation =
        "CREATE TABLE IF NOT EXISTS skipped(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT"

    private var present: ClosedRange<Int>?

    package init() {}

    /// Adds an action, within a transaction.
    ///
    /// - Parameter isBridged: Whether it ends a run, and was written with what changed across it.
    package mutating func add(_ seq: Int, isBridged: Bool = false, to connection: Connection) throws(SQLiteError) {
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
        if isBridged { try end(connection) }
    }

    /// Ends the run with what changed across it, within a transaction.
    package mutating func bridge(to seq: Int, _ steps: String, _ connection: Connection) throws(SQLiteError) {
        let update = try connection.prepare("UPDATE action SET steps = ? WHERE seq = ?")
        try update.bind(steps, at: 1)
        try update.bind(seq, at: 2)
        try update.run()
        try end(connection)
    }

    /// The next action that is added begins a run.
    private mutating func end(_ connection: Connection) throws(SQLiteError) {
        try Schema.raise(to: Schema.bridgedVersion, connection)
        try connection.execute("INSERT OR IGNORE INTO reducer VALUES \(Schema.bridge)")
        present = nil
    }
}

/// A run of actions whose states were left out.
package struct SkippedRun: Equatable {
    package var actions: ClosedRange<Int>
    /// Whether what changed across all of them was recorded, so that the states before and behind lead to each other.
    package var isBridged: Bool

    package init(actions: ClosedRange<Int>, isBridged: Bool) {
        self.actions = actions
        self.isBridged = isBridged
    }
}
