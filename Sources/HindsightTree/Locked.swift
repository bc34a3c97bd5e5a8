/// A value that is touched only while a lock is held.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that a `Mutex` which threads compete for is
/// a lock, and takes what it guards for a race.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // Sound: `value` is touched only while `lock` is held.
    @usableFromInline let lock = Lock()
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` while no other thread has the value. It must not come back here: that ends the process.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value.pointee)
    }
}
