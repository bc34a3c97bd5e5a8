import HindsightSQLite

/// Writes the table `thread`: a row for each range of consecutive actions with the same thread and task.
///
/// The table is created with the first range. The thread of an action in no range is not known. Versions that do not
/// know the table pass over it: actions that they add to a file, as a recovery does, are then in no range.
package final class ThreadTable {
    package static let table = Schema.Table(
        "thread",
        key: "first",
        ["first", "last", "number", "name", "task"],
        """
        (
            first INTEGER PRIMARY KEY, last INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT, task TEXT
        ) STRICT
        """
    )

    /// The range with the last action.
    package struct Range: Equatable {
        package var actions: ClosedRange<Int>
        package var thread: DispatchingThread
        fileprivate var isWritten = false

        /// Reads a row with the columns of ``ThreadTable/table``; `nil` if no recorder writes such a row.
        package init?(_ row: borrowing Statement) throws(SQLiteError) {
            let (first, last) = (Int(try row.integer(0)), Int(try row.integer(1)))
            let (number, name, task) = (Int(try row.integer(2)), try row.optionalText(3), try row.optionalText(4))
            guard first > 0, first <= last, number >= DispatchingThread.main,
                DispatchingThread.isPossible(name: name), DispatchingThread.isPossible(name: task)
            else { return nil }
            actions = first...last
            thread = DispatchingThread(number: number, name: name, task: task)
            isWritten = true
        }

        fileprivate init(_ thread: DispatchingThread, of seq: Int) {
            (actions, self.thread) = (seq...seq, thread)
        }
    }

    /// A prepared statement.
    private final class Insert {
        let statement: Statement

        init(_ connection: Connection) throws(SQLiteError) {
            statement = try connection.prepare(
                "INSERT OR REPLACE INTO thread(first, last, number, name, task) VALUES (?, ?, ?, ?, ?)"
            )
        }
    }

    private let connection: Connection
    /// Whether there is no other table of this name. Without its threads, a recording is still complete.
    private let mayWrite: Bool
    /// The range with the last action; `nil` if its thread is not known.
    package private(set) var present: Range?
    /// `nil` until the table exists.
    private var insert: Insert?

    package init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let isThere = "SELECT count(*) FROM sqlite_schema WHERE name = '\(Self.table.name)' COLLATE NOCASE"
        guard try connection.integer(isThere) ?? 0 > 0 else {
            mayWrite = true
            return
        }
        mayWrite = try connection.fault(ofWriting: Self.table) == nil
        guard mayWrite else { return }
        let row = try connection.prepare("\(Self.table.selection()) ORDER BY first DESC LIMIT 1")
        if try row.step() { present = try Range(row) }
    }

    /// Notes the thread of an action, within a transaction. ``write()`` must follow.
    package func add(_ change: ThreadChange, of seq: Int) throws(SQLiteError) {
        guard mayWrite else { return }
        let isNext = present?.actions.upperBound == seq - 1
        let thread = change.thread(after: isNext ? present?.thread : nil)
        if isNext, let present, let thread, thread.isIdentical(to: present.thread) {
            self.present?.actions = present.actions.lowerBound...seq
            self.present?.isWritten = false
        } else {
            try write()
            present = thread.map { Range($0, of: seq) }
        }
    }

    /// Writes the range with the last action, within a transaction.
    package func write() throws(SQLiteError) {
        guard let range = present, !range.isWritten else { return }
        if insert == nil {
            try connection.execute(Self.table.creation)
            insert = try Insert(connection)
        }
        guard let insert else { return }
        try insert.statement.bind(range.actions.lowerBound, at: 1)
        try insert.statement.bind(range.actions.upperBound, at: 2)
        try insert.statement.bind(range.thread.number, at: 3)
        try insert.statement.bind(range.thread.name, at: 4)
        try insert.statement.bind(range.thread.task, at: 5)
        try insert.statement.run()
        present?.isWritten = true
    }

    /// Returns to an earlier range, because the transaction was rolled back.
    package func restore(_ range: Range?) {
        present = range
        // The table may be gone.
        insert = nil
    }
}
