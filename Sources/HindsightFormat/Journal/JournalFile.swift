import HindsightSupport

/// The file `NAME.hindsight-ahead` beside a live recording: its lock and its space on the disk.
///
/// A recorder holds a lock on the file until it is closed. The lock distinguishes a live recording from a dead one, and
/// keeps a second recorder away. Closing the recording deletes the file. A recovery holds a shared lock, which also
/// keeps recorders away, and does not look like a recorder to readers. `Journal` has the contents.
///
/// The lock belongs to the open file, so a forked process would hold it for its whole life. ``ForkedDescriptors``
/// closes the child's descriptor.
///
/// The suffix cannot be `-journal`: SQLite uses that name beside a database, and deletes the file.
package struct JournalFile: ~Copyable {
    package let path: String
    package let descriptor: Int32
    private let slot: ForkedDescriptors.Slot?

    /// Who else may hold the lock.
    package enum Lock: Int32 {
        /// No other process: a recorder's lock.
        case exclusive
        /// Other recoveries, but no recorder: a recovery's lock.
        case shared

        fileprivate var operation: Int32 { (self == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB }
    }

    package static func path(for recording: String) -> String { recording + "-ahead" }

    deinit {
        // A forked process has already closed the descriptor, and its number may now be another file's.
        guard ForkedDescriptors.release(slot) else { return }
        // Also releases the lock for a child that was forked just now.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Creates the file if it does not exist, and takes its lock.
    ///
    /// - Throws: A ``RecordingError``: `inUse` if another recorder holds the lock, or `unwritable`.
    package init(for recording: String, _ lock: Lock = .exclusive) throws(RecordingError) {
        path = Self.path(for: recording)
        descriptor = try Self.locked(path, recording, lock)
        slot = ForkedDescriptors.closing(descriptor)
    }

    /// Opens and locks the file that is at `path` while the lock is held.
    private static func locked(
        _ path: String,
        _ recording: String,
        _ lock: Lock
    ) throws(RecordingError) -> Int32 {
        // A reader that asks whether the recording is live holds the lock for a moment. A recorder that is being closed
        // deletes the file that was just opened. Both are over at the next attempt.
        for attempt in 0..<20 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw RecordingError(.unwritable, file: recording, cause: SystemError.last) }
            if flock(descriptor, lock.operation) == 0 {
                if FileSystem.isFile(descriptor, at: path) { return descriptor }
            } else if errno != EWOULDBLOCK && errno != EINTR {
                let error = SystemError.last
                _ = close(descriptor)
                throw RecordingError(.unwritable, file: recording, cause: error)
            }
            _ = close(descriptor)
            usleep(500 * UInt32(attempt))
        }
        throw RecordingError(.inUse, file: recording)
    }

    /// Whether the same file is still at its path.
    package var isInPlace: Bool { FileSystem.isFile(descriptor, at: path) }

    /// Makes the file `count` bytes long, and allocates all its blocks. A full disk then fails here, and not as a
    /// signal when mapped bytes are written.
    package func reserve(_ count: Int) throws(SystemError) {
        // Writing beyond the limit raises a signal, which ends the process by default.
        guard count <= ResourceLimit.fileSize else { throw SystemError(number: EFBIG) }
        let result = allocate(count)
        if result == 0 { return }
        // If the system or the file system does not support it, or signals keep interrupting it, writing each byte
        // allocates the blocks too.
        guard [EOPNOTSUPP, EINVAL, EINTR].contains(result) else { throw SystemError(number: result) }
        var present = stat()
        guard fstat(descriptor, &present) == 0 else { throw .last }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var at = Int(present.st_size)
        while at < count {
            let part = min(zeros.count, count - at)
            let written = zeros.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, part, off_t(at)) }
            if written > 0 {
                at += written
            } else if written == 0 {
                throw SystemError(number: ENOSPC)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    private func allocate(_ count: Int) -> Int32 {
        var result: Int32 = EINTR
        for _ in 0..<Self.interruptions where result == EINTR { result = FileAllocation.allocate(descriptor, count) }
        return result
    }

    /// The number of attempts for a call that signals interrupt.
    private static var interruptions: Int { 100 }

    /// Truncates the file to `count` bytes. No process may have the rest mapped.
    package func cut(_ count: Int) throws(SystemError) {
        for _ in 0..<Self.interruptions {
            if ftruncate(descriptor, off_t(count)) == 0 { return }
            guard errno == EINTR else { break }
        }
        throw .last
    }

    /// Whether the file is a recorder's: empty, or with a journal's header.
    package var isOurs: Bool {
        var word: UInt64 = 0
        let count = pread(descriptor, &word, 8, 0)
        return count == 0 || count == 8 && [0, JournalLayout.magic].contains(UInt64(littleEndian: word))
    }

    /// Deletes the file if it has no contents, as after taking a lock that no process held.
    package func removeIfEmpty() {
        var present = stat()
        if fstat(descriptor, &present) == 0, present.st_size == 0 { remove() }
    }

    /// Deletes the file unless another one is at its path. If that fails, the recording itself still says that it was
    /// closed.
    package func remove() { if isInPlace { _ = unlink(path) } }
}
