import HindsightSupport

extension RunFile {
    /// Deletes a run whose recorder is gone. Holds the journal's lock, so that no recorder can begin there.
    ///
    /// The journal is deleted last. If the deletion is interrupted, either the run or only that file remains.
    ///
    /// - Parameter isMeant: Asked while the lock is held: another recorder may have started at the path just now.
    /// - Returns: Whether it was deleted.
    @discardableResult
    package static func delete(_ path: String, if isMeant: () throws -> Bool) throws -> Bool {
        guard let lock = try lock(path) else { return false }
        guard try isMeant() else {
            lock.removeIfEmpty()
            return false
        }
        for suffix in SidecarFiles.suffixes where suffix != "-ahead" { try remove(path + suffix) }
        try remove(path)
        lock.remove()
        return true
    }

    /// - Returns: `nil` if a recorder is writing, or another process holds a lock that does not go with it.
    package static func lock(_ path: String, _ kind: JournalFile.Lock = .exclusive) throws(RecordingError)
        -> JournalFile?
    {
        do {
            return try JournalFile(for: path, kind)
        } catch {
            if error.code == .inUse { return nil }
            throw error
        }
    }

    private static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) != 0 else { return }
        if errno != ENOENT { throw .last }
    }
}
