import HindsightSQLite
import HindsightSupport

/// Makes room for a recording's file.
package enum NewFile {
    /// Refuses what stands at `path`, where it is not to be overwritten or cannot be.
    ///
    /// - Throws: A ``RecordingError``: `inUse`, `exists` or `unwritable`.
    package static func check(_ path: String, overwrite: Bool) throws {
        let longest = Connection.longestPath
        guard path.utf8.count <= longest else {
            throw RecordingError(.unwritable, file: path, reason: "its path is too long: SQLite takes \(longest) bytes")
        }
        var present = stat()
        guard lstat(path, &present) == 0 else {
            if errno == ENOENT { return }
            throw RecordingError(.unwritable, file: path, cause: SystemError.last)
        }
        if present.st_mode & S_IFMT == S_IFDIR {
            throw RecordingError(.unwritable, file: path, reason: "it is a directory")
        }
        // Overwriting would remove it; a link is removed, not what it leads to.
        guard [S_IFREG, S_IFLNK].contains(present.st_mode & S_IFMT) else {
            throw RecordingError(.unwritable, file: path, reason: "it is no file but a device, a pipe or a socket")
        }
        guard !overwrite else { return }
        let isLive = try JournalInspection.isLive(path)
        throw RecordingError(isLive ? .inUse : .exists, file: path)
    }

    /// Creates an empty file that nobody else may read or write.
    ///
    /// - Throws: A ``RecordingError``: `exists` or `unwritable`.
    package static func create(_ path: String, overwrite: Bool) throws(RecordingError) {
        // What SQLite left beside an earlier file would be taken for the new one's.
        if overwrite { remove(path) } else { removeRemains(of: path) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = SystemError.last
            throw RecordingError(error.number == EEXIST ? .exists : .unwritable, file: path, cause: error)
        }
        _ = close(descriptor)
    }

    /// Removes a recording and what SQLite has beside it. Where a file stays, creating it again tells.
    package static func remove(_ path: String) {
        _ = unlink(path)
        removeRemains(of: path)
    }

    private static func removeRemains(of path: String) {
        for suffix in ["-wal", "-shm", "-journal"] {
            _ = unlink(path + suffix)
        }
    }
}
