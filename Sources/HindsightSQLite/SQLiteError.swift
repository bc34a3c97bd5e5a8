import CSQLite

/// A failure of SQLite.
package struct SQLiteError: Error, Sendable, Hashable {
    /// A primary result code of SQLite. <https://www.sqlite.org/rescode.html>
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let busy = Code(rawValue: SQLITE_BUSY)
        package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
        package static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
        package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
        package static let denied = Code(rawValue: SQLITE_AUTH)
        package static let full = Code(rawValue: SQLITE_FULL)
        package static let generic = Code(rawValue: SQLITE_ERROR)
        package static let inputOutput = Code(rawValue: SQLITE_IOERR)
        package static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
        package static let lockProtocol = Code(rawValue: SQLITE_PROTOCOL)
        package static let mismatch = Code(rawValue: SQLITE_MISMATCH)
        package static let noMemory = Code(rawValue: SQLITE_NOMEM)
        package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
        package static let readOnly = Code(rawValue: SQLITE_READONLY)
        package static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    }

    /// The kind of failure.
    package let code: Code
    /// SQLite's extended result code, which is more specific than ``code``.
    package let extendedCode: Int32
    /// SQLite's message.
    package let message: String
    /// The statement that failed, if one did.
    package let sql: String?
    /// Where in ``sql`` the mistake is, in bytes; `nil` if SQLite does not know.
    package var offset: Int?
    /// The database's file.
    package let path: String

    /// Whether a file ended before the bytes to read.
    package var isShortRead: Bool { extendedCode == SQLITE_IOERR | 2 << 8 }

    package init(_ extendedCode: Int32, _ message: String, sql: String? = nil, path: String) {
        self.code = Code(rawValue: extendedCode & 0xFF)
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
    }

    /// The last failure of a connection.
    init(of connection: OpaquePointer?, result: Int32, sql: String? = nil, path: String) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let isOurs = extended & 0xFF == result & 0xFF
        let text = isOurs && connection != nil ? sqlite3_errmsg(connection) : sqlite3_errstr(result)
        self.init(
            isOurs ? extended : result,
            text.map { String(cString: $0) } ?? "unknown error",
            sql: sql,
            path: path
        )
        if sql != nil, let connection {
            let offset = hindsight_error_offset(connection)
            if offset >= 0 { self.offset = Int(offset) }
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String { "\(message) (SQLite code \(extendedCode))" }
}
