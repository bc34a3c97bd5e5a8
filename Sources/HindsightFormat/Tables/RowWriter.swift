import HindsightSQLite

/// Writes the rows of actions and keyframes. One thread at a time, inside or outside of a transaction of the caller.
package final class RowWriter {
    /// The number of bytes that a row takes beside its texts.
    package static let rowOverhead = 64

    private let connection: Connection
    private let insertAction: Statement
    private let insertKeyframe: Statement
    private let adoptAction: Statement
    private var names: NameTable
    private var runs = RunTable()
    /// The last action, and the text of its thread, to which `ThreadChange.unchanged` refers.
    private var last: (seq: Int, thread: String?)

    /// - Parameter nameCount: The number of texts that the table `name` takes.
    package init(_ connection: Connection, nameCount: Int = 4096) throws(SQLiteError) {
        self.connection = connection
        insertAction = try connection.prepare(Self.insertingAction)
        insertKeyframe = try connection.prepare(Self.insertingKeyframe)
        adoptAction = try connection.prepare(Self.adoptingAction)
        names = try NameTable(connection, limit: nameCount)
        last = try Self.last(connection)
    }

    /// Reads the last action of a file to which actions are added, as by a recovery.
    private static func last(_ connection: Connection) throws(SQLiteError) -> (seq: Int, thread: String?) {
        let row = try connection.prepare(
            "SELECT seq, \(RecordingView.text(of: "thread")) FROM action ORDER BY seq DESC LIMIT 1"
        )
        guard try row.step() else { return (0, nil) }
        // In a damaged file, it may be no text. It is then not known.
        return (Int(try row.integer(0)), row.withText(1) { String(decoding: $0, as: UTF8.self) })
    }

    private static let insertingAction = """
        INSERT INTO action(seq, parent, type, payload, at, file, line, problem, duration, steps, thread)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertingKeyframe = "INSERT INTO keyframe(seq, state) VALUES (?, ?)"
    private static let adoptingAction = "UPDATE action SET parent = ? WHERE seq = ?"

    /// Commits the actions that `body` inserts, and what else it writes: all or nothing.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let (known, last, runs) = (names.last, last, runs)
        do {
            try connection.transaction(body)
        } catch {
            names.forget(after: known)
            (self.last, self.runs) = (last, runs)
            throw error
        }
    }

    /// Writes what changed across a run of actions whose states were left out: see ``RunTable``.
    ///
    /// - Parameters:
    ///   - seq: The last action of the run.
    ///   - keyframe: The keyframe after it, if that is to be kept.
    package func bridge(to seq: Int, steps: String, keyframe: String?) throws(SQLiteError) {
        try transaction { () throws(SQLiteError) in
            try runs.bridge(to: seq, steps, connection)
            if let keyframe { try keep(keyframe, at: seq) }
        }
    }

    /// Writes the keyframe after an action, and replaces an existing one.
    ///
    /// - Parameter doubtful: Ranges of states before it that turned out to be doubtful.
    package func keepWhole(_ state: String, at seq: Int, doubtful: [DoubtfulStates] = []) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try keep(state, at: seq)
            for states in doubtful { try RunTable.add(states, to: connection) }
        }
    }

    /// Writes the keyframe after the last of some doubtful states, and removes those within, which are doubtful, too. One
    /// mark takes the place of all that overlap.
    package func correct(_ state: String, _ doubtful: DoubtfulStates) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            var states = doubtful
            let (first, last) = (states.actions.lowerBound, states.actions.upperBound)
            let marks = "FROM run WHERE kind = 'doubtful' AND last >= \(first)"
            // A mark that begins before has no keyframe within: it reaches from one to the next.
            let marked = try connection.integer("SELECT min(first) \(marks)").map(Int.init) ?? first
            states.actions = min(marked, first)...last
            try connection.execute("DELETE \(marks)")
            try connection.execute(
                """
                DELETE FROM keyframe WHERE seq >= \(first) AND seq < \(last)
                AND seq > (SELECT min(seq) FROM keyframe)
                """
            )
            try keep(state, at: last)
            try RunTable.add(states, to: connection)
        }
    }

    /// Marks states as doubtful.
    package func markDoubtful(_ states: DoubtfulStates) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try RunTable.add(states, to: connection) }
    }

    /// Inserts an action, within ``transaction(_:)`` or a transaction of the caller.
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
        let thread = action.thread.form(\.node.json, after: last.seq == action.seq - 1 ? last.thread : nil)
        if let thread { try names.bind(thread, to: insertAction, at: 11) } else { try insertAction.bindNull(at: 11) }
        try insertAction.run()
        last = (action.seq, thread)
        if isSkipped { try runs.skip(action.seq, isLast: steps != nil || keyframe != nil, connection) }
        for child in action.adopted { try adopt(child, by: action.seq) }
        if let keyframe { try insert(keyframe: keyframe, at: action.seq) }
    }

    /// Sets the parent of an action inside a transaction.
    package func adopt(_ child: Int, by parent: Int) throws(SQLiteError) {
        try adoptAction.bind(parent, at: 1)
        try adoptAction.bind(child, at: 2)
        try adoptAction.run()
    }

    /// Writes the names of the reducers, from 1, inside a transaction.
    package func insert(reducers: [String]) throws(SQLiteError) {
        let insert = try connection.prepare("INSERT INTO reducer(id, name) VALUES (?, ?)")
        for (index, name) in reducers.enumerated() {
            try insert.bind(index + 1, at: 1)
            try insert.bind(name, at: 2)
            try insert.run()
        }
    }

    /// Writes a keyframe inside a transaction, and replaces an existing one.
    package func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try connection.execute("DELETE FROM keyframe WHERE seq = \(seq)")
        try insert(keyframe: state, at: seq)
    }

    private func insert(keyframe state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
    }
}
