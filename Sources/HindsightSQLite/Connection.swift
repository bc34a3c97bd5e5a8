import CSQLite

/// A connection to one SQLite database, closed when it goes. One thread at a time.
///
/// Every connection treats its file as hostile: nothing in a file's schema may run code with effects, and lengths are
/// limited. <https://www.sqlite.org/security.html>
package final class Connection {
    /// How a file is opened.
    package enum Access: Sendable {
        /// To be written; the file must exist.
        case readWrite
        /// To be read while another connection, of this or another process, may write.
        ///
        /// Creates no file and writes to none. Where the database is in WAL mode its `-wal` and `-shm` must exist.
        case readShared
        /// To be read together with its `-wal`, while nobody writes: changes nothing on disk and needs no `-shm`.
        ///
        /// Keeps others from removing the `-wal`, and from having the file to themselves, until it is closed.
        case readAbandoned
        /// To be read alone, while nobody writes: changes nothing on disk and disregards a `-wal`.
        ///
        /// Where the database is in WAL mode, keeps others from having the file to themselves until it is closed.
        case readImmutable
    }

    let handle: OpaquePointer
    /// The database's file.
    package let path: String
    let work = WorkLimit()
    let lockWait = LockWait()
    /// What keeps the file as it is for a connection that SQLite opens without locks.
    private let readLock: ReadLock?

    /// Opens a database.
    ///
    /// Reads nothing yet: whether the file is a database shows with the first statement.
    package init(_ path: String, _ access: Access) throws(SQLiteError) {
        switch access {
        case .readWrite:
            try RollbackJournal.check(of: path)
            readLock = nil
        case .readShared:
            readLock = nil
        case .readAbandoned, .readImmutable:
            readLock = try ReadLock(path)
        }
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(access.uri(of: path), &handle, access.flags, nil)
        guard result == SQLITE_OK, let handle else {
            let error = SQLiteError(of: handle, result: result, path: path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        self.path = path
        sqlite3_extended_result_codes(handle, 1)
        try harden()
        for sql in access.preparation {
            try execute(sql)
        }
    }

    deinit {
        // A connection that still has statements lives on until the last of them is finalized.
        sqlite3_close_v2(handle)
    }

    private func harden() throws(SQLiteError) {
        // No writing to the schema, no functions with effects out of it, no checkpoint behind a reader's back.
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
        for (limit, value) in Self.limits {
            sqlite3_limit(handle, limit, value)
        }
        // Nothing of ours needs to be sorted. What a file makes SQLite sort all the same takes no disk.
        try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY")
        lockWait.attach(to: handle)
    }

    /// What our own statements need, with room to spare. The length of a value stays at SQLite's own limit (10⁹ bytes).
    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (SQLITE_LIMIT_COLUMN, 100),
        (SQLITE_LIMIT_EXPR_DEPTH, 50),
        (SQLITE_LIMIT_COMPOUND_SELECT, 10),
        (SQLITE_LIMIT_VDBE_OP, 25_000),
        (SQLITE_LIMIT_FUNCTION_ARG, 20),
        (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 50),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Lets a file be read that is damaged: one that is shorter than its head says is taken as it is. For a connection that
    /// only reads.
    ///
    /// - Parameter longestText: Longer values are refused, so that nobody makes us hold them.
    package func tolerateDamage(longestText: Int32) throws(SQLiteError) {
        // What this switch is named for cannot be done: the connection is read-only.
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0))
        try execute("PRAGMA writable_schema = ON")
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longestText)
    }

    // MARK: Statements

    /// Runs statements that give no rows; rows are disregarded.
    package func execute(_ sql: String) throws(SQLiteError) {
        work.begin()
        let result = LockWait.retrying { sqlite3_exec(handle, sql, nil, nil, nil) }
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, sql: sql, path: path) }
    }

    /// Compiles one statement, to be run many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        work.begin()
        var statement: OpaquePointer?
        let result = LockWait.retrying {
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        }
        guard result == SQLITE_OK, let statement else {
            throw SQLiteError(of: handle, result: result, sql: sql, path: path)
        }
        return Statement(statement, of: self)
    }

    /// The whole number that a query gives in its first row and column; `nil` where there is no row or it is null.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// The text that a query gives in its first row and column; `nil` where there is no row or it is null.
    package func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// Runs `body`, which only reads, so that all of it sees the database at one moment.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        // Nothing was written; where ending fails, the next statement fails likewise and tells.
        defer { _ = sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
        return try body()
    }

    /// Runs `body` in a transaction: all of what it writes is kept, or, where it throws, nothing.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back by itself, as it does when the disk is full.
            if sqlite3_get_autocommit(handle) == 0 {
                // The first failure is the one to tell; a rollback that fails leaves the file to its journal.
                _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    private func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, path: path) }
    }
}
