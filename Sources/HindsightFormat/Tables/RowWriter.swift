import HindsightSQLite
import HindsightTree

/// Writes the rows of actions and whole states. One thread at a time, inside or outside of a transaction of the caller.
package final class RowWriter {
    /// What an action did.
    package struct Effect {
        package var duration: Int64
        /// The steps of the reducers, as text.
        package var steps: String
        /// The number of bytes in the steps that are operations.
        package var operationBytes: Int
        /// The growth of the state's text in bytes.
        package var growth: Int
        /// The whole state after the action, if a keyframe is due.
        package var keyframe: String?

        package init(_ steps: [TimedPatch], keyframe: String? = nil) {
            self.init(
                duration: steps.reduce(0) { $0 + ($1.duration ?? 0) },
                TimedPatches.write(steps),
                keyframe: keyframe
            )
        }

        package init(duration: Int64, _ steps: TimedPatchText, keyframe: String?) {
            self.duration = duration
            (self.steps, operationBytes, growth) = (steps.text, steps.operationBytes, steps.growth)
            self.keyframe = keyframe
        }

        /// Wraps steps that are already text.
        package init(text: String, duration: Int64) {
            self.duration = duration
            steps = text
            (operationBytes, growth) = (0, 0)
        }
    }

    /// An action with its results.
    package struct Row {
        package var action: DispatchedAction
        /// `nil` if the action never finished.
        package var duration: Int64?
        /// `nil` if the states after the action are not known.
        package var effect: Effect?
        /// Whether states were left out because the recorder fell behind. An effect then covers the whole run that ends
        /// with this action.
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

    /// - Parameter nameCount: The number of texts that the table `name` takes.
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

    /// Writes actions, and what `more` writes, in one transaction.
    package func write(_ rows: [Row], and more: () throws(SQLiteError) -> Void = {}) throws(SQLiteError) {
        let known = names.last
        do {
            try connection.transaction { () throws(SQLiteError) in
                // Iterates by index, because iterating by element copies the row.
                for index in rows.indices { try insert(rows[index]) }
                try more()
            }
        } catch {
            names.forget(after: known)
            throw error
        }
    }

    /// Writes the changes of a run of actions whose states were left out, and optionally the whole state after it; see
    /// ``SkippedTable``. The argument is the last action of the run.
    package func bridge(to seq: Int, _ effect: Effect) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try skipped.bridge(to: seq, effect.steps, connection)
            if let keyframe = effect.keyframe { try keep(keyframe, at: seq) }
        }
    }

    /// Writes the whole state after an action, and replaces an existing one.
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

    /// Writes a whole state inside a transaction.
    package func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
    }
}
