import HindsightSupport
import Synchronization

/// A lock that the thread which holds it may take again.
///
/// `Synchronization.Mutex` traps or deadlocks when it is taken twice, and middleware dispatches from inside a dispatch.
/// Sound because the mutex lives on the heap at one address for its whole life, as `pthread_mutex_t` demands; because
/// `pthread_mutex_lock` is the memory barrier that Swift's concurrency checking cannot see; and because `depth` is
/// touched by the thread alone that holds the mutex.
@usableFromInline
final class RecursiveLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// How often the thread that holds the lock has taken it again.
    private let depth: UnsafeMutablePointer<Int>
    /// The thread that holds the lock, or 0. Says for sure whether that is the calling thread, and nothing else: a thread
    /// finds its own name here only if it has put it here itself and has not taken it away yet.
    private let owner = Atomic<UInt>(0)

    init() {
        mutex = .allocate(capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "a lock could not be made: error \(status)")
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
        if pthread_mutex_trylock(mutex) != 0 { wait() }
        owner.store(thread, ordering: .relaxed)
    }

    @usableFromInline func unlock() {
        if depth.pointee > 0 {
            depth.pointee -= 1
            return
        }
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Waits for the thread that holds the lock.
    ///
    /// A dispatch holds it for some tens of nanoseconds. So waiting begins with stepping aside a few times, in which the
    /// holder gets on: looking again and again would only take the lock's cache line away from it, and going to sleep
    /// at once costs far more than it waits for.
    @inline(never)
    private func wait() {
        for _ in 0..<Self.patience {
            sched_yield()
            if pthread_mutex_trylock(mutex) == 0 { return }
        }
        pthread_mutex_lock(mutex)
    }

    private static var patience: Int { 16 }

    private static var thisThread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
