import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct PlaceWatchTests {
    /// What an action did to a place, found by comparing whole states.
    private struct Change: Equatable {
        var path: NodePath
        var old: Node?
        var new: Node?

        init(_ path: NodePath, _ old: Node?, _ new: Node?) { (self.path, self.old, self.new) = (path, old, new) }
        init(_ change: PlaceWatch.Change) { self.init(change.path, change.old, change.new) }
    }

    /// The places of a pattern in a state, by their paths.
    private static func places(_ pattern: PlacePattern, _ state: Node) -> [NodePath: Node] {
        if !pattern.isOpen { return state[pattern.path].map { [pattern.path: $0] } ?? [:] }
        return Dictionary(pattern.places(in: state).map { ($0.path, $0.value) }) { first, _ in first }
    }

    /// A path of the recording, perhaps with wildcards for some of its names.
    private static func pattern(_ made: RandomRecording, _ random: inout Seeded) -> PlacePattern {
        let path = random.pick(RandomRecording.paths(in: random.pick(made.states).state))
        guard random.once(in: 2) else { return PlacePattern(path) }
        var names = path.components.map { random.once(in: 2) ? "*" : $0 }
        if random.once(in: 3), !names.isEmpty { names[random.below(names.count)] = "**" }
        return PlacePattern(NodePath(names))
    }

    @Test func `a watch finds each place whose value a reducer changed, and no other`() throws {
        var count = 0
        for var random in RandomRecording.seeds(12) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let cursor = try StateCursor(on: recording, at: recording.start)
            for _ in 0..<20 {
                let pattern = Self.pattern(made, &random)
                var watch = PlaceWatch(pattern)
                var old = made.initial
                var writes = made.writes[...]
                while let first = writes.first {
                    let seq = first.actions.upperBound
                    let ofAction = Array(writes.prefix { $0.actions == first.actions })
                    writes = writes.dropFirst(ofAction.count)
                    defer { old = ofAction.last?.state ?? old }
                    // A run without states; and now and then an action that the caller does not know.
                    guard first.actions.count == 1, !random.once(in: 10), ofAction.allSatisfy({ $0.patch != nil })
                    else {
                        #expect(try watch.follow(seq, nil) { nil } == nil)
                        continue
                    }
                    var expected: [Change] = []
                    var state = old
                    for write in ofAction {
                        let (before, after) = (Self.places(pattern, state), Self.places(pattern, write.state))
                        for path in Set(before.keys).union(after.keys) where before[path] != after[path] {
                            if let known = expected.firstIndex(where: { $0.path == path }) {
                                expected[known].new = after[path]
                            } else {
                                expected.append(Change(path, before[path], after[path]))
                            }
                        }
                        state = write.state
                    }
                    let changes = try watch.follow(seq, ofAction.compactMap(\.patch)) {
                        try cursor.move(to: Recording.Position(seq: seq - 1))
                        return cursor.state
                    }
                    let found = try #require(changes).map(Change.init)
                    let place = "\(random), \(pattern.path), \(seq)"
                    #expect(found.filter { !expected.contains($0) } == [], "\(place)")
                    #expect(expected.filter { !found.contains($0) } == [], "\(place)")
                    #expect(found.count == expected.count, "\(place)")
                    count += expected.count
                }
            }
        }
        #expect(count >= 240)
    }

    @Test func `an element that a patch adds at the end of an array is a change of its place`() throws {
        let state = try Node(json: #"{"list":[1]}"#)
        let patch = Patch([.add(path: NodePath(["list", "-"]), value: .int(2), at: nil)])
        var watch = PlaceWatch(PlacePattern(NodePath(["list", "*"])))
        let changes = try watch.follow(1, [patch]) { state }
        let found = try #require(changes).map(Change.init)
        #expect(found == [Change(NodePath(["list", "1"]), nil, .int(2))])
    }

    @Test func `an edit of a text changes nothing inside of it, where an object was or comes`() throws {
        let body = NodePath(["body"])
        let object = try Node(json: #"{"x":1}"#)
        let edit = Patch([.edit(path: body, at: 0, remove: "a", insert: "b")])
        let patches = [
            Patch([.replace(path: body, old: object, new: "a text")]), edit,
            Patch([.replace(path: body, old: "b text", new: object)]),
        ]
        let scratch = Scratch()
        let recording = try scratch.recording(of: patches, after: .object([.init("body", object)]))
        let inside = NodePath(["body", "x"])
        let news: [Node?] = [nil, .int(1)]
        #expect(try recording.history(of: inside).changes.map(\.new) == news)
        var watch = PlaceWatch(PlacePattern(inside))
        for (seq, count) in [(1, 1), (2, 0), (3, 1)] {
            let changes = try watch.follow(seq, [patches[seq - 1]]) {
                try recording.state(at: Recording.Position(seq: seq - 1))
            }
            #expect(changes?.count == count, "\(seq)")
        }
        let index = try ChangeIndex(of: recording, cache: nil)
        for (text, expected) in [("/body/x = 1", [0, 3]), ("/body/x is null", [1, 2]), ("changed(/body/x)", [1, 3])] {
            for index in [nil, index] {
                let scan = try ExpressionScan(of: recording, where: RecordingExpression(text), index: index)
                var found: [Int] = []
                while let stretch = try scan.next() {
                    if stretch.truth == .yes { found += stretch.positions.map(\.seq) }
                }
                #expect(found == expected, "\(text), \(index == nil)")
            }
        }
    }
}
