import Synchronization

/// A lock on a file that one holder at a time has, of all processes: `flock`.
///
/// It ends with ``release()``, with the last reference to it, or with the process, however that ends.
package final class FileLock: Sendable {
    /// -1 once it is released.
    private let descriptor: Atomic<Int32>
    /// The process that took the lock.
    private let owner = getpid()

    /// Locks the file at a path. If another holder replaces the file meanwhile, it locks the new one.
    ///
    /// - Parameter end: Until when to wait for another holder. By default, it does not wait.
    /// - Throws: `EWOULDBLOCK` if there is another holder until then, `ENOENT` if there is no file, or another error if
    ///   the file cannot be opened or its file system has no locks.
    package init(on path: String, waitingUntil end: ContinuousClock.Instant = .now) throws(SystemError) {
        while true {
            // A pipe of that name must not stop the process.
            let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { throw .last }
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                if FileSystem.isFile(file, at: path) {
                    descriptor = Atomic(file)
                    return
                }
                _ = close(file)
                continue
            }
            let error = SystemError.last
            _ = close(file)
            guard [EWOULDBLOCK, EINTR].contains(error.number), ContinuousClock.now < end else { throw error }
            usleep(5000)
        }
    }

    deinit { release() }

    package func release() {
        let file = descriptor.exchange(-1, ordering: .sequentiallyConsistent)
        guard file >= 0 else { return }
        // A child that was forked meanwhile has the descriptor, too, and would keep the lock.
        if getpid() == owner { _ = flock(file, LOCK_UN) }
        _ = close(file)
    }
}
