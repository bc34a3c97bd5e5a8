import HindsightSupport
import Synchronization

/// A lock that its owning thread may take again.
///
/// `Synchronization.Mutex` traps or deadlocks when one thread takes it twice, and middleware dispatches from inside a
/// dispatch. Sound because the mutex stays at one heap address for its whole life, as `pthread_mutex_t` requires;
/// because `pthread_mutex_lock` is a memory barrier, which Swift's concurrency checking cannot see; and because only
/// the thread that holds the mutex touches `depth`.
///
/// A thread that the system has to wake loses the race for a mutex against a thread that takes it again at once. So if
/// a thread has waited for a millisecond, others give way.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// How often the owning thread has taken the lock again.
    private let depth: UnsafeMutablePointer<Int>
    /// The thread that holds the lock, or 0. Only good for a thread to ask about itself: a thread finds its own value
    /// here only between its own two stores.
    private let owner = Atomic<UInt>(0)
    private let deferred = Locked<[@Sendable () -> Void]>([])
    private let isAnyDeferred = Atomic(false)
    /// The number of threads that the system has to wake.
    private let blocked = Atomic(0)
    /// When one of them began to wait, by `SystemClock.monotonic`; 0 if there is none.
    private let blockedSince = Atomic<Int64>(0)

    package init() {
        mutex = .allocate(capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        require(status == 0, "Creating a lock failed with error \(status)")
        depth = .allocate(capacity: 1)
        depth.initialize(to: 0)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        depth.deallocate()
    }

    /// Whether the calling thread holds the lock.
    @usableFromInline package var isMine: Bool { owner.load(ordering: .relaxed) == CurrentThread.identity }

    @usableFromInline package func lock() {
        let thread = CurrentThread.identity
        if owner.load(ordering: .relaxed) == thread {
            depth.pointee += 1
            return
        }
        if blockedSince.load(ordering: .relaxed) != 0 { giveWay() }
        if pthread_mutex_trylock(mutex) != 0 { blockUntilMutexIsFree() }
        owner.store(thread, ordering: .relaxed)
    }

    @usableFromInline package func unlock() {
        if depth.pointee > 0 {
            depth.pointee -= 1
            return
        }
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
        // Only now: work that is deferred after this check finds the lock free.
        if hasDeferred { runDeferred() }
    }

    @inline(never)
    private func blockUntilMutexIsFree() {
        blocked.add(1, ordering: .sequentiallyConsistent)
        noteBlocked(since: 0)
        pthread_mutex_lock(mutex)
        let others = blocked.subtract(1, ordering: .sequentiallyConsistent).newValue
        blockedSince.store(others > 0 ? SystemClock.monotonic : 0, ordering: .sequentiallyConsistent)
        // A thread that began to wait before this store has left the time as it was.
        if blocked.load(ordering: .sequentiallyConsistent) > 0 { noteBlocked(since: 0) }
    }

    /// Replaces a time by the present one, unless another thread has.
    private func noteBlocked(since known: Int64) {
        let now = SystemClock.monotonic
        _ = blockedSince.compareExchange(expected: known, desired: now, ordering: .sequentiallyConsistent)
    }

    /// Lets a thread that has waited for long take the mutex.
    @inline(never)
    private func giveWay() {
        let since = blockedSince.load(ordering: .relaxed)
        guard since != 0, SystemClock.monotonic - since > 1_000_000 else { return }
        for _ in 0..<4 {
            // For the shortest time: about 60 µs with the usual timers of Linux.
            usleep(1)
            if blockedSince.load(ordering: .relaxed) != since { return }
        }
        // The system does not let it run, or it was a thread of the process that has forked this one.
        noteBlocked(since: since)
    }

    /// Takes the lock, unless another thread holds it.
    ///
    /// - Returns: Whether the calling thread holds the lock now.
    func tryLock() -> Bool {
        let thread = CurrentThread.identity
        if owner.load(ordering: .relaxed) == thread {
            depth.pointee += 1
            return true
        }
        if pthread_mutex_trylock(mutex) != 0 { return false }
        owner.store(thread, ordering: .relaxed)
        return true
    }

    /// Runs `work` on the thread that holds the lock, when that releases it or calls ``runDeferred()``. If no thread
    /// holds it, runs `work` now.
    func runLater(_ work: @escaping @Sendable () -> Void) {
        deferWork(work)
        // The lock may have been released meanwhile. Releasing it once more runs the work.
        if tryLock() { unlock() }
    }

    /// Runs `work` on the thread that next releases the lock or calls ``runDeferred()``. Does not run it now.
    func deferWork(_ work: @escaping @Sendable () -> Void) {
        deferred.withLock { deferred in
            deferred.append(work)
            isAnyDeferred.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether ``runDeferred()`` has work.
    @inline(__always) var hasDeferred: Bool { isAnyDeferred.load(ordering: .sequentiallyConsistent) }

    /// Runs the work of ``runLater(_:)``.
    @inline(never)
    func runDeferred() {
        let all = deferred.withLock { deferred in
            defer { deferred = [] }
            isAnyDeferred.store(false, ordering: .sequentiallyConsistent)
            return deferred
        }
        for work in all { work() }
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
