import HindsightSQLite

/// Writes the rows of actions and keyframes. One thread at a time, inside or outside of a transaction of the caller.
package final class RowWriter {
    private let connection: Connection
    private let insertAction: Statement
    private let insertKeyframe: Statement
    private let adoptAction: Statement
    private var names: NameTable
    private var skipped = SkippedTable()
    private let threads: ThreadTable

    /// - Parameter nameCount: The number of texts that the table `name` takes.
    package init(_ connection: Connection, nameCount: Int = 4096) throws(SQLiteError) {
        self.connection = connection
        insertAction = try connection.prepare(Self.insertingAction)
        insertKeyframe = try connection.prepare(Self.insertingKeyframe)
        adoptAction = try connection.prepare(Self.adoptingAction)
        names = try NameTable(connection, limit: nameCount)
        threads = try ThreadTable(connection)
    }

    private static let insertingAction = """
        INSERT INTO action(seq, parent, type, payload, at, file, line, problem, duration, steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertingKeyframe = "INSERT INTO keyframe(seq, state) VALUES (?, ?)"
    private static let adoptingAction = "UPDATE action SET parent = ? WHERE seq = ?"

    /// Commits the actions that `body` inserts, and what else it writes: all or nothing.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let (known, thread) = (names.last, threads.present)
        do {
            try connection.transaction { () throws(SQLiteError) in
                try body()
                try threads.write()
            }
        } catch {
            names.forget(after: known)
            threads.restore(thread)
            throw error
        }
    }

    /// Writes what changed across a run of actions whose states were left out: see ``SkippedTable``.
    ///
    /// - Parameters:
    ///   - seq: The last action of the run.
    ///   - keyframe: The keyframe after it, if that is to be kept.
    package func bridge(to seq: Int, steps: String, keyframe: String?) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try skipped.bridge(to: seq, steps, connection)
            if let keyframe { try keep(keyframe, at: seq) }
        }
    }

    /// Writes the keyframe after an action, and replaces an existing one.
    ///
    /// - Parameter doubtful: Ranges of states before it that turned out to be doubtful.
    package func keepWhole(_ state: String, at seq: Int, doubtful: [DoubtfulStates] = []) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute("DELETE FROM keyframe WHERE seq = \(seq)")
            try keep(state, at: seq)
            for states in doubtful { try DoubtfulTable.add(states, to: connection) }
        }
    }

    /// Marks states as doubtful.
    package func markDoubtful(_ states: DoubtfulStates) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try DoubtfulTable.add(states, to: connection) }
    }

    /// Inserts an action, within ``transaction(_:)``, or within a transaction of the caller that ends with
    /// ``finish()``.
    ///
    /// - Parameters:
    ///   - duration: The time that its reducers took; `nil` if it never finished.
    ///   - steps: What each reducer did, as text; `nil` if the state after it is not known.
    ///   - keyframe: The keyframe after it, if that is to be kept.
    ///   - isSkipped: Whether the states after it were left out, since the recorder was behind. Steps are then those of the
    ///     whole run of such actions that ends with this one.
    package func insert(
        _ action: DispatchedAction,
        duration: Int64?,
        steps: String? = nil,
        keyframe: String? = nil,
        isSkipped: Bool = false
    ) throws(SQLiteError) {
        try insertAction.bind(action.seq, at: 1)
        try insertAction.bind(action.parent, at: 2)
        try names.bind(action.type, to: insertAction, at: 3)
        try insertAction.bind(action.payload, at: 4)
        try insertAction.bind(action.at, at: 5)
        if let origin = action.origin {
            try names.bind(origin.file, to: insertAction, at: 6)
            try insertAction.bind(origin.line, at: 7)
        } else {
            try insertAction.bindNull(at: 6)
            try insertAction.bindNull(at: 7)
        }
        try insertAction.bind(action.problem, at: 8)
        try insertAction.bind(duration.map { Int($0) }, at: 9)
        try insertAction.bind(steps, at: 10)
        try insertAction.run()
        try threads.add(action.thread, of: action.seq)
        if isSkipped { try skipped.add(action.seq, isBridged: steps != nil, to: connection) }
        for child in action.adopted {
            try adoptAction.bind(action.seq, at: 1)
            try adoptAction.bind(child, at: 2)
            try adoptAction.run()
        }
        if let keyframe { try keep(keyframe, at: action.seq) }
    }

    /// Writes what concerns several actions. Must come before the end of a transaction of the caller.
    package func finish() throws(SQLiteError) { try threads.write() }

    /// Writes a keyframe inside a transaction.
    package func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
    }
}
