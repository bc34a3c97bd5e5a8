import HindsightDebugger
import HindsightTree

@testable import RandomRecordings

/// A debugger by brute force: a list of all positions, and for each breakpoint a list of those at which it hits.
final class DebuggerModel {
    /// A breakpoint, by a closure over the whole recording instead of a search.
    struct Rule {
        let kind: Breakpoint.Kind
        let hits: [Recording.Position]
    }

    private let random: RandomRecording
    private let types: [Int: String]
    /// All positions, by action and by reducer, in order.
    private let actions: [Recording.Position]
    private let reducers: [Recording.Position]
    private let states: [Recording.Position: Node]
    /// The known states in order, with the position that a step by reducer has.
    private let timeline: [(position: Recording.Position, state: Node)]

    init(of random: RandomRecording, types: [Int: String]) {
        (self.random, self.types) = (random, types)
        let count = RandomRecording.reducers.count
        let start = Recording.Position(seq: random.start)
        let timed = Set(random.states.filter { $0.position.reducer != nil }.map(\.position.seq))
        var (actions, reducers) = ([start], [start])
        for seq in (random.start + 1)...random.last {
            actions.append(Recording.Position(seq: seq))
            if timed.contains(seq) {
                reducers += (1...count).map { Recording.Position(seq: seq, reducer: $0) }
            } else {
                reducers.append(Recording.Position(seq: seq))
            }
        }
        (self.actions, self.reducers) = (actions, reducers)
        timeline = random.states.map { position, state in
            guard position.reducer == nil, timed.contains(position.seq) else { return (position, state) }
            return (Recording.Position(seq: position.seq, reducer: count), state)
        }
        var states = Dictionary(uniqueKeysWithValues: random.states.map { ($0.position, $0.state) })
        for (position, state) in timeline { states[position] = state }
        for seq in (random.start + 1)...random.last {
            states[Recording.Position(seq: seq, reducer: 0)] = states[Recording.Position(seq: seq - 1)]
        }
        self.states = states
    }

    var first: Recording.Position { actions[0] }
    var last: Recording.Position { actions[actions.count - 1] }
    /// All positions that exist.
    var all: [Recording.Position] { Array(Set(actions + reducers)).sorted() }

    func state(at position: Recording.Position) -> Node? { states[position] }

    // MARK: Steps

    /// When a position is: after a whole action is the same moment as after its last reducer.
    private func moment(_ position: Recording.Position) -> (Int, Int) {
        (position.seq, min(position.reducer ?? .max, RandomRecording.reducers.count))
    }

    func step(
        _ direction: DebuggerDirection,
        from position: Recording.Position,
        by granularity: StateCursor.Granularity
    )
        -> Recording.Position?
    {
        switch (direction, granularity) {
        case (.forward, .action): actions.first { moment($0) > moment(position) }
        case (.forward, .reducer): reducers.first { moment($0) > moment(position) }
        // From within an action, to the state before it.
        case (.backward, .action): actions.last { $0.seq < position.seq }
        case (.backward, .reducer): reducers.last { moment($0) < moment(position) }
        }
    }

    // MARK: Breakpoints

    func action(_ type: String) -> Rule {
        Rule(
            kind: .action(type: type),
            hits: actions.dropFirst().filter { types[$0.seq] == type }
        )
    }

    func reducer(_ number: Int) -> Rule {
        Rule(
            kind: .reducer(RandomRecording.reducers[number - 1]),
            hits: random.writes.filter { $0.reducer == number }.map(\.position)
        )
    }

    func change(of path: NodePath) -> Rule {
        let hits = zip(timeline, timeline.dropFirst()).filter { $0.state[path] != $1.state[path] }.map(\.1.position)
        return Rule(kind: .change(of: path), hits: hits)
    }

    /// Conditions on the state alone, with what they mean.
    static let conditions: [(text: String, holds: @Sendable (Node) -> Bool)] = [
        ("/count = 1", { $0["count"] == 1 }),
        (
            "json_array_length(/items) > 4",
            { state in
                guard case .array(let items)? = state["items"] else { return false }
                return items.count > 4
            }
        ),
        ("/items/2 is not null", { state in state[NodePath(["items", "2"])].map { $0 != .null } ?? false }),
        ("1", { _ in true }),
    ]

    /// The known states after whole actions.
    private var whole: [(position: Recording.Position, state: Node)] {
        actions.compactMap { position in states[position].map { (position, $0) } }
    }

    func expression(_ condition: (text: String, holds: @Sendable (Node) -> Bool)) throws -> Rule {
        var hits: [Recording.Position] = []
        var was = false
        for (position, state) in whole {
            let holds = condition.holds(state)
            if holds, !was { hits.append(position) }
            was = holds
        }
        return Rule(kind: .expression(try RecordingExpression(condition.text)), hits: hits)
    }

    func turn(of condition: (text: String, holds: @Sendable (Node) -> Bool)) throws -> Rule {
        let hits = zip(whole, whole.dropFirst()).filter { condition.holds($0.state) != condition.holds($1.state) }
            .map(\.1.position)
        return Rule(kind: .turn(of: try RecordingExpression(condition.text)), hits: hits)
    }

    /// An expression that compares with the state before, which must be known.
    func changedMember(_ name: String) throws -> Rule {
        let hits = actions.dropFirst().filter { position in
            guard let new = states[position], let old = states[Recording.Position(seq: position.seq - 1)] else {
                return false
            }
            return old[name] != new[name]
        }
        return Rule(kind: .expression(try RecordingExpression("changed(/\(name))")), hits: Array(hits))
    }

    /// An expression that reads the action.
    func type(_ type: String, and condition: (text: String, holds: @Sendable (Node) -> Bool)) throws -> Rule {
        let hits = actions.dropFirst().filter { position in
            types[position.seq] == type && states[position].map(condition.holds) ?? false
        }
        let text = "type = '\(type)' and (\(condition.text))"
        return Rule(kind: .expression(try RecordingExpression(text)), hits: Array(hits))
    }

    /// The hits of a rule where a condition holds. One that reads no state holds also where the state is not known.
    func hits(of rule: Rule, if condition: (text: String, holds: @Sendable (Node) -> Bool)) -> [Recording.Position] {
        rule.hits.filter { states[$0].map(condition.holds) ?? (condition.text == "1") }
    }
}
