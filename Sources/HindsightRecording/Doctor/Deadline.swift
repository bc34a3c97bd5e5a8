import HindsightFormat
import HindsightSupport

/// A time limit.
struct Deadline {
    /// In nanoseconds of the monotonic clock.
    private let end: Int64

    static let never = Deadline(end: .max)

    private init(end: Int64) { self.end = end }

    init(in time: Duration) {
        let (end, isTooFar) = SystemClock.monotonic.addingReportingOverflow(time.nanoseconds)
        self.end = isTooFar ? .max : end
    }

    /// Costs reading the clock.
    var hasPassed: Bool { end < .max && SystemClock.monotonic >= end }
}
