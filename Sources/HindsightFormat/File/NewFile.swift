import HindsightSQLite
import HindsightSupport

/// Prepares the place for a new recording.
package enum NewFile {
    /// Checks that `path` can be used: that there is no file, and nothing of another recording beside it, or that both
    /// may be overwritten. What is being recorded right now never is.
    ///
    /// - Parameter source: The recording that the new file is made of, which no option replaces.
    /// - Throws: A ``RecordingError``: `inUse`, `exists` or `unwritable`.
    package static func check(
        _ path: String,
        overwrite: Bool,
        from source: String? = nil
    ) throws(RecordingError) {
        let place = FileSystem.place(of: path)
        let own =
            source.map { source in ([""] + SidecarFiles.suffixes).map { FileSystem.place(of: source) + $0 } } ?? []
        if own.contains(place) { throw RecordingError(.unwritable, file: path, reason: RecordingError.isSource) }
        let longest = Connection.maxPathLength
        guard path.utf8.count <= longest else {
            throw RecordingError(.unwritable, file: path, reason: "its path is too long: SQLite takes \(longest) bytes")
        }
        var present = stat()
        let isPresent = lstat(path, &present) == 0
        if isPresent {
            if present.st_mode & S_IFMT == S_IFDIR {
                throw RecordingError(.unwritable, file: path, reason: "it is a directory")
            }
            // Overwriting removes a link, and not its target.
            guard [S_IFREG, S_IFLNK].contains(present.st_mode & S_IFMT) else {
                throw RecordingError(.unwritable, file: path, reason: "it is no file but a device, a pipe or a socket")
            }
        } else if errno != ENOENT {
            throw RecordingError(.unwritable, file: path, cause: SystemError.last)
        }
        let isLive: Bool
        do {
            isLive = try JournalInspection.isLive(path)
        } catch {
            throw RecordingError(.unwritable, file: path, cause: error.cause)
        }
        if isLive { throw RecordingError(.inUse, file: path) }
        guard !overwrite else { return }
        if isPresent { throw RecordingError(.exists, file: path) }
        // The recording may have been renamed without them.
        for suffix in SidecarFiles.suffixes where suffix != "-shm" {
            guard lstat(path + suffix, &present) == 0, present.st_mode & S_IFMT == S_IFREG, present.st_size > 0 else {
                continue
            }
            throw RecordingError(.exists, file: path + suffix, reason: "it may belong to a recording that was renamed")
        }
    }

    /// Creates an empty file that only its owner can read and write.
    ///
    /// - Throws: A ``RecordingError``: `exists` or `unwritable`.
    package static func create(_ path: String, overwrite: Bool) throws(RecordingError) {
        // SQLite would use the files of an earlier database for the new one.
        if overwrite { remove(path) } else { removeRemains(of: path) }
        try createExclusively(path)
    }

    /// Creates an empty file that only its owner can read and write, and touches no other file.
    ///
    /// - Throws: A ``RecordingError``: `exists` or `unwritable`.
    static func createExclusively(_ path: String) throws(RecordingError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = SystemError.last
            throw RecordingError(error.number == EEXIST ? .exists : .unwritable, file: path, cause: error)
        }
        _ = close(descriptor)
    }

    /// Removes a recording and SQLite's files beside it. If a file stays, creating it again fails.
    package static func remove(_ path: String) {
        _ = unlink(path)
        removeRemains(of: path)
    }

    /// Removes SQLite's files beside a path.
    static func removeRemains(of path: String) {
        for suffix in ["-wal", "-shm", "-journal"] {
            _ = unlink(path + suffix)
        }
    }
}
