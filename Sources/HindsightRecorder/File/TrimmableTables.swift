import HindsightFormat
import HindsightSQLite

/// Drops the beginning of a recording's file.
///
/// First it deletes the keyframes before the new start. From then on, no reader reads the actions before it. Then it
/// deletes these actions a few at a time. It keeps the action that led to the first state, whose time says from when on
/// the recording is complete.
final class TrimmableTables {
    private let connection: Connection
    private let deleteStates: Statement
    private let deleteNotes: Statement
    private let deleteRuns: Statement
    private let deleteActions: Statement
    private let pages: Statement
    private let freePages: Statement
    private let pageBytes: Int
    /// The action with which the recording begins.
    private(set) var base = 0
    /// Actions before this one are deleted.
    private var lowest = 1

    /// The number of actions that one statement deletes.
    private static let stride = 256
    /// The number of pages that one statement returns to the file system.
    private static let vacuumPages = 32

    init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        deleteStates = try connection.prepare("DELETE FROM keyframe WHERE seq < ?")
        deleteNotes = try connection.prepare("DELETE FROM note WHERE seq < ?1 OR seq = ?1 AND reducer IS NOT NULL")
        deleteRuns = try connection.prepare("DELETE FROM run WHERE last <= ?")
        deleteActions = try connection.prepare("DELETE FROM action WHERE seq < ?")
        pages = try connection.prepare("PRAGMA page_count")
        freePages = try connection.prepare("PRAGMA freelist_count")
        pageBytes = Int(try connection.integer("PRAGMA page_size") ?? 4096)
    }

    /// Prepares a new, empty file, before its tables are created.
    static func prepare(_ connection: Connection) throws(SQLiteError) {
        // Allows SQLite to return free pages.
        try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    }

    /// Prepares a connection, once the file is in WAL mode.
    static func configure(_ connection: Connection, _ budget: ByteBudget?) throws(SQLiteError) {
        // Some builds of SQLite overwrite deleted data, which would write every deleted page again.
        try connection.execute("PRAGMA secure_delete = FAST")
        guard let budget else { return }
        let pageBytes = Int(try connection.integer("PRAGMA page_size") ?? 4096)
        try connection.execute(
            """
            PRAGMA wal_autocheckpoint = \(budget.checkpointBytes / pageBytes);
            PRAGMA journal_size_limit = \(budget.checkpointBytes)
            """
        )
    }

    /// The size of the file's pages, and of those in use, in bytes.
    func size() throws(SQLiteError) -> (all: Int, used: Int) {
        let (all, free) = (try number(pages), try number(freePages))
        return (all * pageBytes, (all - free) * pageBytes)
    }

    private func number(_ row: borrowing Statement) throws(SQLiteError) -> Int {
        defer { row.reset() }
        return try row.step() ? Int(row.integer(0)) : 0
    }

    /// Whether actions before the start remain to be deleted.
    var hasRemains: Bool { lowest < base }

    /// Moves the start to a later keyframe.
    func begin(at seq: Int) throws(SQLiteError) {
        try run(deleteStates, seq)
        try run(deleteNotes, seq)
        try run(deleteRuns, seq)
        base = seq
    }

    /// Deletes some actions before the beginning.
    func deleteRemains() throws(SQLiteError) {
        lowest = min(base, lowest + Self.stride)
        try run(deleteActions, lowest)
    }

    /// Returns some free pages. The file shrinks with the next checkpoint.
    func vacuum() throws(SQLiteError) {
        try connection.execute("PRAGMA incremental_vacuum(\(Self.vacuumPages))")
    }

    /// Runs `body` in a transaction. If that fails, the start is where it was.
    func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let (base, lowest) = (base, lowest)
        do {
            try connection.transaction(body)
        } catch {
            (self.base, self.lowest) = (base, lowest)
            throw error
        }
    }

    private func run(_ statement: borrowing Statement, _ seq: Int) throws(SQLiteError) {
        try statement.bind(seq, at: 1)
        try statement.run()
    }
}
