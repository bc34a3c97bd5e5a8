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
}
