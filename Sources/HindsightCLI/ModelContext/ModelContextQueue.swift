import HindsightTree

/// The calls of tools that have no answer yet, the oldest first. Some run; the others wait in order.
struct ModelContextQueue {
    struct Call {
        let number: Int
        /// The id of the client's request.
        let id: Node
        /// The number of the batch that it belongs to.
        let batch: Int?
        let tool: String
        let arguments: Node
        /// `nil` if the client wants no progress.
        let progressToken: Node?
        /// When the request came.
        let begin: Duration
        /// Whether it runs. Otherwise it waits.
        fileprivate(set) var isRunning = false
        /// The last reported progress: the whole seconds since ``begin``.
        fileprivate(set) var reported = 0
    }

    /// The most calls that run at once.
    static let maxRunning = 4
    /// The most calls that are taken.
    static let most = 1_000

    private var calls: [Call] = []

    var isEmpty: Bool { calls.isEmpty }

    func contains(_ id: Node) -> Bool { calls.contains { $0.id == id } }

    func contains(batch: Int) -> Bool { calls.contains { $0.batch == batch } }

    /// Adds a call, which waits.
    ///
    /// - Returns: Whether there was room.
    mutating func add(_ call: Call) -> Bool {
        guard calls.count < Self.most else { return false }
        calls.append(call)
        return true
    }

    /// Lets the calls run that need not wait any more, and returns them.
    mutating func start() -> [Call] {
        var running = calls.count(where: \.isRunning)
        var started: [Call] = []
        for index in calls.indices where !calls[index].isRunning && running < Self.maxRunning {
            calls[index].isRunning = true
            running += 1
            started.append(calls[index])
        }
        return started
    }

    mutating func remove(_ number: Int) -> Call? { remove { $0.number == number } }

    mutating func remove(_ id: Node) -> Call? { remove { $0.id == id } }

    private mutating func remove(where matches: (Call) -> Bool) -> Call? {
        calls.firstIndex(where: matches).map { calls.remove(at: $0) }
    }

    mutating func removeAll() -> [Call] {
        defer { calls = [] }
        return calls
    }

    /// The calls whose client wants progress, and for which another second has passed.
    mutating func report(at now: Duration) -> [Call] {
        var due: [Call] = []
        for index in calls.indices where calls[index].progressToken != nil {
            let seconds = Int((now - calls[index].begin).components.seconds)
            guard seconds > calls[index].reported else { continue }
            calls[index].reported = seconds
            due.append(calls[index])
        }
        return due
    }
}
