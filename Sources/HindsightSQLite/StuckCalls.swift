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
        func beat() { count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

        /// The number of the running call; `nil` if there is none.
        fileprivate var call: Int? {
            let count = count.load(ordering: .relaxed)
            return count.isMultiple(of: 2) ? nil : count
        }
    }

    private struct Watched {
        weak var pulse: Pulse?
        var longest: Duration
        /// The running call, and since when it is known to run.
        var call: (number: Int, since: ContinuousClock.Instant)?
    }

    private static let watched = Locked<[Watched]>([])
    private static let isOn = Atomic(false)
    /// How long a call may go on after its limit.
    private static let grace = Duration.seconds(1)

    static func watch(_ pulse: Pulse, _ longest: Duration) {
        guard isOn.load(ordering: .relaxed) else { return }
        watched.withLock { watched in
            watched.removeAll { $0.pulse == nil || $0.pulse === pulse }
            watched.append(Watched(pulse: pulse, longest: longest))
        }
    }

    /// Calls `report` once if a call goes on for a second after its limit. It runs on a thread of its own, and ends the
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
            for index in watched.indices {
                guard let number = watched[index].pulse?.call else {
                    watched[index].call = nil
                    continue
                }
                if let call = watched[index].call, call.number == number {
                    if now - call.since > watched[index].longest + grace { return true }
                } else {
                    watched[index].call = (number, now)
                }
            }
            return false
        }
    }
}
