import CSQLite

/// How long the statements of a connection wait for the locks of other connections. One thread at a time.
///
/// By default, each statement waits up to two seconds. SQLite applies this to each lock that a statement needs, so an
/// operation of several steps may wait a multiple of it. An operation that must end in time sets a deadline instead.
final class LockWait {
    private static let usual: Int32 = 2_000

    private var end: ContinuousClock.Instant?

    /// Uses the default wait for each statement.
    func attach(to handle: OpaquePointer) {
        end = nil
        sqlite3_busy_timeout(handle, Self.usual)
    }

    /// Lets all statements together wait until `end`.
    ///
    /// Sound: the connection keeps this object alive, and SQLite calls the handler only in the connection's methods.
    func attach(to handle: OpaquePointer, until end: ContinuousClock.Instant) {
        self.end = end
        sqlite3_busy_handler(
            handle,
            { wait, _ in
                guard let wait else { return 0 }
                return Unmanaged<LockWait>.fromOpaque(wait).takeUnretainedValue().pause() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Calls SQLite again if it fails because another connection is opening or closing the `-wal`. SQLite does not wait
    /// in this case: a reader that cannot write the `-wal`'s index mistakes it for damaged while it is written.
    static func retrying(_ call: () -> Int32, before prepare: () -> Void = {}) -> Int32 {
        var result = call()
        var attempt = 0
        while isPassing(result), attempt < retries {
            prepare()
            sqlite3_sleep(1)
            result = call()
            attempt += 1
        }
        return result
    }

    /// The most calls after the first, a millisecond apart.
    private static let retries = 200
    /// Whether a result is one of these kinds of `SQLITE_READONLY`: `RECOVERY`, `CANTLOCK` and `CANTINIT`. If readers
    /// race for a lock (`SQLITE_PROTOCOL`), SQLite itself waits for ten seconds.
    @inline(__always)
    private static func isPassing(_ result: Int32) -> Bool {
        result & 0xFF == SQLITE_READONLY && [1, 2, 5].contains(result >> 8)
    }

    private func pause() -> Bool {
        guard let end, ContinuousClock.now < end else { return false }
        sqlite3_sleep(2)
        return true
    }
}

extension Connection {
    /// Lets all later statements together wait for other connections' locks until `end`.
    ///
    /// A statement without its lock by then fails with `busy`.
    package func waitForLocks(until end: ContinuousClock.Instant) {
        lockWait.attach(to: handle, until: end)
    }
}
