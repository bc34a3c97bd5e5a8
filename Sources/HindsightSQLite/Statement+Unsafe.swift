import CSQLite

// Sound: no pointer below outlives its call. SQLite copies bound bytes before it returns. A column's bytes
// are valid until the statement is stepped, reset or finalized, and `body` does not receive the statement.
extension Statement {
    /// Passes the bytes of a text column to `body` without a copy; `nil` if the column does not hold text.
    package func withText<Result>(
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
        return try body(bytes(column))
    }

    /// A copy of a column's value.
    package func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: return .text(String(decoding: bytes(column), as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))))
        default: return .null
        }
    }

    private func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        // Must come first, because it may convert the value, which changes the count.
        let start = sqlite3_column_text(handle, column)
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

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
