import HindsightSupport

/// Keeps the newest value until it is delivered.
///
/// Keeps at most two values: the waiting one, and the one that was delivered last.
final class LatestValueBuffer<Value: Sendable>: Sendable {
    private struct State {
        var waiting: Value?
        var last: Value?
        var isScheduled = false
        var isDelivering = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let isSame: (@Sendable (Value, Value) -> Bool)?

    init(isSame: (@Sendable (Value, Value) -> Bool)?) {
        self.isSame = isSame
    }

    /// Replaces the waiting value, unless the buffer is closed.
    func put(_ value: Value) {
        let old = state.withLock { state in
            if state.isClosed { return nil as Value? }
            defer { state.waiting = value }
            return state.waiting
        }
        // Released only now: its end may dispatch.
        withExtendedLifetime(old) {}
    }

    /// Returns whether to schedule a delivery: not if one is scheduled or under way.
    func needsDelivery() -> Bool {
        state.withLock { state in
            if state.waiting == nil || state.isScheduled || state.isDelivering { return false }
            state.isScheduled = true
            return true
        }
    }

    /// Delivers the waiting value, unless there is none or another call is delivering.
    ///
    /// - Parameter asScheduled: Whether this is the delivery that ``needsDelivery()`` asked for.
    /// - Returns: Whether another value has arrived meanwhile.
    func deliver(asScheduled: Bool, _ receive: (Value) -> Void) -> Bool {
        guard let (value, last) = begin(asScheduled: asScheduled) else { return false }
        // A value may have changed and changed back before its delivery.
        let isKnown = last.flatMap { isSame?($0, value) } ?? false
        // The app's `==` has run, so the subscription may have ended meanwhile.
        if !isKnown, !state.withLock(\.isClosed) { receive(value) }
        let hasMore = state.withLock { state in
            state.last = value
            state.isDelivering = false
            return state.waiting != nil
        }
        // Released only now, as in `put`.
        withExtendedLifetime(last) {}
        return hasMore
    }

    /// Drops the value, and all that follow.
    func close() {
        let old = state.withLock { state in
            defer { state.waiting = nil }
            state.isClosed = true
            return state.waiting
        }
        withExtendedLifetime(old) {}
    }

    private func begin(asScheduled: Bool) -> (value: Value, last: Value?)? {
        state.withLock { state in
            if asScheduled { state.isScheduled = false }
            guard let value = state.waiting, !state.isDelivering, !state.isClosed else { return nil }
            state.waiting = nil
            state.isDelivering = true
            return (value, state.last)
        }
    }
}
