/// A value that is touched only while a lock is held.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that a `Mutex` which threads compete for is
/// a lock, and takes what it guards for a race.
final class Locked<Value>: @unchecked Sendable {
    // Sound: `value` is touched only while `lock` is held. Taking the lock again within `withLock` is a programmer's
    // error that Swift's exclusivity checking stops.
    private let lock = RecursiveLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
