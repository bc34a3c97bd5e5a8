import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct FirstDifferenceTests {
    private func copy(_ random: RandomRecording, _ name: String = "copy.hindsight") throws -> URL {
        let copy = random.directory.appendingPathComponent(name)
        try FileManager.default.copyItem(at: random.url, to: copy)
        return copy
    }

    @Test func `a recording does not part from a copy of itself`() throws {
        for seeded in RandomRecording.seeds(4, from: 40) {
            let random = try RandomRecording(seed: seeded.seed)
            let result = try random.open().firstDifference(from: Recording(at: try copy(random)))
            #expect(result.firstDifference == nil, "\(seeded): \(String(describing: result.firstDifference))")
            #expect(result.compared == random.start + 1...random.last, "\(seeded)")
            #expect(result.common.map(\.action.seq) == Array(random.last - 2...random.last), "\(seeded)")
            #expect(result.hasSameReducers)
        }
    }

    @Test func `values that are written in different ways are the same`() throws {
        for seeded in Seeded.runs(3, from: 70) {
            let random = try RandomRecording(seed: seeded.seed)
            let file = try copy(random)
            // Spaces in every third payload and every fifth list of changes.
            try Connection(file.path, .readWrite).execute(
                """
                UPDATE action SET payload = ' ' || payload || ' ' WHERE seq % 3 = 0 AND payload IS NOT NULL;
                UPDATE action SET steps = ' ' || steps WHERE seq % 5 = 0 AND steps IS NOT NULL
                """
            )
            let result = try random.open().firstDifference(from: Recording(at: file))
            #expect(result.firstDifference == nil, "\(seeded): \(String(describing: result.firstDifference))")
            #expect(result.compared == random.start + 1...random.last, "\(seeded)")
            #expect(result.common.map(\.action.seq) == Array(random.last - 2...random.last), "\(seeded)")
        }
    }

    @Test(arguments: [
        ("[[12,[\"r/a\",1,2]],0]", "[[3456,[\"r/a\",1,2]],78]", true),
        ("[1]", "[23]", true),
        ("[[1,[\"r/a\",1,2]]]", "[[1,[\"r/a\",1,3]]]", false),
        ("[[1,[\"r/a\",1,2]]]", "[[1,[\"r/a\",1,22]]]", false),
        ("[[1,[\"r/1\",1,2]]]", "[[1,[\"r/2\",1,2]]]", false),
        ("[[1,[\"r/a\",\"]]\\\"7\",2]]]", "[[1,[\"r/a\",\"]]\\\"8\",2]]]", false),
        ("[[1,[\"r/a\",\"]]\\\"7\",2]]]", "[[9,[\"r/a\",\"]]\\\"7\",2]]]", true),
        ("[[null,[\"r/a\",1,2]]]", "[[1,[\"r/a\",1,2]]]", false),
        ("[1,2]", "[1]", false),
        ("[1]", "[1,2]", false),
        ("[1", "[1]", false),
        ("", "", true),
    ])
    func `changes are the same if their texts differ in durations only`(one: String, other: String, isSame: Bool) {
        let result = Array(one.utf8).withUnsafeBufferPointer { one in
            Array(other.utf8).withUnsafeBufferPointer { StoredComparison.isSameSteps(one, $0) }
        }
        #expect(result == isSame)
    }

    @Test func `a changed payload is found`() throws {
        for var seeded in RandomRecording.seeds(5, from: 50) {
            let random = try RandomRecording(seed: seeded.seed)
            let file = try copy(random)
            let candidates = try random.open().actions(in: 1...random.last).filter { $0.payload != nil }.map(\.seq)
            guard !candidates.isEmpty else { continue }
            let seq = seeded.pick(candidates)
            try Connection(file.path, .readWrite).execute(
                "UPDATE action SET payload = '\"changed\"' WHERE seq = \(seq)"
            )
            let (left, right) = (try random.open(), try Recording(at: file))
            let firstDifference = try left.firstDifference(from: right).firstDifference
            #expect(firstDifference?.seq == seq && firstDifference?.differences == [.action], "\(seeded)")
            #expect(
                firstDifference?.left.action?.seq == seq && firstDifference?.right.action?.payload == "changed",
                "\(seeded)"
            )
            #expect(
                try left.firstDifference(from: right, options: FirstDifferenceOptions(payloads: false)).firstDifference
                    == nil,
                "\(seeded)"
            )
            let back = try right.firstDifference(from: left, options: FirstDifferenceOptions(effects: false))
                .firstDifference
            #expect(back?.seq == seq, "\(seeded)")
        }
    }

    /// A recording of a counter with two reducers, each of which adds its number of an action.
    private func counter(_ steps: [(Int, Int)], at url: URL, skipped: ClosedRange<Int>? = nil) throws {
        try Data().write(to: url)
        let tables = try NewTables(in: url.path)
        func state(_ one: Int, _ two: Int) -> Node { ["one": .int(one), "two": .int(two)] }
        var (one, two) = (0, 0)
        try tables.begin(reducers: ["one", "two"], state(0, 0).json, at: 0)
        for (index, step) in steps.enumerated() {
            let (before, middle) = (state(one, two), state(one + step.0, two))
            one += step.0
            two += step.1
            let after = state(one, two)
            let patches = [Patch(from: before, to: middle), Patch(from: middle, to: after)]
            let isSkipped = skipped?.contains(index + 1) == true
            let text = TimedPatches.write(patches.map { TimedPatch(duration: 5, patch: $0) }).text
            try tables.insert(
                DispatchedAction(
                    seq: index + 1,
                    parent: index > 0 ? index : nil,
                    type: "add",
                    payload: "{}",
                    at: Int64(index)
                ),
                duration: 10,
                steps: isSkipped ? nil : text,
                keyframe: index + 1 == skipped?.upperBound ? after.json : nil,
                isSkipped: isSkipped
            )
        }
        try tables.finish([
            "app": .text("counter"), "version": .text(""), "platform": .text("test"), "created": .number(0),
            "closed": .number(1_000_000_000),
        ])
    }

    @Test func `a changed effect is found with its reducer and the actions that led there`() throws {
        let scratch = Scratch()
        let (one, two) = (
            scratch.file("1.hindsight"), scratch.file("2.hindsight")
        )
        var steps = [(1, 1), (2, 0), (3, 3), (4, 0), (5, 5)]
        try counter(steps, at: one)
        steps[3].1 = 7
        steps[4].0 = 9
        try counter(steps, at: two)
        let result = try Recording(at: one).firstDifference(from: Recording(at: two))
        let firstDifference = try #require(result.firstDifference)
        #expect(firstDifference.seq == 4 && firstDifference.differences == [.effect] && firstDifference.reducer == 2)
        #expect(firstDifference.patch == Patch(from: ["one": 10, "two": 4], to: ["one": 10, "two": 11]))
        #expect(firstDifference.left.parents.map(\.seq) == [3, 2, 1])
        #expect(result.common.map(\.action.seq) == [1, 2, 3])
        #expect(
            try Recording(at: one).firstDifference(
                from: Recording(at: two),
                options: FirstDifferenceOptions(effects: false)
            ).firstDifference
                == nil
        )
        // The times are the same, so a difference of none is allowed.
        let options = FirstDifferenceOptions(payloads: false, effects: false, nanoseconds: 0)
        #expect(
            try Recording(at: one).firstDifference(from: Recording(at: two), options: options).firstDifference == nil
        )
        try Connection(two.path, .readWrite).execute("UPDATE action SET at = 50 WHERE seq = 2")
        let late = try Recording(at: one).firstDifference(from: Recording(at: two), options: options).firstDifference
        #expect(late?.seq == 2 && late?.differences == [.time])
    }

    @Test func `effects that one recording does not have are compared at the next known state`() throws {
        let scratch = Scratch()
        let (one, two) = (
            scratch.file("1.hindsight"), scratch.file("2.hindsight")
        )
        var steps = [(1, 1), (2, 0), (3, 3), (4, 0), (5, 5), (6, 6)]
        try counter(steps, at: one, skipped: 2...4)
        try counter(steps, at: two)
        let same = try Recording(at: one).firstDifference(from: Recording(at: two))
        #expect(same.firstDifference == nil && same.unknownEffects == 3)
        steps[2].0 = 8
        let three = scratch.file("3.hindsight")
        try counter(steps, at: three)
        let firstDifference = try #require(
            try Recording(at: one).firstDifference(from: Recording(at: three)).firstDifference
        )
        #expect(
            firstDifference.seq == 4 && firstDifference.possible == 2...4 && firstDifference.differences == [.effect]
        )
        #expect(try Recording(at: two).firstDifference(from: Recording(at: three)).firstDifference?.seq == 3)
    }

    @Test func `a recording that goes on parts where the other ends`() throws {
        let random = try RandomRecording(seed: 60, actions: 30, isWhole: true)
        let whole = try random.open()
        let file = random.directory.appendingPathComponent("cut.hindsight")
        try whole.cut(from: whole.start, to: Recording.Position(seq: 20), into: file)
        let firstDifference = try whole.firstDifference(from: Recording(at: file)).firstDifference
        #expect(firstDifference?.seq == 21 && firstDifference?.differences == [.end])
        #expect(firstDifference?.left.action?.seq == 21 && firstDifference?.right.action == nil)
    }

    @Test func `another first state is a difference at the start`() throws {
        let random = try RandomRecording(seed: 61, actions: 30, isWhole: true)
        let whole = try random.open()
        let file = random.directory.appendingPathComponent("cut.hindsight")
        let other = try #require(random.states.first { $0.position.reducer == nil && $0.state != random.initial })
        try whole.cut(from: other.position, to: whole.end, into: file)
        let firstDifference = try whole.firstDifference(from: Recording(at: file)).firstDifference
        #expect(firstDifference?.seq == 0 && firstDifference?.differences == [.start])
        #expect(firstDifference?.patch == Patch(from: random.initial, to: other.state))
    }

    @Test func `a recording that ends before the other begins has none of its actions`() throws {
        let all = try RandomRecording.seeds(40, from: 80).map { try RandomRecording(seed: $0.seed) }
        let late = try #require(all.first { $0.start > 3 })
        let random = try RandomRecording(seed: 62, actions: 30, isWhole: true)
        let file = random.directory.appendingPathComponent("cut.hindsight")
        try random.open().cut(from: Recording.Position(seq: 0), to: Recording.Position(seq: 2), into: file)
        let (short, trimmed) = (try Recording(at: file), try late.open())
        for (left, right) in [(short, trimmed), (trimmed, short)] {
            let error = try #require(throws: RecordingError.self) { try left.firstDifference(from: right) }
            #expect(error.code == .positionOutOfRange && error.file == short.url.path, "\(error)")
        }
    }
}
