import HindsightSupport

/// Passes values on one at a time, from any thread.
///
/// It calls the receiver without a lock, because the receiver may dispatch. A value that arrives meanwhile replaces a
/// waiting one of the same source, and the thread that is calling the receiver passes it on.
final class SerialEmitter<Value: Sendable>: Sendable {
    private struct State {
        var receive: (@Sendable (Value) -> Void)?
        var waiting: [(source: Int, value: Value)] = []
        var isBusy = false
        /// Whether no value will be posted.
        var isFinished = false
    }

    private let state: Locked<State>

    init(_ receive: @escaping @Sendable (Value) -> Void) {
        state = Locked(State(receive: receive))
    }

    /// Adds a value. Call ``drain()`` to pass it on.
    ///
    /// - Returns: The waiting value that it replaces. Release it outside of any lock: its end may dispatch.
    @discardableResult
    func post(_ value: Value, from source: Int = 0) -> Value? {
        state.withLock { state in
            let replaced = state.waiting.first(where: { $0.source == source })?.value
            state.waiting.removeAll { $0.source == source }
            state.waiting.append((source, value))
            return replaced
        }
    }

    /// Passes the waiting values on, unless another call does.
    func drain() {
        let begins = state.withLock { state in
            if state.isBusy { return false }
            state.isBusy = true
            return true
        }
        if !begins { return }
        while let (value, receive) = next() { receive(value) }
    }

    /// Passes the waiting values on, and then releases the receiver. Call it when no source is left.
    func finish() {
        state.withLock { $0.isFinished = true }
        drain()
    }

    /// Drops all values, and releases the receiver.
    func close() {
        let old = state.withLock { state in
            defer {
                state.receive = nil
                state.waiting = []
            }
            return state
        }
        // Released only now: what the closure holds may end other subscriptions.
        withExtendedLifetime(old) {}
    }

    private func next() -> (Value, @Sendable (Value) -> Void)? {
        var last: (@Sendable (Value) -> Void)?
        let next = state.withLock { state -> (Value, @Sendable (Value) -> Void)? in
            guard let receive = state.receive, !state.waiting.isEmpty else {
                state.isBusy = false
                if state.isFinished { swap(&last, &state.receive) }
                return nil
            }
            return (state.waiting.removeFirst().value, receive)
        }
        // Released only now, as in `close()`.
        withExtendedLifetime(last) {}
        return next
    }
}
