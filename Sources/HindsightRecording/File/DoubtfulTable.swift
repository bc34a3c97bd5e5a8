import HindsightSQLite
import HindsightTree

/// States that are recorded but doubtful: a later whole state shows that something changed where no change was seen.
public struct DoubtfulStates: Sendable, Hashable {
    /// The actions after which, or after whose reducers, the states are doubtful. The state after the last action is a whole
    /// one, and right.
    public var actions: ClosedRange<Int>
    /// The first place at which the recorded changes and the whole state differ.
    public var path: NodePath
}

/// The ranges of actions whose recorded states are doubtful: the table `doubtful`, a row a range.
///
/// A file has it from the first range on.
enum DoubtfulTable {
    static let table = Schema.Table("doubtful", key: "first", ["first", "last", "path"], in: creation)
    static let creation = """
        CREATE TABLE IF NOT EXISTS doubtful(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, path TEXT NOT NULL) STRICT
        """

    /// Adds a range.
    static func add(_ states: DoubtfulStates, to connection: Connection) throws(SQLiteError) {
        try connection.execute(creation)
        try Schema.raise(to: Schema.doubtfulVersion, connection)
        let insert = try connection.prepare("INSERT OR REPLACE INTO doubtful(first, last, path) VALUES (?, ?, ?)")
        try insert.bind(states.actions.lowerBound, at: 1)
        try insert.bind(states.actions.upperBound, at: 2)
        try insert.bind(states.path.description, at: 3)
        try insert.run()
    }
}

extension ReadableFile {
    /// The ranges of doubtful states, in their order.
    ///
    /// - Throws: ``RecordingError``: `damaged`.
    func doubtful(after start: Int, upTo last: Int) throws -> [DoubtfulStates] {
        guard try hasTable(DoubtfulTable.table) else { return [] }
        var ranges: [DoubtfulStates] = []
        let row = try connection.prepare("SELECT first, last, path FROM doubtful ORDER BY first")
        while try row.step() {
            let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
            guard first >= 1, first <= end, first > ranges.last?.actions.upperBound ?? 0, end <= last,
                let path = NodePath(try row.text(2))
            else { throw damaged("its table doubtful does not fit its actions") }
            // A limit has dropped what is before the start.
            if end > start { ranges.append(DoubtfulStates(actions: max(first, start + 1)...end, path: path)) }
        }
        return ranges
    }
}
