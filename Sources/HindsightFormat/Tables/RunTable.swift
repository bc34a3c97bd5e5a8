import HindsightSQLite
import HindsightTree

/// A range of doubtful states: a later keyframe differs from the result of the recorded changes.
package struct DoubtfulStates: Codable, Sendable, Hashable {
    /// The actions with doubtful states, after the action or after one of its reducers. The state after the last action
    /// is a keyframe, and exact.
    package var actions: ClosedRange<Int>
    /// The first place at which the recorded changes and the keyframe differ.
    package var path: NodePath

    package init(actions: ClosedRange<Int>, path: NodePath) {
        self.actions = actions
        self.path = path
    }
}

/// Writes the table `run`: a row for each run of actions without exact states.
///
/// The states of *skipped* actions were left out, because the recorder fell behind. If the last action of such a run
/// has steps, they are the changes of the whole run, as one entry without a duration: the run is *bridged*. Otherwise, a
/// keyframe follows the run. If the process ended within a run, the run has neither.
///
/// The states of *doubtful* actions are not those of the app: see ``DoubtfulStates``.
package struct RunTable {
    package enum Kind: String {
        case skipped, doubtful
    }

    /// The run of skipped actions that the next one may continue.
    private var present: ClosedRange<Int>?

    /// Adds a run.
    package static func add(skipped actions: ClosedRange<Int>, to connection: Connection) throws(SQLiteError) {
        try add(.skipped, actions, nil, connection)
    }

    /// Adds a run.
    package static func add(_ states: DoubtfulStates, to connection: Connection) throws(SQLiteError) {
        try add(.doubtful, states.actions, states.path.description, connection)
    }

    private static func add(
        _ kind: Kind,
        _ actions: ClosedRange<Int>,
        _ path: String?,
        _ connection: Connection
    ) throws(SQLiteError) {
        let insert = try connection.prepare("INSERT OR REPLACE INTO run(kind, first, last, path) VALUES (?, ?, ?, ?)")
        try insert.bind(kind.rawValue, at: 1)
        try insert.bind(actions.lowerBound, at: 2)
        try insert.bind(actions.upperBound, at: 3)
        try insert.bind(path, at: 4)
        try insert.run()
    }

    /// Adds a skipped action inside a transaction.
    ///
    /// - Parameter isLast: Whether the action ends a run: it has the changes of the whole run, or a keyframe follows it.
    package mutating func skip(_ seq: Int, isLast: Bool, _ connection: Connection) throws(SQLiteError) {
        let first = present.flatMap { $0.upperBound == seq - 1 ? $0.lowerBound : nil } ?? seq
        try Self.add(skipped: first...seq, to: connection)
        present = isLast ? nil : first...seq
    }

    /// Ends the run of skipped actions with its changes, inside a transaction.
    package mutating func bridge(to seq: Int, _ steps: String, _ connection: Connection) throws(SQLiteError) {
        let update = try connection.prepare("UPDATE action SET steps = ? WHERE seq = ?")
        try update.bind(steps, at: 1)
        try update.bind(seq, at: 2)
        try update.run()
        present = nil
    }
}
