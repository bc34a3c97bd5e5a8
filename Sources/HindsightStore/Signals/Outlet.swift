import Synchronization

/// Hands values on one at a time, from whatever thread they come.
///
/// It holds no lock while it calls: who is called may dispatch. A value that comes meanwhile waits, in place of an
/// older one of the same source, and is handed on by the thread that is at it.
final class Outlet<Value: Sendable>: Sendable {
    private struct State {
        var waiting: [(source: Int, value: Value)] = []
        var isBusy = false
    }

    private let state = Mutex(State())
    private let receive: @Sendable (Value) -> Void

    init(_ receive: @escaping @Sendable (Value) -> Void) {
        self.receive = receive
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
        while let value = next() { receive(value) }
    }

    private func next() -> Value? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst().value
        }
    }
}
