import CSQLite

/// A value of SQLite, as functions take and return it.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Text with a mark, which only the functions of ``Connection/define(_:arguments:_:)`` see, and only if it is passed
    /// to them directly. SQLite's own functions use "J" for JSON.
    case marked(String, UInt8)

    /// The text, marked or not.
    package var text: String? {
        switch self {
        case .text(let text), .marked(let text, _): text
        case .null, .integer, .real, .blob: nil
        }
    }

    /// A copy of a value, without its mark.
    init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // Must come before the count, because it may convert the value.
            let start = sqlite3_value_text(value)
            let bytes = UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            self = .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
        default: self = .null
        }
    }
}
