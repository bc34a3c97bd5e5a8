import CSQLite

// Sound: no pointer below outlives its call. SQLite copies bound bytes before it returns. A column's bytes
// are valid until the statement is stepped, reset or finalized, and `body` does not receive the statement.
extension Statement {
    /// Passes the bytes of a text column to `body` without a copy; `nil` if the column does not hold text.
    package func withText<Result>(
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        // One look at the column, and three at its value, cost less than three at the column.
        let value = sqlite3_column_value(handle, column)
        guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return nil }
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    /// A copy of a column's value.
    package func value(_ column: Int32) -> SQLValue { SQLValue(sqlite3_column_value(handle, column)) }

    func bindBytes(of text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return hindsight_bind_text(handle, index, "", 0) }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                hindsight_bind_text(handle, index, $0, UInt64(bytes.count))
            }
        }
    }
}

extension Connection {
    /// Compiles a text that must be one statement.
    ///
    /// Sound: SQLite copies the text, and the rest that it points to is inside of the text, which outlives the calls.
    ///
    /// - Returns: `nil` if it is none, or several.
    package func prepareOne(_ sql: String) throws(SQLiteError) -> Statement? {
        work.begin()
        defer { work.finish() }
        var statement: OpaquePointer?
        var isMore = false
        let result = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let result = LockWait.retrying { sqlite3_prepare_v2(handle, text, -1, &statement, &rest) }
            guard result == SQLITE_OK, let rest, rest.pointee != 0 else { return result }
            // Comments and semicolons may follow, but no statement, and nothing that is none.
            var next: OpaquePointer?
            var last: UnsafePointer<CChar>? = rest
            repeat {
                let present = last
                guard let present, present.pointee != 0 else { break }
                isMore = sqlite3_prepare_v2(handle, present, -1, &next, &last) != SQLITE_OK || next != nil
                if last == present { break }
            } while !isMore
            sqlite3_finalize(next)
            return result
        }
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, sql: sql, path: path) }
        guard let statement else { return nil }
        let compiled = Statement(handle: statement, connection: self)
        if isMore { return nil }
        return compiled
    }
}
