#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock that the thread which holds it may take again.
///
/// `Synchronization.Mutex` traps or deadlocks when it is taken twice, and middleware dispatches from inside a dispatch.
/// Sound because the mutex lives on the heap at one address for its whole life, as `pthread_mutex_t` demands, and
/// because `pthread_mutex_lock` is the memory barrier that Swift's concurrency checking cannot see.
@usableFromInline
final class RecursiveLock: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        let status = pthread_mutex_init(mutex, &attributes)
        precondition(status == 0, "a lock could not be made: error \(status)")
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Takes the lock.
    ///
    /// A dispatch holds it for some tens of nanoseconds. So waiting begins with stepping aside a few times, in which the
    /// holder gets on: looking again and again would only take the lock's cache line away from it, and going to sleep
    /// at once costs far more than it waits for.
    @usableFromInline func lock() {
        for _ in 0..<Self.patience {
            if pthread_mutex_trylock(mutex) == 0 { return }
            sched_yield()
        }
        pthread_mutex_lock(mutex)
    }

    @usableFromInline static var patience: Int { 16 }

    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
