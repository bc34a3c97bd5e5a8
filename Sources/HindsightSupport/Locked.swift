/// A value that is touched only while a lock is held.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that a `Mutex` which threads compete for is
/// a lock, and takes what it guards for a race.
///
/// **Cost.** Two calls of pthreads.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // Sound: `value` is touched only while `mutex` is held, and the mutex stays at one place on the heap, as it must.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Self.checkingType)
        let status = pthread_mutex_init(mutex, &attributes)
        precondition(status == 0, "a lock could not be made: error \(status)")
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` while no other thread has the value. It must not come back here: that ends the process.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        let status = pthread_mutex_lock(mutex)
        precondition(status == 0, "a lock was taken again by the thread that has it")
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }

    /// The kind of lock that a thread which takes it again is refused, instead of waiting for itself.
    private static var checkingType: Int32 {
        #if canImport(Darwin)
            PTHREAD_MUTEX_ERRORCHECK
        #else
            Int32(PTHREAD_MUTEX_ERRORCHECK)
        #endif
    }
}
