import HindsightSupport
import Synchronization

/// A lock that its owning thread may take again.
///
/// `Synchronization.Mutex` traps or deadlocks when one thread takes it twice, and middleware dispatches from inside a
/// dispatch. Sound because the mutex stays at one heap address for its whole life, as `pthread_mutex_t` requires;
/// because `pthread_mutex_lock` is a memory barrier, which Swift's concurrency checking cannot see; and because only
/// the thread that holds the mutex touches `depth` and `contention`.
///
/// **Contention.** If threads pass the lock back and forth for each short dispatch, the caches of their cores pass the
/// store along with it, at several times the cost of the dispatch. In such a rush a thread that finds the lock taken
/// sleeps for a moment, so that another thread can go on alone: the idea of Dice, "Malthusian Locks" (EuroSys 2017).
///
/// A thread that the system has to wake loses the race for a mutex against a thread that takes it again at once. So if
/// a thread has waited for a millisecond, others give way.
@usableFromInline
final class RecursiveLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// How often the owning thread has taken the lock again.
    private let depth: UnsafeMutablePointer<Int>
    /// The thread that holds the lock, or 0. Only good for a thread to ask about itself: a thread finds its own value
    /// here only between its own two stores.
    private let owner = Atomic<UInt>(0)
    private let deferred = Locked<[@Sendable () -> Void]>([])
    private let isAnyDeferred = Atomic(false)
    private var contention = Contention()
    /// Whether threads have lately waited for the mutex so often that they hinder each other.
    private let isRush = Atomic(false)
    /// The number of threads that the system has to wake.
    private let blocked = Atomic(0)
    /// When one of them began to wait, by `SystemClock.monotonic`; 0 if there is none.
    private let blockedSince = Atomic<Int64>(0)

    init() {
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
    @usableFromInline var isMine: Bool { owner.load(ordering: .relaxed) == Self.thisThread }

    @usableFromInline func lock() {
        let thread = Self.thisThread
        if owner.load(ordering: .relaxed) == thread {
            depth.pointee += 1
            return
        }
        if blockedSince.load(ordering: .relaxed) != 0 { giveWay() }
        if pthread_mutex_trylock(mutex) != 0 { waitForMutex() }
        owner.store(thread, ordering: .relaxed)
    }

    @usableFromInline func unlock() {
        if depth.pointee > 0 {
            depth.pointee -= 1
            return
        }
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
        // Only now: work that is deferred after this check finds the lock free.
        if hasDeferred { runDeferred() }
    }

    /// Takes the mutex, which another thread held a moment ago.
    @inline(never)
    private func waitForMutex() {
        if !takeMutexSoon() { blockUntilMutexIsFree() }
        if contention.countWait() { isRush.store(contention.isRush, ordering: .relaxed) }
    }

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
            sleepBriefly()
            if blockedSince.load(ordering: .relaxed) != since { return }
        }
        // The system does not let it run, or it was a thread of the process that has forked this one.
        noteBlocked(since: since)
    }

    /// Sleeps for the shortest time: about 60 µs with the usual timers of Linux.
    private func sleepBriefly() { usleep(1) }

    /// Takes the mutex if it can be had without waiting for the system to wake this thread.
    private func takeMutexSoon() -> Bool {
        if isRush.load(ordering: .relaxed) {
            for _ in 0..<4 {
                sleepBriefly()
                if pthread_mutex_trylock(mutex) == 0 { return true }
            }
            return false
        }
        for _ in 0..<200 where owner.load(ordering: .relaxed) == 0 {
            if pthread_mutex_trylock(mutex) == 0 { return true }
        }
        return false
    }

    /// How often threads waited for a lock. Guarded by that lock.
    private struct Contention {
        private var waits = 0
        private var periodBegan = SystemClock.monotonic
        /// Whether the last full period was a rush.
        private(set) var isRush = false

        /// Counts one wait.
        ///
        /// - Returns: Whether a period of 16 waits is full.
        mutating func countWait() -> Bool {
            waits = (waits + 1) % 16
            guard waits == 0 else { return false }
            let now = SystemClock.monotonic
            isRush = now - periodBegan < 500_000
            periodBegan = now
            return true
        }
    }

    /// Takes the lock, unless another thread holds it.
    ///
    /// - Returns: Whether the calling thread holds the lock now.
    func tryLock() -> Bool {
        let thread = Self.thisThread
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

    private static var thisThread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
