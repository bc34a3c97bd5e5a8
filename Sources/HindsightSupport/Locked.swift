/// A value that is accessed only while a lock is held.
///
/// It does not use `Synchronization.Mutex`, because on Linux the thread sanitizer does not see a contended `Mutex`
/// as a lock, and reports races for the value.
///
/// **Cost.** Two calls of pthreads.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // Sound: `value` is accessed only while `mutex` is held. The mutex is on the heap, and never moves.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // Returns an error, instead of a deadlock, if its owner takes it again.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        let status = pthread_mutex_init(mutex, &attributes)
        require(status == 0, "a lock could not be created: error \(status)")
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Taking the same lock in `body` ends the process.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        let status = pthread_mutex_lock(mutex)
        require(status == 0, "a thread took a lock that it already holds")
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }
}
