import HindsightSupport

/// The newest value that somebody is still to be told in another place.
///
/// Keeps two values at most: the one that waits and the one that was told last.
final class Mailbox<Value: Sendable>: Sendable {
    private struct State {
        var waiting: Value?
        var last: Value?
        var isScheduled = false
        var isTelling = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let isSame: (@Sendable (Value, Value) -> Bool)?

    init(isSame: (@Sendable (Value, Value) -> Bool)?) {
        self.isSame = isSame
    }

    /// Puts a value in, in place of an older one.
    func put(_ value: Value) {
        state.withLock { $0.waiting = value }
    }

    /// Says whether a delivery is to be scheduled: not where one is scheduled or under way.
    func needsDelivery() -> Bool {
        state.withLock { state in
            if state.waiting == nil || state.isScheduled || state.isTelling { return false }
            state.isScheduled = true
            return true
        }
    }

    /// Tells the value that waits, if there is one and nobody is at it.
    ///
    /// - Parameter asScheduled: Whether this is the delivery for which ``needsDelivery()`` asked.
    /// - Returns: Whether another value has come meanwhile.
    func deliver(asScheduled: Bool, _ tell: (Value) -> Void) -> Bool {
        guard let (value, last) = begin(asScheduled: asScheduled) else { return false }
        // A value may have changed and changed back before it could be told.
        let isKnown = last.flatMap { isSame?($0, value) } ?? false
        if !isKnown { tell(value) }
        return state.withLock { state in
            state.last = value
            state.isTelling = false
            return state.waiting != nil
        }
    }

    /// Ends it: nothing is told any more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.waiting = nil
        }
    }

    private func begin(asScheduled: Bool) -> (value: Value, last: Value?)? {
        state.withLock { state in
            if asScheduled { state.isScheduled = false }
            guard let value = state.waiting, !state.isTelling, !state.isClosed else { return nil }
            state.waiting = nil
            state.isTelling = true
            return (value, state.last)
        }
    }
}
