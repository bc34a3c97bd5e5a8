import HindsightSQLite

/// Writes rows of actions and whole states into a recording's tables. One thread at a time; within or without a
/// transaction of the caller's.
package final class RowWriter {
    /// What an action did.
    package struct Effect: Sendable {
        package var duration: Int64
        /// What each reducer did, as text.
        package var steps: String
        /// The whole state after it, if that is to be kept.
        package var keyframe: String?

        package init(duration: Int64, steps: String) {
            self.duration = duration
            self.steps = steps
        }
    }

    /// An action and what is known of it.
    package struct Row {
        package var action: DispatchedAction
        /// `nil` where it never finished.
        package var duration: Int64?
        /// `nil` where the states after it are not known.
        package var effect: Effect?
        /// Whether the states after it were left out, since the recorder was behind. An effect is then that of the whole run
        /// whose last action it is.
        package var isSkipped = false
        package init(action: DispatchedAction, effect: Effect?) {
            self.action = action
            self.effect = effect
            duration = effect?.duration
        }

        package init(action: DispatchedAction, duration: Int64?) {
            self.action = action
            self.duration = duration
        }
    }

    private let connection: Connection
    private let insertAction: Statement
    private let insertKeyframe: Statement
    private let adoptAction: Statement
    private var names: NameTable
    private var skipped = SkippedTable()

    /// - Parameter nameCount: How many texts the table `name` takes.
    package init(_ connection: Connection, nameCount: Int = 4096) throws(SQLiteError) {
        self.connection = connection
        insertAction = try connection.prepare(Self.insertingAction)
        insertKeyframe = try connection.prepare(Self.insertingKeyframe)
        adoptAction = try connection.prepare(Self.adoptingAction)
        names = try NameTable(connection, limit: nameCount)
    }

    private static let insertingAction = """
        INSERT INTO action(seq, parent, type, payload, at, file, line, problem, duration, steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertingKeyframe = "INSERT INTO keyframe(seq, state) VALUES (?, ?)"
    private static let adoptingAction = "UPDATE action SET parent = ? WHERE seq = ?"

    /// Commits actions, all or none, and what `more` writes with them.
    package func write(_ rows: [Row], and more: () throws(SQLiteError) -> Void = {}) throws(SQLiteError) {
        let known = names.last
        do {
            try connection.transaction { () throws(SQLiteError) in
                // By index: a row that is taken out is copied.
                for index in rows.indices { try insert(rows[index]) }
                try more()
            }
        } catch {
            names.forget(after: known)
            throw error
        }
    }

    /// Writes what changed across a run of actions whose states were left out, the last of which is given: see
    /// ``SkippedTable``. The state behind it may come as a whole too.
    package func bridge(to seq: Int, _ effect: Effect) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try skipped.bridge(to: seq, effect.steps, connection)
            if let keyframe = effect.keyframe { try keep(keyframe, at: seq) }
        }
    }

    /// Writes the whole state after an action, in place of what may stand there.
    ///
    /// - Parameter doubtful: Ranges of states before it that turned out to be doubtful.
    package func keepWhole(_ state: String, at seq: Int, doubtful: [DoubtfulStates] = []) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute("DELETE FROM keyframe WHERE seq = \(seq)")
            try keep(state, at: seq)
            for states in doubtful { try DoubtfulTable.add(states, to: connection) }
        }
    }

    /// Writes that states are doubtful.
    package func markDoubtful(_ states: DoubtfulStates) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try DoubtfulTable.add(states, to: connection) }
    }

    private func insert(_ row: Row) throws(SQLiteError) {
        try insertAction.bind(row.action.seq, at: 1)
        try insertAction.bind(row.action.parent, at: 2)
        try names.bind(row.action.type, to: insertAction, at: 3)
        try insertAction.bind(row.action.payload, at: 4)
        try insertAction.bind(row.action.at, at: 5)
        if let origin = row.action.origin {
            try names.bind(origin.file, to: insertAction, at: 6)
            try insertAction.bind(origin.line, at: 7)
        } else {
            try insertAction.bindNull(at: 6)
            try insertAction.bindNull(at: 7)
        }
        try insertAction.bind(row.action.problem, at: 8)
        try insertAction.bind(row.duration.map { Int($0) }, at: 9)
        try insertAction.bind(row.effect?.steps, at: 10)
        try insertAction.run()
        if row.isSkipped { try skipped.add(row.action.seq, isBridged: row.effect != nil, to: connection) }
        for child in row.action.adopted {
            try adoptAction.bind(row.action.seq, at: 1)
            try adoptAction.bind(child, at: 2)
            try adoptAction.run()
        }
        if let keyframe = row.effect?.keyframe { try keep(keyframe, at: row.action.seq) }
    }

    /// Writes a whole state, within a transaction.
    package func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
    }
}
