import HindsightSupport

/// The files that may stand beside a recording.
package enum SidecarFiles {
    /// The suffixes of their names: three of SQLite, and the recorder's own.
    package static let suffixes = ["-wal", "-shm", "-journal", "-ahead"]

    package static func existing(beside place: String) -> [String] {
        suffixes.filter { FileSystem.exists(place + $0) }
    }

    /// Removes SQLite's files beside a database that no connection has open and that needs neither. A file that cannot
    /// be removed stays, which is harmless.
    package static func removeEmptyRemains(of place: String) {
        guard FileSystem.size(of: place + "-wal") == 0 else { return }
        for suffix in ["-wal", "-shm"] { _ = unlink(place + suffix) }
    }
}
