import HindsightSupport

/// The file `NAME.hindsight-ahead` beside a recording that is being written: its lock and its room on the disk.
///
/// Its recorder holds a lock on it for life, which tells a live recording from a dead one and keeps a second recorder
/// away; ``Journal`` is what stands in it. It is deleted when the recording is closed. A recovery holds a shared lock: it
/// keeps recorders away too, and does not look like one to readers.
///
/// The lock belongs to the open file, so that a process that is forked off would hold it as long as it lives:
/// ``ForkedDescriptors`` closes the child's descriptor.
///
/// It cannot be called `-journal`: SQLite takes that name beside a database for its own, and deletes what it finds there.
package struct JournalFile: ~Copyable {
    package let path: String
    package let descriptor: Int32
    private let slot: ForkedDescriptors.Slot?

    /// Who else may hold the lock.
    package enum Lock: Int32 {
        /// Nobody: a recorder's lock.
        case exclusive
        /// Others that hold a shared one, but no recorder: a recovery's lock.
        case shared

        fileprivate var operation: Int32 { (self == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB }
    }

    package static func path(for recording: String) -> String { recording + "-ahead" }

    deinit {
        // In a forked process the descriptor is closed already, and its number may be another file's.
        guard ForkedDescriptors.release(slot) else { return }
        // Released for a child that was forked just now, too.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Takes the lock of a file that is created where there is none.
    ///
    /// - Throws: A ``RecordingError``: `inUse` where another recorder holds the lock, or `unwritable`.
    package init(for recording: String, _ lock: Lock = .exclusive) throws(RecordingError) {
        path = Self.path(for: recording)
        descriptor = try Self.locked(path, recording, lock)
        slot = ForkedDescriptors.closing(descriptor)
    }

    /// Opens and locks the file that stands at `path` while the lock is held.
    private static func locked(
        _ path: String,
        _ recording: String,
        _ lock: Lock
    ) throws(RecordingError) -> Int32 {
        // A reader that asks whether the recording is live holds the lock for a moment; a recorder that is just being
        // closed deletes the file that we have opened. Both are over at the next try.
        for attempt in 0..<20 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw RecordingError(.unwritable, file: recording, cause: SystemError.last) }
            if flock(descriptor, lock.operation) == 0 {
                if isAt(path, descriptor) { return descriptor }
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

    /// Whether the file still stands at its place, and not another one.
    package var isInPlace: Bool { Self.isAt(path, descriptor) }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var opened = stat()
        var present = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &present) == 0
            && opened.st_ino == present.st_ino && opened.st_dev == present.st_dev
    }

    /// Makes the file `count` bytes long, each of which has its block on the disk: so a full disk fails here, and not
    /// as a signal when mapped bytes are written.
    package func reserve(_ count: Int) throws(SystemError) {
        // Beyond its limit a process gets a signal, and by default dies of it.
        guard count <= Self.sizeLimit else { throw SystemError(number: EFBIG) }
        #if !canImport(Darwin)
            let result = allocate(count)
            if result == 0 { return }
            // A file system that cannot, or signals that come without a pause: written byte by byte it has them too.
            guard [EOPNOTSUPP, EINVAL, EINTR].contains(result) else { throw SystemError(number: result) }
        #endif
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

    #if !canImport(Darwin)
        /// Unlike most calls this one gives its failure back, and ends when a signal comes.
        private func allocate(_ count: Int) -> Int32 {
            var result: Int32 = EINTR
            for _ in 0..<Self.interruptions where result == EINTR {
                result = posix_fallocate(descriptor, 0, off_t(count))
            }
            return result
        }
    #endif

    /// How often a call is made again that a signal has interrupted.
    private static var interruptions: Int { 100 }

    /// Has the disk itself keep what it was given. Elsewhere than on a Mac ``MappedFile/sync(_:)`` has done so.
    package func syncDevice() throws(SystemError) {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) != -1 else { throw .last }
        #endif
    }

    /// The longest file that the process may write.
    private static var sizeLimit: Int {
        var limit = rlimit()
        #if canImport(Darwin) || canImport(Musl)
            let result = getrlimit(RLIMIT_FSIZE, &limit)
        #else
            let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
        return result == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    /// Empties the file.
    package func clear() throws(SystemError) { try cut(0) }

    /// Gives back what is behind the first `count` bytes. Nobody may have that mapped.
    package func cut(_ count: Int) throws(SystemError) {
        for _ in 0..<Self.interruptions {
            if ftruncate(descriptor, off_t(count)) == 0 { return }
            guard errno == EINTR else { break }
        }
        throw .last
    }

    /// Whether it is a recorder's: empty, or with a journal's head.
    package var isOurs: Bool {
        var word: UInt64 = 0
        let count = pread(descriptor, &word, 8, 0)
        return count == 0 || count == 8 && [0, JournalLayout.magic].contains(UInt64(littleEndian: word))
    }

    /// Deletes the file where nothing is in it, as after taking a lock that nobody had.
    package func removeIfEmpty() {
        var present = stat()
        if fstat(descriptor, &present) == 0, present.st_size == 0 { remove() }
    }

    /// Deletes the file, unless another one has taken its place. Where that fails the recording's own end still tells that
    /// it ended.
    package func remove() { if isInPlace { _ = unlink(path) } }
}
