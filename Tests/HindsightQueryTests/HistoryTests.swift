import Foundation
import HindsightFormat
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct HistoryTests {
    private let scratch = Scratch()

    private struct Change: Equatable {
        var origin: ChangeOrigin
        var old: Node?
        var new: Node?

        init(_ origin: ChangeOrigin, _ old: Node?, _ new: Node?) {
            (self.origin, self.old, self.new) = (origin, old, new)
        }
        init(_ change: PlaceHistory.Change) { self.init(change.origin, change.old, change.new) }
    }

    @Test func `history goes on from computed steps to the recorded ones`() throws {
        let file = Fixtures.recording("crashed/checkout-crash")
        let recording = try Recording(at: file)
        let gross = NodePath(["cart", "totals", "gross"])
        let start = Node.number("48.35")
        let values: [Int: (old: Node, new: Node)] = [2: (start, 1), 5: (1, 2)]
        let steps = (1...6).map { reducer in
            let patch = values[reducer].map { Patch([.replace(path: gross, old: $0.old, new: $0.new)]) }
            return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
        }
        let before = try recording.state(at: Recording.Position(seq: 12, reducer: 0))
        let computed = try ComputedSteps(steps, of: 12, from: before)
        let recorded = try recording.history(of: gross).changes.map(Change.init)
        #expect(recorded.count == 9)
        func step(_ reducer: Int) -> ChangeOrigin { .step(Recording.Position(seq: 12, reducer: reducer)) }
        let expected = recorded + [Change(step(2), start, 1), Change(step(5), 1, 2)]
        for following in [false, true] {
            for (reducer, count) in [(6, 11), (5, 11), (4, 10), (1, 9)] {
                let position = Recording.Position(seq: 12, reducer: reducer)
                for limit in [1, 2, 3, .max] {
                    let history = try recording.history(
                        of: gross,
                        in: try #require(computed.state(at: position)),
                        at: position,
                        following: following,
                        limit: limit,
                        by: nil,
                        computed: computed
                    )
                    let changes = Array(expected.prefix(count).suffix(limit))
                    #expect(history.changes.map(Change.init) == changes, "\(reducer), \(limit)")
                    #expect(history.unknown.isEmpty && history.earlierCount >= count - changes.count)
                }
            }
        }
    }

    @Test func `the history of a path has each change of the value there`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(12) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let index = try ChangeIndex(of: recording, cache: nil)
            for _ in 0..<20 {
                let path = random.pick(RandomRecording.paths(in: random.pick(made.states).state))
                var (state, expected) = (made.initial, [Change]())
                for write in made.writes {
                    let (old, new) = (state[path], write.state[path])
                    if old != new { expected.append(Change(made.origin(of: write), old, new)) }
                    state = write.state
                }
                let history = try recording.history(of: path, by: index)
                #expect(history.changes.map(Change.init) == expected, "\(random), \(path)")
                #expect(history.first == made.initial[path] && history.earlierCount == 0)
                #expect(history.unknown == made.runs, "\(random), \(path)")
                questions += 1

                let limit = 1 + random.below(4)
                let cut = try recording.history(of: path, limit: limit, by: index)
                #expect(cut.changes.map(Change.init) == expected.suffix(limit), "\(random), \(path)")
                let earlier = max(0, expected.count - limit)
                if cut.earlierIsExact, cut.earlierCount > 0 { #expect(cut.earlierCount >= earlier) }
                #expect(cut.earlierCount >= earlier, "\(random), \(path)")
            }
        }
        #expect(questions >= 240)
    }

    @Test func `a followed element has its changes wherever it was`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(12) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let index = try ChangeIndex(of: recording, cache: nil)
            let end = try recording.state(at: recording.end)
            let tagged = TaggedState(made.initial, recording.beginning)
            // Who is there at the end is known only then.
            var values: [[ObjectIdentifier: Node]] = [Self.values(tagged)]
            var kept: [TaggedState.Value] = tagged.root.all().map(\.value)
            var state = made.initial
            for write in made.writes {
                tagged.apply(write.patch ?? Patch(from: state, to: write.state), made.origin(of: write))
                state = write.state
                values.append(Self.values(tagged))
                kept += tagged.root.all().map(\.value)
            }
            for _ in 0..<20 {
                let path = random.pick(RandomRecording.paths(in: end))
                questions += 1
                let who = try #require(tagged.root.value(at: path.components)).who
                var expected: [Change] = []
                for (index, write) in made.writes.enumerated() {
                    let (old, new) = (values[index][who], values[index + 1][who])
                    if old != new { expected.append(Change(made.origin(of: write), old, new)) }
                }
                let history = try recording.history(of: path, following: true, by: index)
                #expect(history.changes.map(Change.init) == expected, "\(random), \(path)")
                if let last = history.changes.last { #expect(last.new == end[path], "\(random), \(path)") }
            }
            withExtendedLifetime(kept) {}
        }
        #expect(questions >= 240)
    }

    private static func values(_ state: TaggedState) -> [ObjectIdentifier: Node] {
        Dictionary(state.root.all().map { ($0.value.who, $0.value.node) }) { first, _ in first }
    }

    /// A recording whose only reducer makes one change in each action. Changes and the state are JSON.
    private func recording(_ changes: [String], after state: String) throws -> Recording {
        let head =
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"#
            + #""facts":{"closed":9},"reducers":["r"],"state":\#(state)}"#
        let rows = changes.map { change in
            #"{"action":"s","payload":{"s":{}},"changes":{"r":[\#(change)]},"at":5,"duration":2,"times":[2]}"#
        }
        return try scratch.recording(ofLines: [head] + rows + [#"{"end":true}"#])
    }

    @Test func `the earlier changes are exact only if nothing was written around the place`() throws {
        let changes = [
            #"{"op":"replace","path":"/a","old":{"x":1,"y":1},"value":{"x":1,"y":2}}"#,
            #"{"op":"replace","path":"/a/x","old":1,"value":2}"#, #"{"op":"replace","path":"/b","old":1,"value":2}"#,
            #"{"op":"replace","path":"/a/x","old":2,"value":3}"#, #"{"op":"replace","path":"/b","old":2,"value":3}"#,
        ]
        let recording = try recording(changes, after: #"{"a":{"x":1,"y":1},"b":1}"#)
        let within = try recording.history(of: NodePath(["a", "x"]), limit: 1)
        #expect(within.changes.map(\.new) == [3])
        #expect(within.earlierCount == 2 && !within.earlierIsExact)
        let alone = try recording.history(of: NodePath(["b"]), limit: 1)
        #expect(alone.changes.map(\.new) == [3])
        #expect(alone.earlierCount == 1 && alone.earlierIsExact)
    }

    @Test func `an element that a text adds at the end of an array has a history from there`() throws {
        let changes = [1, 2].map { #"{"op":"add","path":"/list/-","value":\#($0)}"# }
        let recording = try recording(changes, after: #"{"list":[0]}"#)
        let added = ChangeOrigin.step(Recording.Position(seq: 1, reducer: 1))
        let element = NodePath(["list", "1"])
        for following in [false, true] {
            let history = try recording.history(of: element, following: following)
            #expect(history.changes.map(Change.init) == [Change(added, nil, 1)])
        }
        #expect(try recording.blame(element)?.places.map(\.origin) == [added])
        var paths: [NodePath] = []
        try recording.search(for: "1", in: [.state]) { hit in
            paths.append(hit.path)
            return true
        }
        #expect(paths == [element])
        // Backwards, too.
        let cursor = try StateCursor(on: recording, at: recording.end)
        try cursor.move(to: Recording.Position(seq: 1))
        #expect(cursor.state == ["list": [0, 1]])
    }

    @Test func `an element is followed although its array became an object with the same names`() throws {
        let changes = [
            #"{"op":"replace","path":"/a","old":{"x":1},"value":[]}"#,
            #"{"op":"splice","path":"/a","at":0,"remove":[],"insert":[7]}"#,
            #"{"op":"add","path":"/a/0","value":6}"#,
            #"{"op":"replace","path":"/a","old":[6,7],"value":{"1":9}}"#,
        ]
        let recording = try recording(changes, after: #"{"a":{"x":1}}"#)
        let history = try recording.history(of: NodePath(["a", "1"]), following: true)
        #expect(history.changes.map(\.origin.firstAction) == [2, 4])
        #expect(history.changes.map(\.old) == [nil, 7] && history.changes.map(\.new) == [7, 9])
    }

    @Test(.timeLimit(.minutes(1)))
    func `an element is followed through a change of many arrays without looking at each pair`() throws {
        let rows = (0..<16_000).map { _ -> Node in [0, 0] }
        let operations = rows.indices.flatMap { row -> [Patch.Operation] in
            ["0", "1"].map { .replace(path: NodePath([String(row), $0]), old: 0, new: 1) }
        }
        let recording = try scratch.recording(of: [Patch(operations)], after: .array(rows))
        let history = try recording.history(of: NodePath(["7"]), following: true)
        let values: [Node?] = [[1, 1]]
        #expect(history.changes.map(\.new) == values)
    }

    @Test func `a place that never was has no history`() throws {
        let recording = try RandomRecording(seed: 3).open()
        let history = try recording.history(of: NodePath(["nowhere", "0"]))
        #expect(history.changes.isEmpty && history.first == nil && history.earlierCount == 0)
    }
}
