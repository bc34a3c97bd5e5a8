/// Pairs each value of two sources with the other one's latest.
///
/// Keeps the latest of each source, and one more of each that was not fetched yet.
struct CombiningLatest<First: Sendable, Second: Sendable>: OperatorMachine {
    enum Arrival: Sendable {
        case first(First)
        case second(Second)

        var source: Int {
            switch self {
            case .first: 0
            case .second: 1
            }
        }
    }

    private var waiting: [Arrival] = []
    private var first: First?
    private var second: Second?
    private var isRunning = [true, true]

    /// Nothing will come when both have ended, or when one has ended without ever giving a value.
    var isDone: Bool {
        guard waiting.isEmpty else { return false }
        let isFirstMissing = first == nil && !isRunning[0]
        let isSecondMissing = second == nil && !isRunning[1]
        return isRunning == [false, false] || isFirstMissing || isSecondMissing
    }

    mutating func arrived(_ arrival: Arrival) {
        waiting.append(arrival)
    }

    mutating func finished(_ source: Int) {
        isRunning[source] = false
    }

    mutating func take() -> (First, Second)? {
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .first(let value): first = value
            case .second(let value): second = value
            }
            if let first, let second { return (first, second) }
        }
        return nil
    }

    func mayGoOn(_ worker: Int) -> Bool {
        !waiting.contains { $0.source == worker }
    }
}
