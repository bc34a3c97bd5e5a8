import HindsightSupport
import Synchronization

/// Notices calls of SQLite that go on long after their limit.
///
/// SQLite heeds an interrupt between the steps of its virtual machine, but not inside one function: `instr` of two large
/// texts, or `like` with many wildcards, may run for hours. Only the end of the process ends such a call.
package enum StuckCalls {
    /// Counts the beginnings and ends of calls.
    final class Pulse: Sendable {
        private let count = Atomic(0)

        /// Only the thread of the connection calls it.
        func heartbeat() { count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

        /// The number of the running call; `nil` if there is none.
        var call: Int? {
            let count = count.load(ordering: .relaxed)
            return count.isMultiple(of: 2) ? nil : count
        }
    }

    /// The calls of one connection, looked at from time to time.
    struct Watch {
        /// The longest time of one call.
        let longest: Duration
        /// When all calls must have ended; `nil` if each has its own limit only.
        let end: ContinuousClock.Instant?
        /// The running call, and since when it is known to run.
        private var call: (number: Int, since: ContinuousClock.Instant)?

        init(longest: Duration, end: ContinuousClock.Instant? = nil) { (self.longest, self.end) = (longest, end) }

        /// Notes which call runs, and returns whether it goes on long after its limit.
        mutating func isStuck(in number: Int?, at now: ContinuousClock.Instant) -> Bool {
            guard let number else {
                call = nil
                return false
            }
            let since = call.flatMap { $0.number == number ? $0.since : nil } ?? now
            call = (number, since)
            return now > min(since + longest, end ?? since + longest) + grace
        }
    }

    private struct Watched {
        weak var pulse: Pulse?
        var watch: Watch
    }

    private static let watched = Locked<[Watched]>([])
    private static let isOn = Atomic(false)
    /// How long a call may go on after its limit. Between two looks of a busy machine's only free core, a call that heeds
    /// the interrupt ends by itself.
    private static let grace = Duration.milliseconds(300)

    static func watch(_ pulse: Pulse, _ longest: Duration, until end: ContinuousClock.Instant?) {
        guard isOn.load(ordering: .relaxed) else { return }
        watched.withLock { watched in
            watched.removeAll { $0.pulse == nil || $0.pulse === pulse }
            watched.append(Watched(pulse: pulse, watch: Watch(longest: longest, end: end)))
        }
    }

    /// Calls `report` once if a call goes on for 0.3 s after its limit. It runs on a thread of its own, and ends the
    /// process.
    ///
    /// Only connections that get their limit later are watched.
    package static func watch(_ report: @escaping @Sendable () -> Void) throws(SystemError) {
        isOn.store(true, ordering: .relaxed)
        try BackgroundThread.start {
            repeat { usleep(100_000) } while !isStuck()
            report()
        }
    }

    private static func isStuck() -> Bool {
        watched.withLock { watched in
            let now = ContinuousClock.now
            for index in watched.indices
            where watched[index].watch.isStuck(in: watched[index].pulse?.call, at: now) { return true }
            return false
        }
    }
}
