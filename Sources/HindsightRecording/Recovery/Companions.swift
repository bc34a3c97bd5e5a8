#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files that may stand beside a recording.
enum Companions {
    /// What their names end in: SQLite's three, and the recorder's own.
    static let suffixes = ["-wal", "-shm", "-journal", "-ahead"]

    static func existing(beside place: String) -> [String] {
        suffixes.filter { exists(place + $0) }
    }

    static func exists(_ path: String) -> Bool {
        var present = stat()
        return lstat(path, &present) == 0
    }

    /// The last part of a path.
    static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Removes what SQLite left beside a database that no connection has open and that needs neither any more. Where
    /// that fails the file stays, and does no harm.
    static func removeEmptyRemains(of place: String) {
        guard ReadableFile.fileSize(place + "-wal") == 0 else { return }
        for suffix in ["-wal", "-shm"] { _ = unlink(place + suffix) }
    }
}
