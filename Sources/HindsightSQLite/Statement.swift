import CSQLite

/// A compiled statement of a ``Connection``, finalized when it is released.
///
/// As in SQLite, columns are numbered from 0, and parameters from 1. One thread at a time.
package struct Statement: ~Copyable {
    let handle: OpaquePointer
    let connection: Connection

    deinit { sqlite3_finalize(handle) }

    // MARK: Running

    /// Runs to the next row.
    ///
    /// - Returns: Whether there is one.
    /// - Throws: SQLite's error. The statement is then reset.
    package func step() throws(SQLiteError) -> Bool {
        connection.work.begin()
        defer { connection.work.finish() }
        let result = LockWait.retrying {
            sqlite3_step(handle)
        } before: {
            // There was no row yet, because these failures occur when a transaction begins.
            sqlite3_reset(handle)
        }
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure(result)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Makes the statement ready to run again. Bound values stay.
    package func reset() {
        // The result repeats the failure of the last step, which was thrown.
        _ = sqlite3_reset(handle)
    }

    /// Runs a statement without rows, and makes it ready to run again.
    package func run() throws(SQLiteError) {
        while try step() {}
        reset()
    }

    // MARK: Parameters

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    package func bind(_ value: Int, at index: Int32) throws(SQLiteError) {
        try bind(Int64(value), at: index)
    }

    package func bind(_ value: Int?, at index: Int32) throws(SQLiteError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Binds text at the cost of one copy, which SQLite makes.
    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        try check(bindBytes(of: text, at: index))
    }

    package func bind(_ text: String?, at index: Int32) throws(SQLiteError) {
        if let text { try bind(text, at: index) } else { try bindNull(at: index) }
    }

    package func bindNull(at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, index))
    }

    // MARK: Columns of the present row

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func isInteger(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    /// An integer.
    ///
    /// - Throws: `mismatch` if the column holds another type.
    package func integer(_ column: Int32) throws(SQLiteError) -> Int64 {
        let value = sqlite3_column_value(handle, column)
        guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(column, "a whole number") }
        return sqlite3_value_int64(value)
    }

    /// An integer; `nil` if the column is null.
    package func optionalInteger(_ column: Int32) throws(SQLiteError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// A copy of the text. Invalid UTF-8 becomes U+FFFD.
    ///
    /// - Throws: `mismatch` if the column holds another type.
    package func text(_ column: Int32) throws(SQLiteError) -> String {
        guard let text = withText(column, { String(decoding: $0, as: UTF8.self) }) else {
            throw mismatch(column, "text")
        }
        return text
    }

    /// A copy of the text; `nil` if the column is null.
    package func optionalText(_ column: Int32) throws(SQLiteError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// The number of columns.
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column.
    package func name(_ column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }

    /// Whether SQL takes a column for true, as `WHERE` does; `nil` if it is null.
    package func truth(_ column: Int32) -> Bool? {
        isNull(column) ? nil : sqlite3_column_double(handle, column) != 0
    }

    /// Whether the statement cannot write.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    // MARK: Failures

    func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw failure(result) }
    }

    func failure(_ result: Int32) -> SQLiteError {
        SQLiteError(of: connection.handle, result: result, sql: sql, path: connection.path)
    }

    package func mismatch(_ column: Int32, _ expected: String) -> SQLiteError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
        return SQLiteError(SQLITE_MISMATCH, "column \(name) is not \(expected)", sql: sql, path: connection.path)
    }

    private var sql: String? {
        sqlite3_sql(handle).map { String(cString: $0) }
    }
}
