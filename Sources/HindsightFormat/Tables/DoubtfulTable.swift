import HindsightSQLite
import HindsightTree

/// States that are recorded but doubtful: a later whole state shows that something changed where no change was seen.
public struct DoubtfulStates: Sendable, Hashable {
    /// The actions after which, or after whose reducers, the states are doubtful. The state after the last action is a whole
    /// one, and right.
    public var actions: ClosedRange<Int>
    /// The first place at which the recorded changes and the whole state differ.
    public var path: NodePath

    package init(actions: ClosedRange<Int>, path: NodePath) {
        self.actions = actions
        self.path = path
    }
}

/// The ranges of actions whose recorded states are doubtful: the table `doubtful`, a row a range.
///
/// A file has it from the first range on.
package enum DoubtfulTable {
    package static let table = Schema.Table("doubtful", key: "first", ["first", "last", "path"], in: creation)
    package static let creation = """
        CREATE TABLE IF NOT EXISTS doubtful(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, path TEXT NOT NULL) STRICT
        """

    /// Adds a range.
    package static func add(_ states: DoubtfulStates, to connection: Connection) throws(SQLiteError) {
        try connection.execute(creation)
        try Schema.raise(to: Schema.doubtfulVersion, connection)
        let insert = try connection.prepare("INSERT OR REPLACE INTO doubtful(first, last, path) VALUES (?, ?, ?)")
        try insert.bind(states.actions.lowerBound, at: 1)
        try insert.bind(states.actions.upperBound, at: 2)
        try insert.bind(states.path.description, at: 3)
        try insert.run()
    }
}
