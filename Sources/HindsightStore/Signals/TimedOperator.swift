/// What `throttle` and `debounce` decide, as a value without tasks, locks and clocks.
protocol TimedOperator<Value, Instant>: Sendable {
    associatedtype Value: Sendable
    associatedtype Instant: InstantProtocol

    /// When to call ``wake(at:)``; `nil` if no value is held. Only ever moves to later times.
    var deadline: Instant? { get }

    mutating func receive(_ value: Value, at now: Instant)
    mutating func wake(at now: Instant)

    /// Returns the value to emit, once.
    mutating func take() -> Value?
}

/// Emits one value at once, and then at most one an interval.
///
/// Keeps at most two values: one to emit, and one held until the interval is over.
struct Throttle<Value: Sendable, Instant: InstantProtocol>: TimedOperator {
    let interval: Instant.Duration
    /// Whether a newer value replaces the held one.
    let latest: Bool
    private var closedUntil: Instant?
    private var held: Value?
    private var ready: Value?

    init(interval: Instant.Duration, latest: Bool) {
        self.interval = interval
        self.latest = latest
    }

    var deadline: Instant? { held == nil ? nil : closedUntil }

    mutating func receive(_ value: Value, at now: Instant) {
        // The wake-up may be late.
        wake(at: now)
        if let closedUntil, now < closedUntil {
            if latest || held == nil { held = value }
        } else {
            emit(value, at: now)
        }
    }

    mutating func wake(at now: Instant) {
        guard let closedUntil, now >= closedUntil, let value = held else { return }
        held = nil
        emit(value, at: now)
    }

    mutating func take() -> Value? {
        defer { ready = nil }
        return ready
    }

    private mutating func emit(_ value: Value, at now: Instant) {
        ready = value
        closedUntil = now.advanced(by: interval)
    }
}

/// Emits a value when no newer one has come for an interval.
///
/// Keeps at most two values: one to emit, and one that waits.
struct Debounce<Value: Sendable, Instant: InstantProtocol>: TimedOperator {
    let interval: Instant.Duration
    private(set) var deadline: Instant?
    private var held: Value?
    private var ready: Value?

    init(interval: Instant.Duration) {
        self.interval = interval
    }

    mutating func receive(_ value: Value, at now: Instant) {
        wake(at: now)
        held = value
        deadline = now.advanced(by: interval)
    }

    mutating func wake(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        if let held { ready = held }
        held = nil
        self.deadline = nil
    }

    mutating func take() -> Value? {
        defer { ready = nil }
        return ready
    }
}
