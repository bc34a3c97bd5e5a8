import CSQLite

/// How long the statements of a connection wait for the locks of other connections. One thread at a time.
///
/// By default each statement waits up to two seconds. SQLite counts anew for each lock that a statement needs, so that an
/// operation of several steps may take a multiple of that: an operation that must end in time sets a deadline instead.
final class LockWait {
    private static let usual: Int32 = 2_000

    private var end: ContinuousClock.Instant?

    /// Has each statement wait as usual.
    func attach(to handle: OpaquePointer) {
        end = nil
        sqlite3_busy_timeout(handle, Self.usual)
    }

    /// Has all statements together wait until `end`.
    ///
    /// Sound: the connection keeps this object, and SQLite asks only while one of the connection's methods runs.
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

    /// Makes a call of SQLite again where it fails since another connection is just opening or closing the `-wal`, which
    /// SQLite itself does not wait for: a reader that may not write the `-wal`'s index takes it for damaged while it is
    /// written. The next moment it is not.
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

    /// At most so many calls, a millisecond apart.
    private static let retries = 200
    /// Three kinds of `SQLITE_READONLY`: `RECOVERY`, `CANTLOCK` and `CANTINIT`. For a race for a reader's lock
    /// (`SQLITE_PROTOCOL`) SQLite waits itself, for ten seconds.
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
    /// Has all statements from here on, together, wait for other connections' locks until `end`.
    ///
    /// A statement that does not get its lock by then fails with `busy`.
    package func waitForLocks(until end: ContinuousClock.Instant) {
        lockWait.attach(to: handle, until: end)
    }
}
