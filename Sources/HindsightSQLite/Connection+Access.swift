import CSQLite

extension Connection.Access {
    /// The URI for SQLite to open a file with this access. <https://www.sqlite.org/uri.html>
    func uri(of path: String) -> String {
        // SQLite makes a temporary database for an empty name.
        if case .temporary = self { return "" }
        return "file:\(Self.escaped(path))?\(query)"
    }

    private var query: String {
        switch self {
        case .readWrite, .temporary: "mode=rw"
        case .readShared: "mode=ro&readonly_shm=1"
        // This VFS takes no locks and has no shared memory, so it creates no `-shm`.
        case .readAbandoned: "mode=ro&vfs=unix-none"
        case .readImmutable: "mode=ro&immutable=1"
        }
    }

    var flags: Int32 {
        let mode =
            switch self {
            case .readWrite: SQLITE_OPEN_READWRITE
            case .temporary: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readShared, .readAbandoned, .readImmutable: SQLITE_OPEN_READONLY
            }
        return mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    }

    /// The statements to run first.
    var preparation: [String] {
        switch self {
        case .readWrite, .temporary: []
        case .readShared, .readImmutable: ["PRAGMA query_only = ON"]
        // With exclusive access, SQLite keeps the index of a `-wal` on the heap.
        case .readAbandoned: ["PRAGMA query_only = ON; PRAGMA locking_mode = EXCLUSIVE"]
        }
    }

    /// Escapes the reserved characters of a URI.
    private static func escaped(_ path: String) -> String {
        var escaped: [UInt8] = []
        // Two leading slashes would begin a host name, so only one is kept.
        let isRooted = path.utf8.first == UInt8(ascii: "/")
        if isRooted { escaped.append(UInt8(ascii: "/")) }
        for byte in path.utf8.drop(while: { $0 == UInt8(ascii: "/") }) {
            switch byte {
            case UInt8(ascii: "%"): escaped += "%25".utf8
            case UInt8(ascii: "?"): escaped += "%3F".utf8
            case UInt8(ascii: "#"): escaped += "%23".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension Connection {
    /// The length of the longest path that SQLite opens, in bytes. It reserves eight for the suffixes of sidecar files.
    package static var maxPathLength: Int {
        sqlite3_vfs_find(nil).map { Int($0.pointee.mxPathname) - 8 } ?? 504
    }
}
