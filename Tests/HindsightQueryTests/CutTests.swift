import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import RandomRecordings

@Suite struct CutTests {
    private func output(_ random: RandomRecording, _ name: String = "cut.hindsight") -> URL {
        random.directory.appendingPathComponent(name)
    }

    @Test func `a part has the states, actions and notes of its recording, with numbers from 1`() throws {
        for var seeded in RandomRecording.seeds(8, from: 100) {
            let random = try RandomRecording(seed: seeded.seed, actions: 40)
            let whole = try random.open()
            do {
                let connection = try Connection(random.url.path, .readWrite)
                for seq in whole.start.seq...whole.actionCount where seeded.once(in: 5) {
                    try connection.execute("INSERT INTO note(seq, name, at) VALUES (\(seq), 'note \(seq)', \(seq))")
                }
            }
            let known = random.states.map(\.position).filter { $0.reducer == nil }
            let first = seeded.pick(known).seq
            let last = first + seeded.below(whole.actionCount - first + 1)
            let name = seeded.once(in: 3) ? "cut.jsonl" : "cut.hindsight"
            let story = "\(seeded): \(first) to \(last) as \(name)"
            let origin = try whole.cut(
                from: Recording.Position(seq: first),
                to: Recording.Position(seq: last),
                into: output(random, name)
            )
            let part = try Recording(at: output(random, name))
            #expect(part.start.seq == 0 && part.actionCount == last - first, "\(story)")
            #expect(part.isText == name.hasSuffix("jsonl"), "\(story)")
            #expect(part.app == whole.app && part.reducers == whole.reducers, "\(story)")
            #expect(part.redaction == whole.redaction && part.created == whole.created, "\(story)")
            #expect(part.id != nil && part.id == whole.id, "\(story)")
            #expect(part.cutOrigin == origin && origin.first == first && origin.last == last, "\(story)")
            for (position, state) in random.states where first...last ~= position.seq {
                if position.seq == first, position.reducer != nil { continue }
                let moved = Recording.Position(seq: position.seq - first, reducer: position.reducer)
                guard part.absence(at: moved) == nil else {
                    // The part may end within a run whose last state is known.
                    #expect(
                        whole.skipped.contains { $0.contains(last) && last < $0.upperBound },
                        "\(story), \(position)"
                    )
                    continue
                }
                #expect(try part.state(at: moved) == state, "\(story), \(position)")
            }
            for seq in first..<last {
                let (old, new) = (try whole.action(seq + 1), try part.action(seq + 1 - first))
                let parent = old.parent.flatMap { first + 1...last ~= $0 ? $0 - first : nil }
                #expect(new.parent == parent, "\(story), \(seq + 1)")
                #expect(new.payload == old.payload && new.type == old.type, "\(story), \(seq + 1)")
                #expect(new.date == old.date && new.duration == old.duration, "\(story), \(seq + 1)")
                #expect(new.origin == old.origin, "\(story), \(seq + 1)")
                #expect(try part.steps(of: new.seq) == whole.steps(of: old.seq), "\(story), \(seq + 1)")
            }
            let notes = try whole.notes().filter { first...last ~= $0.position.seq }
            #expect(try part.notes().map(\.name) == notes.map(\.name), "\(story)")
            #expect(try part.notes().map(\.position.seq) == notes.map { $0.position.seq - first }, "\(story)")
        }
    }

    @Test func `a part of a part is the part`() throws {
        let random = try RandomRecording(seed: 7, actions: 60, isWhole: true)
        let whole = try random.open()
        func cut(_ recording: Recording, _ first: Int, _ last: Int, _ name: String) throws -> Recording {
            try recording.cut(
                from: Recording.Position(seq: first),
                to: Recording.Position(seq: last),
                into: output(random, name)
            )
            return try Recording(at: output(random, name))
        }
        let twice = try cut(try cut(whole, 10, 50, "a.hindsight"), 5, 20, "b.hindsight")
        let once = try cut(whole, 15, 30, "c.hindsight")
        func lines(_ recording: Recording) throws -> [Substring] { try recording.text().split(separator: "\n") }
        // The first line says what it was cut from.
        #expect(try lines(twice).dropFirst() == lines(once).dropFirst())
        #expect(try lines(try cut(whole, 0, 60, "d.hindsight")).dropFirst() == lines(whole).dropFirst())
    }

    @Test func `positions within actions take in the whole actions`() throws {
        let random = try RandomRecording(seed: 8, actions: 20, isWhole: true)
        let whole = try random.open()
        let origin = try whole.cut(
            from: Recording.Position(seq: 5, reducer: 2),
            to: Recording.Position(seq: 9, reducer: 0),
            into: output(random)
        )
        #expect(origin.first == 4 && origin.last == 9)
    }

    @Test func `a part that cannot be is refused`() throws {
        let random = try RandomRecording(seed: 9, actions: 20, isWhole: true)
        let whole = try random.open()
        let cases: [(Int, Int, RecordingError.Code)] = [
            (9, 5, .positionOutOfRange), (5, 21, .positionOutOfRange), (-1, 5, .positionOutOfRange),
        ]
        for (first, last, code) in cases {
            let error = #expect(throws: RecordingError.self) {
                try whole.cut(
                    from: Recording.Position(seq: first),
                    to: Recording.Position(seq: last),
                    into: output(random)
                )
            }
            #expect(error?.code == code, "\(first) to \(last)")
        }
        try Data("mine".utf8).write(to: output(random))
        let exists = #expect(throws: RecordingError.self) {
            try whole.cut(from: whole.start, to: whole.end, into: output(random))
        }
        #expect(exists?.code == .exists)
        #expect(try Data(contentsOf: output(random)) == Data("mine".utf8))
        let itself = #expect(throws: RecordingError.self) {
            try whole.cut(from: whole.start, to: whole.end, into: random.url, overwrite: true)
        }
        #expect(itself?.code == .unwritable)
        try whole.cut(from: whole.start, to: whole.end, into: output(random), overwrite: true)
        #expect(try Recording(at: output(random)).actionCount == 20)
    }

    @Test(arguments: [
        ("UPDATE action SET steps = 'nonsense' WHERE seq = 12", 12),
        ("UPDATE action SET steps = NULL WHERE seq = 12", 12),
        ("INSERT OR REPLACE INTO keyframe(seq, state) VALUES (15, '{\"other\":1}')", 15),
    ]) func `damage is refused, not copied`(sql: String, seq: Int) throws {
        for name in ["cut.hindsight", "cut.jsonl"] {
            let random = try RandomRecording(seed: 11, actions: 20, isWhole: true)
            try Connection(random.url.path, .readWrite).execute(sql)
            let damaged = try random.open()
            let error = #expect(throws: RecordingError.self) {
                try damaged.cut(
                    from: Recording.Position(seq: seq - 2),
                    to: Recording.Position(seq: 20),
                    into: output(random, name)
                )
            }
            #expect(error?.code == .damaged && error?.file == damaged.url.path, "\(sql): \(String(describing: error))")
            #expect(error?.description.contains(".part") == false && error?.description.contains("doctor") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: random.directory.path)
            #expect(!left.contains { $0.contains("cut.") }, "\(left)")
            // What is before the damage can be cut.
            let start = Recording.Position(seq: 0)
            try damaged.cut(from: start, to: Recording.Position(seq: seq - 1), into: output(random, name))
            #expect(try Recording(at: output(random, name)).actionCount == seq - 1)
        }
    }

    @Test func `a refusal names the positions that a part may have`() throws {
        let scratch = try RandomRecording(seed: 1, actions: 1)
        for name in ["doubtful", "bridged"] {
            let whole = try Recording(at: Fixtures.recording(name))
            #expect(name == "bridged" ? !whole.skipped.isEmpty : !whole.doubtful.isEmpty)
            try checkRefusals(of: whole, output(scratch), name)
        }
        for seeded in RandomRecording.seeds(12, from: 300) {
            let random = try RandomRecording(seed: seeded.seed, actions: 40)
            try checkRefusals(of: random.open(), output(random), "\(seeded)")
        }
    }

    private func checkRefusals(of whole: Recording, _ output: URL, _ story: String) throws {
        let all = (whole.start.seq...whole.actionCount).map { Recording.Position(seq: $0) }
        let certain = all.filter { whole.doubtfulStates(at: $0) == nil }
        let known = certain.filter { whole.absence(at: $0) == nil }
        func expect(_ allowed: [Recording.Position], from first: Recording.Position, to last: Recording.Position) {
            let error = #expect(throws: RecordingError.self, "\(story)") {
                try whole.cut(from: first, to: last, into: output)
            }
            #expect(Self.numbers(error?.allowed ?? []) == allowed.map(\.seq), "\(story): \(first) to \(last)")
        }
        for first in all where !known.contains(first) { expect(known, from: first, to: all[all.count - 1]) }
        for last in all where !certain.contains(last) { expect(certain, from: known[0], to: last) }
        let middle = try #require(known.last { $0.seq > whole.start.seq })
        expect(certain.filter { $0 >= middle }, from: middle, to: whole.start)
    }

    /// The numbers in texts such as `3` and `5 to 8`.
    private static func numbers(_ texts: [String]) -> [Int] {
        texts.flatMap { text in
            let ends = text.split(separator: " ").compactMap { Int($0) }
            return ends.isEmpty ? [] : Array(ends[0]...ends[ends.count - 1])
        }
    }
}
