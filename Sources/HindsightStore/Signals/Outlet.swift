import HindsightSupport

/// Hands values on one at a time, from whatever thread they come.
///
/// It holds no lock while it calls: who is called may dispatch. A value that comes meanwhile waits, in place of an
/// older one of the same source, and is handed on by the thread that is at it.
final class Outlet<Value: Sendable>: Sendable {
    private struct State {
        var receive: (@Sendable (Value) -> Void)?
        var waiting: [(source: Int, value: Value)] = []
        var isBusy = false
    }

    private let state: Locked<State>

    init(_ receive: @escaping @Sendable (Value) -> Void) {
        state = Locked(State(receive: receive))
    }

    /// Adds a value; ``drain()`` hands it on.
    func post(_ value: Value, from source: Int = 0) {
        state.withLock { state in
            state.waiting.removeAll { $0.source == source }
            state.waiting.append((source, value))
        }
    }

    /// Hands on what waits, unless somebody is at it.
    func drain() {
        let begins = state.withLock { state in
            if state.isBusy { return false }
            state.isBusy = true
            return true
        }
        if !begins { return }
        while let (value, receive) = next() { receive(value) }
    }

    /// Hands on nothing more, and lets go of whom it would have called.
    func close() {
        let old = state.withLock { state in
            defer {
                state.receive = nil
                state.waiting = []
            }
            return state
        }
        // Let go only now: what the closure holds may end other subscriptions as it goes.
        withExtendedLifetime(old) {}
    }

    private func next() -> (Value, @Sendable (Value) -> Void)? {
        state.withLock { state in
            guard let receive = state.receive, !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return (state.waiting.removeFirst().value, receive)
        }
    }
}
