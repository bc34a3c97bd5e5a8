import HindsightSupport

/// The files that may stand beside a recording.
package enum SidecarFiles {
    /// The suffixes of their names: three of SQLite, and the recorder's own.
    package static let suffixes = ["-wal", "-shm", "-journal", "-ahead"]

    package static func existing(beside place: String) -> [String] {
        suffixes.filter { FileSystem.exists(place + $0) }
    }

    /// What is wrong with the `-wal` beside a recording whose journal goes on after actions that no file has, as a
    /// predicate.
    package static func faultOfLog(beside place: String) -> String {
        let log = place + "-wal"
        if !FileSystem.exists(log) { return "is missing" }
        return FileSystem.size(of: log) == 0 ? "is empty" : "is damaged or incomplete"
    }

    /// Removes SQLite's files beside a database that no connection has open and that needs neither. A file that cannot
    /// be removed stays, which is harmless.
    package static func removeEmptyRemains(of place: String) {
        guard FileSystem.size(of: place + "-wal") == 0 else { return }
        for suffix in ["-wal", "-shm"] { _ = unlink(place + suffix) }
    }
}
