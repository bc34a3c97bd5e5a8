import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSQLite
import HindsightTree
import TestSupport

/// A recording of random actions, and the truth about it.
///
/// The tests of blame, history, find and bisect compare more than 1,000 answers about such recordings with brute force:
/// many questions about each of few recordings, because making one takes longer than an answer.
///
/// The state has nested objects, arrays with splices and moves, texts with edits, dictionaries with unusual keys, values
/// that are written again unchanged, replaced subtrees and a redacted value. There are several reducers, time travel,
/// runs without states, dropped actions before the start and actions without states at the end.
final class RandomRecording {
    /// What one reducer changed, or time travel, or a run of actions whose states were left out.
    struct Write {
        /// The actions; several only for a run without states.
        var actions: ClosedRange<Int>
        /// The number of the reducer; `nil` for time travel and for a run without states.
        var reducer: Int?
        /// What the recording says about it; `nil` if it does not have the changes of the run.
        var patch: Patch?
        /// The state after it.
        var state: Node

        var position: Recording.Position { Recording.Position(seq: actions.upperBound, reducer: reducer) }
    }

    let seed: UInt64
    private let scratch = Scratch()
    var directory: URL { scratch.directory }
    var url: URL { scratch.file("random.hindsight") }
    static let reducers = ["counter", "items", "names", "screen"]
    /// The initial state, or the one after the last dropped action.
    private(set) var initial: Node
    /// The number of the last dropped action.
    let start: Int
    /// The number of the last action, and of the last one whose state is known.
    private(set) var (last, lastKnown): (Int, Int)
    /// All changes up to ``lastKnown``, in order.
    private(set) var writes: [Write] = []
    /// The runs of actions whose states were left out.
    private(set) var runs: [ClosedRange<Int>] = []
    /// The known states in order: one for each reducer of each action, and one for each whole action. The state after
    /// the last reducer is only that of the whole action.
    private(set) var states: [(position: Recording.Position, state: Node)] = []

    private var random: Seeded
    private var state: Node
    private var operations: [Patch.Operation] = []
    /// `nil` once everything is written.
    private var rows: RowWriter?

    var description: String { "HINDSIGHT_SEED=\(seed)" }

    func open() throws -> Recording { try Recording(at: url) }

    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - actions: The number of recorded actions.
    ///   - isWhole: Whether to leave out nothing: no dropped actions, no runs without states, no missing end.
    init(seed: UInt64, actions: Int = 40, isWhole: Bool = false) throws {
        self.seed = seed
        var random = Seeded(seed: seed)
        start = !isWhole && random.once(in: 4) ? 1 + random.below(20) : 0
        initial = Self.initialState(&random)
        state = initial
        let missing = !isWhole && random.once(in: 4) ? 1 + random.below(3) : 0
        last = start + actions
        lastKnown = last - missing
        self.random = random

        try Data().write(to: url)
        let connection = try Connection(url.path, .readWrite)
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        for sql in Schema.creation { try connection.execute(sql) }
        for (index, name) in Self.reducers.enumerated() {
            try connection.execute("INSERT INTO reducer(id, name) VALUES (\(index + 1), '\(name)')")
        }
        rows = try RowWriter(connection)
        try record(isWhole: isWhole)
        try writeFacts(connection)
        rows = nil
    }

    /// Generators for the runs of a property test: a few in a short run, ten times as many in a long one.
    ///
    /// - Parameter usual: The first seed if the environment has none, or `nil` for a random one.
    static func seeds(_ count: Int, from usual: UInt64? = nil) -> [Seeded] {
        let isLong = ProcessInfo.processInfo.environment["HINDSIGHT_TORTURE"] != nil
        return Seeded.runs(isLong ? 10 * count : count, from: usual)
    }

    /// The state at a position; `nil` if it is not known.
    func state(at position: Recording.Position) -> Node? {
        states.first { $0.position == position }?.state
    }

    /// All paths of a state: those of containers and of leaves.
    static func paths(in node: Node, at path: NodePath = NodePath()) -> [NodePath] {
        switch node {
        case .array(let elements):
            [path] + elements.enumerated().flatMap { paths(in: $1, at: path.appending(String($0))) }
        case .object(let members):
            [path] + members.flatMap { paths(in: $0.value, at: path.appending($0.key)) }
        default:
            [path]
        }
    }

    /// Whether nothing is inside a node.
    static func isLeaf(_ node: Node) -> Bool { paths(in: node).count == 1 }

    // MARK: Actions

