/// Lets one value out at once, and then at most one an interval; the last one of all always comes out when `latest`.
///
/// Keeps two values at most: one that may go out and was not fetched yet, and one held until the interval is over.
struct Throttling<Value: Sendable, Instant: InstantProtocol>: TimedMachine {
    let interval: Instant.Duration
    /// Whether a newer value replaces the one that is held.
    let latest: Bool
    private var closedUntil: Instant?
    private var held: Value?
    private var ready: Value?
    private var isFinished = false

    init(interval: Instant.Duration, latest: Bool) {
        self.interval = interval
        self.latest = latest
    }

    var deadline: Instant? { held == nil ? nil : closedUntil }
    var isDone: Bool { isFinished && ready == nil }

    mutating func arrived(_ value: Value, at now: Instant) {
        // It may be asked to wake up late.
        woken(at: now)
        if let closedUntil, now < closedUntil {
            if latest || held == nil { held = value }
        } else {
            open(for: value, at: now)
        }
    }

    mutating func woken(at now: Instant) {
        guard let closedUntil, now >= closedUntil, let value = held else { return }
        held = nil
        open(for: value, at: now)
    }

    mutating func finished() {
        isFinished = true
        if let held { ready = held }
        held = nil
    }

    mutating func take() -> Value? {
        defer { ready = nil }
        return ready
    }

    private mutating func open(for value: Value, at now: Instant) {
        ready = value
        closedUntil = now.advanced(by: interval)
    }
}
