/// Lets out what several sources bring, in the order in which it came.
///
/// Keeps one value of each source at most: a source waits until its value has been fetched.
struct Merging<Value: Sendable>: OperatorMachine {
    private var waiting: [(source: Int, value: Value)] = []
    private var running: Int

    init(sources: Int) {
        running = sources
    }

    var isDone: Bool { running == 0 && waiting.isEmpty }

    mutating func arrived(_ value: Value, from source: Int) {
        waiting.append((source, value))
    }

    mutating func finished() {
        running -= 1
    }

    mutating func take() -> Value? {
        waiting.isEmpty ? nil : waiting.removeFirst().value
    }

    func mayGoOn(_ worker: Int) -> Bool {
        !waiting.contains { $0.source == worker }
    }
}