    private func record(isWhole: Bool) throws {
        if start > 0 {
            try insert(start, type: "dropped", steps: nil)
        }
        try rows?.keep(state.json, at: start)
        states.append((Recording.Position(seq: start), state))
        var seq = start
        while seq < lastKnown {
            let room = lastKnown - seq
            if !isWhole, random.once(in: 10), room > 2 {
                seq += try recordRun(seq + 1...seq + 1 + random.below(min(4, room - 1)))
            } else if random.once(in: 12), let target = states.randomElement(using: &random)?.state {
                seq += 1
                try recordTravel(seq, to: target)
            } else {
                seq += 1
                try recordAction(seq)
            }
        }
        while seq < last {
            seq += 1
            try insert(seq, type: "unknown", steps: nil)
        }
    }

    private func recordAction(_ seq: Int) throws {
        var entries: [TimedPatch] = []
        for reducer in 1...Self.reducers.count {
            operations = []
            if random.once(in: 2) { try changeSome(times: 1 + random.below(4)) }
            entries.append(TimedPatch(duration: Int64(random.below(5000)), patch: Patch(operations)))
            let isLast = reducer == Self.reducers.count
            states.append((Recording.Position(seq: seq, reducer: isLast ? nil : reducer), state))
            guard !operations.isEmpty else { continue }
            writes.append(Write(actions: seq...seq, reducer: reducer, patch: Patch(operations), state: state))
        }
        let type = random.pick(["tick", "edit", "load"])
        try insert(seq, type: type, steps: TimedPatches.write(entries).text, hasKeyframe: random.once(in: 8))
    }

    private func recordTravel(_ seq: Int, to target: Node) throws {
        let patch = Patch(from: state, to: target)
        state = target
        states.append((Recording.Position(seq: seq), state))
        if !patch.isEmpty { writes.append(Write(actions: seq...seq, reducer: nil, patch: patch, state: state)) }
        let steps = TimedPatches.write([TimedPatch(duration: nil, patch: patch)]).text
        try insert(seq, type: Schema.travelType, steps: steps)
    }

    /// Records actions without states, with what they changed together or with a keyframe after them.
    private func recordRun(_ run: ClosedRange<Int>) throws -> Int {
        operations = []
        try changeSome(times: run.count)
        let isBridged = random.once(in: 2)
        let patch = isBridged ? Patch(operations) : nil
        writes.append(Write(actions: run, reducer: nil, patch: patch, state: state))
        runs.append(run)
        states.append((Recording.Position(seq: run.upperBound), state))
        for seq in run {
            let isLast = seq == run.upperBound
            let steps = isLast ? patch.map { TimedPatches.write([TimedPatch(duration: nil, patch: $0)]).text } : nil
            try insert(seq, type: "hurry", steps: steps, hasKeyframe: isLast && !isBridged, isSkipped: true)
        }
        // Two runs without a known state between them would be one.
        if run.upperBound < lastKnown { try recordAction(run.upperBound + 1) }
        return run.upperBound < lastKnown ? run.count + 1 : run.count
    }

    private func insert(
        _ seq: Int,
        type: String,
        steps: String?,
        hasKeyframe: Bool = false,
        isSkipped: Bool = false
    ) throws {
        let action = DispatchedAction(
            seq: seq,
            type: type,
            payload: type == Schema.travelType ? nil : #"{"\#(type)":{"number":\#(seq)}}"#,
            at: 1_700_000_000_000_000_000 + Int64(seq) * 1_000_000,
            origin: type == Schema.travelType ? nil : .init(file: "App/\(type).swift", line: seq)
        )
        try rows?.insert(
            action,
            duration: 20_000,
            steps: steps,
            keyframe: hasKeyframe ? state.json : nil,
            isSkipped: isSkipped
        )
    }

