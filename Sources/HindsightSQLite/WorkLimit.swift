import CSQLite

/// Limits the work and the time of each SQLite call on a connection. One thread at a time.
///
/// The pages of a malicious file may form a cycle, or refer to the same page a thousand times, so that a scan of a
/// small file never ends. SQLite detects neither.
final class WorkLimit {
    /// The number of instructions of SQLite's virtual machine between two checks.
    private static let interval: Int32 = 10_000

    private var limit = Int.max
    private var longest = Duration.zero
    // Plain values, changed in one step.
    private var done = 0
    /// The time of the first check during the present call.
    private var start: ContinuousClock.Instant?

    /// When the calls of one statement must have ended together; `nil` for each on its own.
    private var end: ContinuousClock.Instant?

    let pulse = StuckCalls.Pulse()

    /// Resets the counts before a call of SQLite.
    func begin() {
        done = 0
        start = nil
        pulse.heartbeat()
    }

    /// Ends a call of SQLite.
    func finish() { pulse.heartbeat() }

    fileprivate func exceedsLimit() -> Bool {
        done += Int(Self.interval)
        let now = ContinuousClock.now
        if let end, now > end { return true }
        guard let start else {
            start = now
            return done > limit
        }
        // A single instruction may copy as many bytes as the file has.
        return done > limit || now - start > longest
    }

    /// Interrupts each call on a connection beyond a number of instructions or a time.
    ///
    /// Sound: the connection keeps this object alive, and SQLite calls the handler only in the connection's methods.
    fileprivate func watch(
        _ handle: OpaquePointer,
        limit: Int,
        longest: Duration,
        until end: ContinuousClock.Instant? = nil
    ) {
        (self.limit, self.longest, self.end) = (limit, longest, end)
        StuckCalls.watch(pulse, longest, until: end)
        sqlite3_progress_handler(
            handle,
            Self.interval,
            { work in
                guard let work else { return 0 }
                return Unmanaged<WorkLimit>.fromOpaque(work).takeUnretainedValue().exceedsLimit() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}

extension Connection {
    /// Interrupts each call of SQLite that takes longer. It then throws `interrupted`.
    package func limitWork(to longest: Duration) {
        work.watch(handle, limit: .max, longest: longest)
    }

    /// Interrupts all work after a time from now, that of one call and of many. It then throws `interrupted`.
    package func limitAllWork(to longest: Duration) {
        work.watch(handle, limit: .max, longest: longest, until: .now + longest)
    }

    /// Interrupts each step of a statement that takes more work than a sound file of this size could need. It then
    /// throws `interrupted`.
    package func limitWork(forFileOf bytes: Int64) {
        // The shortest row takes about five bytes, and our statements take at most about fifty instructions a row.
        let (limit, overflows) = Int(bytes).multipliedReportingOverflow(by: 16)
        // A slow disk reads the whole file in less time.
        let longest = Duration.seconds(30 + bytes / 4_000_000)
        work.watch(handle, limit: overflows ? .max : max(limit, 1_000_000), longest: longest)
    }
}
