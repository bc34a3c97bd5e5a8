import HindsightSupport

/// The files that may stand beside a recording.
package enum SidecarFiles {
    /// What their names end in: SQLite's three, and the recorder's own.
    package static let suffixes = ["-wal", "-shm", "-journal", "-ahead"]

    package static func existing(beside place: String) -> [String] {
        suffixes.filter { FileSystem.exists(place + $0) }
    }

    /// Removes what SQLite left beside a database that no connection has open and that needs neither any more. Where
    /// that fails the file stays, and does no harm.
    package static func removeEmptyRemains(of place: String) {
        guard FileSystem.size(of: place + "-wal") == 0 else { return }
        for suffix in ["-wal", "-shm"] { _ = unlink(place + suffix) }
    }
}
