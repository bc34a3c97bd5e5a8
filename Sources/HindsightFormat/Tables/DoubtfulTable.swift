import HindsightSQLite
import HindsightTree

/// A range of doubtful states: a later keyframe differs from the result of the recorded changes.
public struct DoubtfulStates: Sendable, Hashable {
    /// The actions with doubtful states, after the action or after one of its reducers. The state after the last action
    /// is a keyframe, and exact.
    public package(set) var actions: ClosedRange<Int>
    /// The first place at which the recorded changes and the keyframe differ.
    public package(set) var path: NodePath

    package init(actions: ClosedRange<Int>, path: NodePath) {
        self.actions = actions
        self.path = path
    }
}

/// The table `doubtful`: one row for each range of actions with doubtful states.
///
/// It is created with the first range.
package enum DoubtfulTable {
    package static let table = Schema.Table(
        "doubtful",
        key: "first",
        ["first", "last", "path"],
        "(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, path TEXT NOT NULL) STRICT"
    )

    /// Adds a range.
    package static func add(_ states: DoubtfulStates, to connection: Connection) throws(SQLiteError) {
        try connection.execute(table.creation)
        try Schema.raise(to: Schema.doubtfulVersion, connection)
        let insert = try connection.prepare("INSERT OR REPLACE INTO doubtful(first, last, path) VALUES (?, ?, ?)")
        try insert.bind(states.actions.lowerBound, at: 1)
        try insert.bind(states.actions.upperBound, at: 2)
        try insert.bind(states.path.description, at: 3)
        try insert.run()
    }
}
