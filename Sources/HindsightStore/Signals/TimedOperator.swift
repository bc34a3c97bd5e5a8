/// What `throttle` and `debounce` decide, as a value without tasks, locks and clocks.
///
/// Keeps at most two values: one to emit, and one held until the interval is over.
struct TimedOperator<Value: Sendable, Instant: InstantProtocol>: Sendable {
    enum Kind {
        /// Emits one value at once, and then at most one an interval. `latest`: whether a newer value replaces the held
        /// one.
        case throttle(latest: Bool)
        /// Emits a value when no newer one has come for an interval.
        case debounce
    }

    let kind: Kind
    let interval: Instant.Duration
    /// When the interval is over.
    private var end: Instant?
    private var held: Value?
    private var ready: Value?

    init(_ kind: Kind, interval: Instant.Duration) {
        self.kind = kind
        self.interval = interval
    }

    /// When to call ``wake(at:)``; `nil` if no value is held. Only ever moves to later times.
    var deadline: Instant? { held == nil ? nil : end }

    mutating func receive(_ value: Value, at now: Instant) {
        // The wake-up may be late.
        wake(at: now)
        switch kind {
        case .throttle(let latest):
            guard let end, now < end else { return emit(value, at: now) }
            if latest || held == nil { held = value }
        case .debounce:
            held = value
            end = now.advanced(by: interval)
        }
    }

    mutating func wake(at now: Instant) {
        guard let end, now >= end, let value = held else { return }
        held = nil
        emit(value, at: now)
    }

    /// Returns the value to emit, once.
    mutating func take() -> Value? {
        defer { ready = nil }
        return ready
    }

    private mutating func emit(_ value: Value, at now: Instant) {
        ready = value
        end = now.advanced(by: interval)
    }
}
