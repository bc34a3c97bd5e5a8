import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock that costs two atomic operations where no other thread wants it, half of what one of pthreads does; who has to
/// wait sleeps. The thread sanitizer knows both for what they are.
///
/// Sound: `state` goes from 0 to another number by the one thread that then has the lock, with an acquiring operation, and
/// back by that thread with a releasing one. A waiting thread holds `mutex` from before it says so in `state` until it
/// sleeps, and whoever reads there that somebody waits takes `mutex` before it wakes one: no waking is missed. Both stay
/// at one place on the heap, as they must.
@usableFromInline
final class Lock: @unchecked Sendable {
    /// 0 while it is free, 1 while a thread has it, 2 while one has it and others may be waiting.
    @usableFromInline let state = Atomic<Int>(0)
    /// The thread that has the lock, or 0: for sure whether that is the calling thread, and nothing else.
    @usableFromInline let owner = Atomic<UInt>(0)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let released: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        released = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(released, nil)
    }

    deinit {
        pthread_cond_destroy(released)
        pthread_mutex_destroy(mutex)
        released.deallocate()
        mutex.deallocate()
    }

    @inlinable
    func lock() {
        if !state.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { wait() }
        owner.store(Self.thisThread, ordering: .relaxed)
    }

    @inlinable
    func unlock() {
        owner.store(0, ordering: .relaxed)
        if state.exchange(0, ordering: .releasing) == 2 { wake() }
    }

    @usableFromInline @inline(never)
    func wait() {
        precondition(owner.load(ordering: .relaxed) != Self.thisThread, "a lock was taken by the thread that has it")
        pthread_mutex_lock(mutex)
        while state.exchange(2, ordering: .acquiring) != 0 { pthread_cond_wait(released, mutex) }
        pthread_mutex_unlock(mutex)
    }

    @usableFromInline @inline(never)
    func wake() {
        pthread_mutex_lock(mutex)
        pthread_cond_signal(released)
        pthread_mutex_unlock(mutex)
    }

    @inlinable
    static var thisThread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
