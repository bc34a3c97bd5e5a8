import CSQLite

extension Connection.Access {
    /// The address under which SQLite opens a file in this way. <https://www.sqlite.org/uri.html>
    func uri(of path: String) -> String {
        "file:\(Self.escaped(path))?\(query)"
    }

    private var query: String {
        switch self {
        case .readWrite: "mode=rw"
        case .readShared: "mode=ro&readonly_shm=1"
        // This file system layer takes no locks and has no shared memory, so it creates no `-shm`.
        case .readAbandoned: "mode=ro&vfs=unix-none"
        case .readImmutable: "mode=ro&immutable=1"
        }
    }

    var flags: Int32 {
        let mode = if case .readWrite = self { SQLITE_OPEN_READWRITE } else { SQLITE_OPEN_READONLY }
        return mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    }

    /// What runs before anything else.
    var preparation: [String] {
        switch self {
        case .readWrite: []
        case .readShared, .readImmutable: ["PRAGMA query_only = ON"]
        // Alone with the file, SQLite keeps the index of a `-wal` on the heap.
        case .readAbandoned: ["PRAGMA query_only = ON; PRAGMA locking_mode = EXCLUSIVE"]
        }
    }

    /// Escapes what has a meaning in an address.
    private static func escaped(_ path: String) -> String {
        var escaped: [UInt8] = []
        // After two leading slashes an address names a host: one is kept.
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
    /// The bytes of the longest path that SQLite opens: it leaves eight for what stands beside the file.
    package static var longestPath: Int {
        sqlite3_vfs_find(nil).map { Int($0.pointee.mxPathname) - 8 } ?? 504
    }
}
