import CSQLite

/// A connection to an SQLite database, closed when it is released. One thread at a time.
///
/// Every connection treats its file as hostile: the schema cannot run code with side effects, and lengths are limited.
/// <https://www.sqlite.org/security.html>
package final class Connection {
    /// How a file is opened.
    package enum Access: Sendable {
        /// For writing. The file must exist.
        case readWrite
        /// For reading while another connection, of this or another process, may write.
        ///
        /// Creates no file and writes to none. If the database is in WAL mode, its `-wal` and `-shm` must exist.
        case readShared
        /// For reading together with a `-wal`, if there is no writer. Changes nothing on disk, and needs no `-shm`.
        ///
        /// Prevents other connections from removing the `-wal`, and from exclusive access, until it is closed.
        case readAbandoned
        /// For reading without a `-wal`, if there is no writer. Changes nothing on disk.
        ///
        /// If the database is in WAL mode, prevents other connections from exclusive access until it is closed.
        case readImmutable
        /// A new, empty database for this connection alone. The path is that of another file, for messages.
        ///
        /// It is in memory; what exceeds SQLite's cache goes to a temporary file without a name.
        case temporary
    }

    let handle: OpaquePointer
    /// The database's file.
    package let path: String
    /// How the database was opened.
    package let access: Access
    /// Whether a damaged schema is read too: what in it contradicts itself or cannot be parsed is passed over.
    package private(set) var toleratesDamage = false
    let work = WorkLimit()
    let lockWait = LockWait()
    /// Decides what may be compiled; `nil` allows all. SQLite refers to it.
    var authorizer: Authorizer?
    /// Prevents changes of the file, if SQLite opens it without locks.
    private let readLock: ReadLock?

    /// Opens a database.
    ///
    /// Reads nothing yet. If the file is not a database, the first statement fails.
    package init(_ path: String, _ access: Access) throws(SQLiteError) {
        switch access {
        case .readWrite:
            try RollbackJournal.check(of: path)
            readLock = nil
        case .readShared, .temporary:
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
        self.access = access
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
        // Forbids writing to the schema, functions with side effects in it, triggers, and a checkpoint on close.
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0))
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
        for (limit, value) in Self.limits {
            sqlite3_limit(handle, limit, value)
        }
        // Our statements sort nothing. If a hostile schema makes SQLite sort, it uses memory, not the disk.
        try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY")
        lockWait.attach(to: handle)
    }

    /// Generous limits for our own statements. The length of a value keeps SQLite's own limit (10⁹ bytes).
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

    /// Allows reading a damaged file, for example one that is shorter than its header says. For connections that only
    /// read.
    ///
    /// - Parameter maxTextLength: The limit for values in bytes. Longer ones are errors, so that memory stays limited.
    package func tolerateDamage(maxTextLength: Int32) throws(SQLiteError) {
        // The pragma cannot make the schema writable, because the connection is read-only.
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0))
        try execute("PRAGMA writable_schema = ON")
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, maxTextLength)
        toleratesDamage = true
    }

    // MARK: Statements

    /// Runs statements. Rows are ignored.
    package func execute(_ sql: String) throws(SQLiteError) {
        work.begin()
        defer { work.finish() }
        let result = LockWait.retrying { sqlite3_exec(handle, sql, nil, nil, nil) }
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, sql: sql, path: path) }
    }

    /// Accepts text in double quotes only as a name. SQLite otherwise takes an unknown name for a text.
    package func refuseTextInDoubleQuotes() throws(SQLiteError) {
        try check(hindsight_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0))
    }

    /// Limits what statements of users may need: the length of values in bytes, and the depth of expressions.
    package func limitValues(toBytes bytes: Int32, depth: Int32) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
        sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, depth)
    }

    /// Compiles a statement that can run many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        work.begin()
        defer { work.finish() }
        var statement: OpaquePointer?
        let result = LockWait.retrying {
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        }
        guard result == SQLITE_OK, let statement else {
            throw SQLiteError(of: handle, result: result, sql: sql, path: path)
        }
        return Statement(handle: statement, connection: self)
    }

    /// The integer in the first row and column of a query; `nil` if there is no row, or if it is null.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// The text in the first row and column of a query; `nil` if there is no row, or if it is null.
    package func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// Runs `body`, which only reads, in a transaction, so that all its statements see the same data.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        // Nothing was written. If the end of the transaction fails, the next statement fails too, and throws.
        defer { _ = sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
        return try body()
    }

    /// Runs `body` in a transaction, and rolls it back if `body` throws.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back already, for example if the disk is full.
            if sqlite3_get_autocommit(handle) == 0 {
                // The first failure is thrown. If the rollback fails too, the journal restores the file later.
                _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    private func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, path: path) }
    }
}
