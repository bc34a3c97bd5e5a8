import HindsightFormat
import HindsightSQLite

/// Finds the threads of actions in the table `thread`: see ``ThreadTable``.
final class ThreadRanges {
    private let connection: Connection
    private let select: Statement
    /// The range that was found last.
    private var found: ThreadTable.Range?

    /// - Returns: `nil` if the file has no such table. Another table of that name is a user's own.
    static func of(_ file: ReadableFile) throws(SQLiteError) -> ThreadRanges? {
        guard try file.connection.fault(ofReading: ThreadTable.table) == nil else { return nil }
        return try ThreadRanges(file.connection)
    }

    private init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        select = try connection.prepare(
            "\(ThreadTable.table.selection()) WHERE first <= ? ORDER BY first DESC LIMIT 1"
        )
    }

    /// Returns the thread of an action; `nil` if it is not known. Costs a search in the table if the action is not in
    /// the range of the last call.
    func thread(of seq: Int) throws(SQLiteError) -> DispatchingThread? {
        if let found, found.actions.contains(seq) { return found.thread }
        defer { select.reset() }
        try select.bind(seq, at: 1)
        // A range that no recorder writes says nothing.
        guard try select.step(), let range = try ThreadTable.Range(select), range.actions.contains(seq) else {
            return nil
        }
        found = range
        return range.thread
    }

    /// Returns the first range of each thread, in the order of their numbers. Costs a pass over the table.
    func firstRanges() throws(SQLiteError) -> [ThreadTable.Range] {
        // SQLite takes the other columns from the row with the minimum.
        let row = try connection.prepare(
            "SELECT min(first), last, number, name, task FROM thread GROUP BY number ORDER BY number"
        )
        var ranges: [ThreadTable.Range] = []
        while try row.step() {
            if let range = try ThreadTable.Range(row) { ranges.append(range) }
        }
        return ranges
    }

    /// Returns the last action up to `seq` that a thread dispatched; `nil` if there is none. Costs the ranges since then.
    func last(of thread: Int, upTo seq: Int) throws(SQLiteError) -> Int? {
        let row = try connection.prepare(
            "\(ThreadTable.table.selection()) WHERE number = ? AND first <= ? ORDER BY first DESC LIMIT 1"
        )
        try row.bind(thread, at: 1)
        try row.bind(seq, at: 2)
        guard try row.step(), let range = try ThreadTable.Range(row) else { return nil }
        return min(range.actions.upperBound, seq)
    }
}
