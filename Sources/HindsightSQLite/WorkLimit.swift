import CSQLite

/// How much SQLite may do at once, on one connection, and for how long.
///
/// The pages of a file that somebody has made up may lead in circles, or a thousand times to the same page, so that a
/// scan of a small file never ends; SQLite looks for neither. One thread at a time.
final class WorkLimit {
    /// SQLite asks after so many of its virtual machine's instructions.
    private static let interval: Int32 = 10_000

    private var limit = Int.max
    private var longest = Duration.zero
    private var done = 0
    /// When SQLite asked first during the present call.
    private var start: ContinuousClock.Instant?

    /// Begins to count anew: another call of SQLite.
    func begin() {
        done = 0
        start = nil
    }

    fileprivate func goesTooFar() -> Bool {
        done += Int(Self.interval)
        let now = ContinuousClock.now
        guard let start else {
            start = now
            return done > limit
        }
        // One instruction may copy as many bytes as the whole file has.
        return done > limit || now - start > longest
    }

    /// Ends any one call on a connection after so many instructions.
    ///
    /// Sound: the connection keeps this object, and SQLite asks only while one of the connection's methods runs.
    fileprivate func watch(_ handle: OpaquePointer, limit: Int, longest: Duration) {
        self.limit = limit
        self.longest = longest
        sqlite3_progress_handler(
            handle,
            Self.interval,
            { work in
                guard let work else { return 0 }
                return Unmanaged<WorkLimit>.fromOpaque(work).takeUnretainedValue().goesTooFar() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}

extension Connection {
    /// Ends any one step of a statement that takes longer than a sound file of so many bytes could need, with the error
    /// `interrupted`.
    package func limitWork(forFileOf bytes: Int64) {
        // The shortest row takes some five bytes, and no step of ours more than some fifty instructions a row.
        let (limit, overflows) = Int(bytes).multipliedReportingOverflow(by: 16)
        // A slow disk reads the whole of a file in less.
        let longest = Duration.seconds(30 + bytes / 4_000_000)
        work.watch(handle, limit: overflows ? .max : max(limit, 1_000_000), longest: longest)
    }
}
