import HindsightTree

/// The line of an action in a recording in text.
package struct TextAction {
    /// What is known about the states after it.
    package enum Effect {
        case unknown
        /// The durations of all reducers, and the changes of those that changed something.
        case steps(times: [Int64], changes: [(reducer: Int, patch: Patch)])
        /// A change that no single reducer made: time travel, or that of a run of skipped actions, at its last.
        case whole(Patch)
    }

    package var type = ""
    package var payload: Node?
    package var effect = Effect.unknown
    /// The number of changes that the text leaves out, because it is reduced to another place of the states.
    package var outside = 0
    /// Whether a limit dropped the action. The state at the start is the one after it.
    package var isDropped = false
    /// Whether the recorder was behind, and left out the state after it.
    package var isSkipped = false
    /// The first doubtful path of the state after it.
    package var doubtful: String?
    package var problem: String?
    /// The number of the parent, counted from this action, so that it does not depend on the lines before.
    package var parent: Int?
    package var origin: String?
    /// The thread that dispatched the action; `nil` if it is not known.
    package var thread: DispatchingThread?
    package var at: Int64 = 0
    package var duration: Int64?

    package init() {}

    package var isTravel: Bool { type == Schema.travelType && payload == nil }

    // MARK: Writing

    /// The line, with its members in their order: first what the action did, then when.
    package func node(_ labels: ReducerLabels) -> Node {
        var members: [Node.Member] = []
        func add(_ key: String, _ value: Node?) { if let value { members.append(.init(key, value)) } }
        add("action", .string(type))
        add("payload", payload)
        var times: [Int64]?
        switch effect {
        case .unknown: break
        case .whole(let patch): add(isSkipped || !isTravel ? "run" : "travel", patch.node)
        case .steps(let durations, let changes):
            times = durations
            if !changes.isEmpty {
                add("changes", .object(changes.map { .init(labels.label(of: $0.reducer), $0.patch.node) }))
            }
        }
        if outside > 0 { add("outside", .int(outside)) }
        if isDropped { add("dropped", true) }
        if isSkipped { add("skipped", true) }
        add("doubtful", doubtful.map(Node.string))
        add("problem", problem.map(Node.string))
        add("parent", parent.map(Node.int))
        add("origin", origin.map(Node.string))
        add("thread", thread?.node)
        add("at", .int(Int(at)))
        add("duration", duration.map { .int(Int($0)) })
        add("times", times.map { .array($0.map { .int(Int($0)) }) })
        return .object(members)
    }

    // MARK: Reading

    /// - Throws: ``TextFault``.
    init(_ members: [Node.Member], _ labels: ReducerLabels) throws {
        var changes: [(reducer: Int, patch: Patch)] = []
        var times: [Int64]?
        var hasTime = false
        for member in members {
            switch (member.key, member.value) {
            case ("action", .string(let text)): type = text
            case ("payload", let node): payload = node
            case ("changes", .object(let patches)):
                changes = try patches.map { patch in
                    guard let number = labels.number(of: patch.key) else {
                        throw TextFault("there is no reducer \(Node.string(patch.key).json)")
                    }
                    return (number, try Self.patch(patch.value, "the changes of \(patch.key)", number))
                }
            case ("run", let node), ("travel", let node):
                guard case .unknown = effect else { throw TextFault("it has both a \"run\" and a \"travel\"") }
                effect = .whole(try Self.patch(node, "its \"\(member.key)\"", nil))
            case ("outside", .int(let count)): outside = count
            case ("dropped", .bool(true)): isDropped = true
            case ("skipped", .bool(true)): isSkipped = true
            case ("doubtful", .string(let path)) where NodePath(path) != nil: doubtful = path
            case ("problem", .string(let text)): problem = text
            case ("parent", .int(let offset)): parent = offset
            case ("origin", .string(let text)): origin = text
            case ("thread", let node):
                thread = DispatchingThread(node)
                if thread == nil { throw TextFault("its \"thread\" is none that an action has") }
            case ("at", .int(let time)): (at, hasTime) = (Int64(time), true)
            case ("duration", .int(let time)): duration = Int64(time)
            case ("times", .array(let elements)):
                times = try elements.map { element in
                    guard case .int(let time) = element else {
                        throw TextFault("a time in \"times\" is no whole number")
                    }
                    return Int64(time)
                }
            default:
                throw TextFault(
                    "its \(Node.string(member.key).json) is not one that an action has, or has another type"
                )
            }
        }
        // As the recorder names actions. The description of a struct with one property looks like a case, too.
        if problem == nil, case .member(let name, isObject: true)? = payload?.outline,
            ScalarKey(name) != ScalarKey(type)
        {
            throw TextFault("its \"payload\" is of an action \(Node.string(name).json)")
        }
        guard hasTime else { throw TextFault("its \"at\", the time of the action, is missing") }
        try settle(times, changes)
    }

    private mutating func settle(_ times: [Int64]?, _ changes: [(reducer: Int, patch: Patch)]) throws {
        if let duration, duration < 0 { throw TextFault("its \"duration\" is negative") }
        if times?.contains(where: { $0 < 0 }) == true { throw TextFault("a time in \"times\" is negative") }
        if case .whole = effect {
            guard isSkipped != isTravel, times == nil, changes.isEmpty else {
                throw TextFault(
                    "only time travel has a \"travel\", and only a skipped action a \"run\", and no \"times\""
                )
            }
        } else if let times {
            guard !isSkipped else { throw TextFault("a skipped action has no \"times\"") }
            if let last = changes.map(\.reducer).max(), last > times.count {
                throw TextFault("it has no time in \"times\" for reducer \(last)")
            }
            effect = .steps(times: times, changes: changes)
        } else if !changes.isEmpty {
            throw TextFault("it has \"changes\", but not the reducers' \"times\"")
        }
        if case .unknown = effect { return }
        guard duration != nil else { throw TextFault("it has an effect, but no \"duration\"") }
    }

    private static func patch(_ node: Node, _ what: String, _ reducer: Int?) throws -> Patch {
        do {
            return try Patch(node: node)
        } catch {
            throw TextFault("\(what) cannot be read: \(error)", reducer: reducer)
        }
    }
}

/// How the lines of a recording name its reducers: by name, or by number (`#2`) if a name repeats or begins with `#`.
package struct ReducerLabels {
    private let labels: [String]
    private let numbers: [ScalarKey: Int]

    package init(_ names: [String]) {
        var counts: [ScalarKey: Int] = [:]
        for name in names { counts[ScalarKey(name), default: 0] += 1 }
        labels = names.enumerated().map { index, name in
            counts[ScalarKey(name)] == 1 && !name.hasPrefix("#") ? name : "#\(index + 1)"
        }
        var numbers: [ScalarKey: Int] = [:]
        for (index, label) in labels.enumerated() { numbers[ScalarKey(label)] = index + 1 }
        self.numbers = numbers
    }

    /// The label of a reducer by its number, from 1.
    func label(of reducer: Int) -> String {
        labels.indices.contains(reducer - 1) ? labels[reducer - 1] : "#\(reducer)"
    }

    /// The number of the reducer with a label; `nil` if there is none.
    func number(of label: String) -> Int? { numbers[ScalarKey(label)] }
}
