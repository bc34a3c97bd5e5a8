import HindsightFormat
import HindsightSupport

/// When to give up.
struct Deadline {
    /// In nanoseconds of the monotonic clock.
    private let end: Int64

    static let never = Deadline(end: .max)

    private init(end: Int64) { self.end = end }

    init(in time: Duration) {
        let (end, isTooFar) = SystemClock.monotonic.addingReportingOverflow(time.nanoseconds)
        self.end = isTooFar ? .max : end
    }

    /// Costs a look at the clock.
    var hasPassed: Bool { end < .max && SystemClock.monotonic >= end }
}