    private func writeFacts(_ connection: Connection) throws {
        let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES (?, ?)")
        let texts = [
            (Metadata.Key.app, "random"), (Metadata.Key.version, "1"), (Metadata.Key.platform, "test"),
            (Metadata.Key.id, "6f1a8c1e-3f5b-4d6a-9a51-2d4d5c1b7e10"),
            (Redaction.Key.patterns, #"{"states":[{"path":"/secret"}],"actions":[]}"#),
        ]
        for (key, text) in texts {
            try insert.bind(key, at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
        }
        var numbers = [(Metadata.Key.created, Int64(1_700_000_000_000_000_000))]
        if last == lastKnown { numbers.append((Metadata.Key.closed, 1_700_000_100_000_000_000)) }
        if start > 0 { numbers += RecordingLimit.actions(10).facts.map { ($0.key, $0.value) } }
        for (key, number) in numbers {
            try insert.bind(key, at: 1)
            try insert.bind(number, at: 2)
            try insert.run()
        }
    }
}

// MARK: - The state and its changes

extension RandomRecording {
    private static let keys = ["a", "b", "a/b", "~", "~1", "é", "e\u{301}", "", "0", "2", "👩‍👧", "\u{1b}[31m", "q\"\\"]

    private static func initialState(_ random: inout Seeded) -> Node {
        [
            "count": 0, "total": .number("12.50"), "text": "hello", "secret": "[redacted]",
            "items": .array((0..<4).map { _ in item(&random) }),
            "words": ["x", "y", "x"],
            "matrix": [[1, 2], [], [3]],
            "names": ["a": 1, "b": ["c": 2]],
            "screen": ["home": [:]],
            "maybe": .null,
            "deep": ["a": ["b": ["c": ["d": 1, "list": [[1], [2, [3]]]]]]],
        ]
    }

    private static func item(_ random: inout Seeded) -> Node {
        [
            "id": .int(random.below(6)), "title": .string(word(&random)), "done": .bool(random.once(in: 2)),
            "tags": .array((0..<random.below(3)).map { _ in .string(word(&random)) }),
        ]
    }

    private static func word(_ random: inout Seeded) -> String {
        random.pick([
            "", "a", "é", "e\u{301}", "two words", "\"quoted\"", "back\\slash", "\u{1b}[31m", "[]{},:", "x\ny",
        ])
    }

    private static func value(_ random: inout Seeded, depth: Int = 3) -> Node {
        switch random.below(depth == 0 ? 5 : 8) {
        case 0: .int(random.below(4))
        case 1: .string(word(&random))
        case 2: .bool(random.once(in: 2))
        case 3: .null
        case 4: .number(random.pick(["1.0", "1.00", "18446744073709551615", "-0.0"]))
        case 5: .array((0..<random.below(4)).map { _ in value(&random, depth: depth - 1) })
        default:
            .object(keys.filter { _ in random.once(in: 5) }.map { Node.Member($0, value(&random, depth: depth - 1)) })
        }
    }

    private func apply(_ operation: Patch.Operation) throws {
        try Patch([operation]).apply(to: &state)
        operations.append(operation)
    }

    private func elements(_ path: NodePath) -> [Node] {
        if case .array(let elements)? = state[path] { elements } else { [] }
    }

    /// Some changes by one reducer. The patch of several is that of a recorder: it compares the states before and after,
    /// so that it never says that an element came and went.
    private func changeSome(times: Int) throws {
        let before = state
        for _ in 0..<times { try change() }
        if times > 1 { operations = Patch(from: before, to: state).operations }
    }

    /// One change, as a reducer makes it.
    private func change() throws {
        let lists = ["/items", "/words", "/matrix", "/deep/a/b/c/list"].compactMap { NodePath($0) }
            .filter { if case .array? = state[$0] { true } else { false } }
        let list = random.once(in: 2) || lists.isEmpty ? NodePath(["items"]) : random.pick(lists)
        switch random.below(16) {
        case 0:
            // Sometimes the same value again.
            try replace(NodePath(["count"]), by: .int(random.below(3)))
        case 1: try editText()
        case 2, 3: try insertElements(into: list)
        case 4: try removeElements(from: list)
        case 5, 6: try moveElement(in: list)
        case 7, 8: try changeInside(list)
        case 9: try changeMember(of: NodePath(["names"]))
        case 10: try replace(NodePath(["screen"]), by: Self.value(&random))
        case 11: try replace(NodePath(["maybe"]), by: Self.value(&random))
        case 12: try shuffle(list)
        case 14: try rotateInPlace(list)
        case 13:
            // The same contents, or some of them, written as a whole.
            guard case .array(var elements)? = state[list] else { return }
            if !elements.isEmpty, random.once(in: 2) { elements[random.below(elements.count)] = Self.value(&random) }
            try replace(list, by: .array(elements))
        default:
            if random.once(in: 10) { try replace(NodePath(), by: Self.initialState(&random)) }
            try replace(NodePath(["deep", "a", "b", "c", "d"]), by: Self.value(&random))
        }
    }

    private func replace(_ path: NodePath, by new: Node) throws {
        guard let old = state[path] else { return }
        try apply(.replace(path: path, old: old, new: new))
    }

    private func editText() throws {
        guard case .string(let text)? = state["text"] else { return }
        let at = random.below(text.utf8.count + 1)
        let remove = String(decoding: Array(text.utf8)[at...].prefix(random.below(3)), as: UTF8.self)
        let insert = random.pick(["", "a", "bc", "\"", "\\"])
        try apply(.edit(path: NodePath(["text"]), at: at, remove: .string(remove), insert: .string(insert)))
    }

    private func insertElements(into list: NodePath) throws {
        guard case .array(let elements)? = state[list], elements.count < 12 else { return }
        let new = (0...random.below(3)).map { _ in
            // Duplicates, too.
            random.once(in: 4) ? elements.randomElement(using: &random) ?? 7 : newElement(of: list)
        }
        let at = random.below(elements.count + 1)
        if random.once(in: 4) {
            try apply(.add(path: list.appending(String(at)), value: new[0], at: nil))
        } else {
            try apply(.splice(path: list, at: at, remove: [], insert: new))
        }
    }

    private func newElement(of list: NodePath) -> Node {
        switch list.components.last {
        case "items": Self.item(&random)
        case "words": .string(Self.word(&random))
        default: Self.value(&random, depth: 2)
        }
    }

    private func removeElements(from list: NodePath) throws {
        let elements = elements(list)
        guard !elements.isEmpty else { return }
        let at = random.below(elements.count)
        if random.once(in: 4) {
            try apply(.remove(path: list.appending(String(at)), old: elements[at], at: nil))
        } else {
            let removed = Array(elements[at...].prefix(1 + random.below(3)))
            let inserted = random.once(in: 3) ? [newElement(of: list)] : []
            try apply(.splice(path: list, at: at, remove: removed, insert: inserted))
        }
    }

    /// Removes an element and inserts it elsewhere, in one of the forms that a patch may have.
    private func moveElement(in list: NodePath) throws {
        let elements = elements(list)
        guard elements.count > 1 else { return }
        let (from, to) = (random.below(elements.count), random.below(elements.count))
        let element = elements[from]
        switch random.below(3) {
        case 0:
            try apply(.splice(path: list, at: from, remove: [element], insert: []))
            try apply(.splice(path: list, at: to, remove: [], insert: [element]))
        case 1:
            try apply(.remove(path: list.appending(String(from)), old: element, at: nil))
            try apply(.add(path: list.appending(String(to)), value: element, at: nil))
        default:
            let run = Array(elements[from...].prefix(3))
            let rotated = Array(run.dropFirst() + run.prefix(1))
            try apply(.splice(path: list, at: from, remove: run, insert: rotated + (random.once(in: 2) ? [1] : [])))
        }
    }

    /// Moves an element, and writes each element that this changes, as a recorder does that compares them pair by pair.
    private func rotateInPlace(_ list: NodePath) throws {
        let elements = elements(list)
        guard elements.count > 1 else { return }
        let first = random.below(elements.count - 1)
        let run = Array(elements[first...].prefix(2 + random.below(3)))
        var rotated = Array(run.dropFirst() + run.prefix(1))
        if random.once(in: 3), case .object? = rotated.first { rotated[0] = Self.item(&random) }
        for (offset, (old, new)) in zip(run, rotated).enumerated() {
            let path = list.appending(String(first + offset))
            for operation in Patch(from: old, to: new).operations {
                let place = NodePath(path.components + operation.path.components)
                if let operation = Patch.Operation(operation.kind, at: place, operation.change) { try apply(operation) }
            }
        }
    }

    private func changeInside(_ list: NodePath) throws {
        let elements = elements(list)
        guard !elements.isEmpty else { return }
        let paths = Self.paths(in: state[list] ?? .null, at: list).dropFirst()
        guard let path = paths.randomElement(using: &random) else { return }
        if case .array? = state[path], random.once(in: 2) { return try insertElements(into: path) }
        try replace(path, by: Self.value(&random, depth: 1))
    }

    private func changeMember(of object: NodePath) throws {
        guard case .object(let members)? = state[object] else { return }
        let key = random.pick(Self.keys)
        let path = object.appending(key)
        if let old = state[path] {
            if random.once(in: 2) {
                let place = members.firstIndex { ScalarKey($0.key) == ScalarKey(key) }
                try apply(.remove(path: path, old: old, at: place))
            } else {
                try replace(path, by: Self.value(&random, depth: 1))
            }
        } else {
            try apply(.add(path: path, value: Self.value(&random, depth: 1), at: random.below(members.count + 1)))
        }
    }

    /// Another order, as a comparison of the states describes it.
    private func shuffle(_ list: NodePath) throws {
        var changed = state
        let shuffled = elements(list).shuffled(using: &random)
        guard let old = state[list], case .array = old else { return }
        try Patch([.replace(path: list, old: old, new: .array(shuffled))]).apply(to: &changed)
        for operation in Patch(from: state, to: changed).operations { try apply(operation) }
    }
}
