/// Lets a value out when no newer one has come for an interval.
///
/// Keeps two values at most: one that may go out and was not fetched yet, and one that waits.
struct Debouncing<Value: Sendable, Instant: InstantProtocol>: TimedMachine {
    let interval: Instant.Duration
    private(set) var deadline: Instant?
    private var held: Value?
    private var ready: Value?
    private var isFinished = false

    init(interval: Instant.Duration) {
        self.interval = interval
    }

    var isDone: Bool { isFinished && ready == nil }

    mutating func arrived(_ value: Value, at now: Instant) {
        woken(at: now)
        held = value
        deadline = now.advanced(by: interval)
    }

    mutating func woken(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        release()
    }

    mutating func finished() {
        isFinished = true
        release()
    }

    mutating func take() -> Value? {
        defer { ready = nil }
        return ready
    }

    private mutating func release() {
        if let held { ready = held }
        held = nil
        deadline = nil
    }
}
