import Foundation
import HindsightRecording
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import RandomRecordings

/// Parts of a recording as text: `cut` makes the same as a recording of its own.
@Suite struct TextPartTests {
    private func text(_ recording: Recording, _ part: TextPart) throws -> String {
        var text = ""
        try recording.writeText(of: part) { text += $0 }
        return text
    }

    @Test func `the text of a part is the text of the recording that cut makes of it`() throws {
        for var seeded in RandomRecording.seeds(8, from: 300) {
            let random = try RandomRecording(seed: seeded.seed, actions: 40)
            do {
                let connection = try Connection(random.url.path, .readWrite)
                if seeded.seed % 2 == 0 {
                    // Many parts have no action with a known thread.
                    let first = random.start + 1
                    let thread = #"'{"number":1}'"#
                    let range = "BETWEEN \(first) AND \(first + 2)"
                    try connection.execute("UPDATE action SET thread = \(thread) WHERE seq \(range)")
                }
                // An action that middleware dispatches before it passes its own on comes before its parent.
                let last = random.last
                try connection.execute("UPDATE action SET parent = seq + 1 WHERE seq % 3 = 0 AND seq < \(last)")
                for seq in random.start...random.last where seeded.once(in: 5) {
                    try connection.execute("INSERT INTO note(seq, name, at) VALUES (\(seq), 'note \(seq)', \(seq))")
                }
            }
            let whole = try random.open()
            for round in 0..<4 {
                let first = seeded.pick(random.states.map(\.position).filter { $0.reducer == nil }).seq
                let last = round == 0 ? whole.actionCount : first + seeded.below(whole.actionCount - first + 1)
                let url = random.directory.appendingPathComponent("cut\(round).hindsight")
                let (from, to) = (Recording.Position(seq: first), Recording.Position(seq: last))
                try whole.cut(from: from, to: to, into: url)
                let cut = try Recording(at: url).text().split(separator: "\n")
                let part = try text(whole, TextPart(range: first...last)).split(separator: "\n")
                #expect(part.count == cut.count, "\(seeded): \(first) to \(last)")
                for (line, expected) in zip(part, cut) { #expect(line == expected, "\(seeded): \(first) to \(last)") }
            }
        }
    }

    @Test func `the text of all of a recording is its text`() throws {
        let random = try RandomRecording(seed: 301)
        let whole = try random.open()
        #expect(try text(whole, TextPart()) == whole.text())
        #expect(try text(whole, TextPart(path: NodePath())) == whole.text())
    }

    /// The state with nothing but a place, as an independent function.
    private func reduced(_ state: Node, to names: ArraySlice<String>) -> Node? {
        guard let name = names.first else { return state }
        let inner: Node? =
            switch state {
            case .object(let members): members.first { $0.key.unicodeScalars.elementsEqual(name.unicodeScalars) }?.value
            case .array(let elements): elements.indices.first { String($0) == name }.map { elements[$0] }
            default: nil
            }
        return inner.flatMap { reduced($0, to: names.dropFirst()) }.map { .object([Node.Member(name, $0)]) }
    }

    @Test func `a text that is reduced to a place has that place of each state, and nothing else`() throws {
        for var seeded in RandomRecording.seeds(8, from: 400) {
            let random = try RandomRecording(seed: seeded.seed, actions: 40)
            let whole = try random.open()
            let paths = Set(random.states.flatMap { RandomRecording.paths(in: $0.state) }).filter { !$0.isRoot }
            for round in 0..<6 {
                let path = try #require(paths.randomElement(using: &seeded))
                let story = "\(seeded): \(path)"
                let url = random.directory.appendingPathComponent("reduced\(round).jsonl")
                try text(whole, TextPart(path: path)).write(to: url, atomically: true, encoding: .utf8)
                let part = try Recording(at: url)
                #expect(part.actionCount == whole.actionCount, "\(story)")
                for (position, state) in random.states {
                    let expected = reduced(state, to: path.components[...]) ?? .object([])
                    #expect(try part.state(at: position) == expected, "\(story) at \(position)")
                }
                var entries = try part.entries(in: part.start.seq + 1...part.actionCount)
                while let (action, _) = try entries.next() {
                    let original = try whole.action(action.seq)
                    #expect(action.payload == original.payload && action.date == original.date, "\(story)")
                }
            }
        }
    }

    @Test func `a text that is reduced to a place counts the changes elsewhere`() throws {
        let fixture = Fixtures.recording("checkout")
        let whole = try Recording(at: fixture)
        /// For each action: the changes that its line has, and those that it counts as left out.
        func counts(_ part: TextPart) throws -> [(changes: Int, outside: Int)] {
            try text(whole, part).split(separator: "\n").compactMap { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
                guard object["action"] != nil else { return nil }
                let patches = (object["changes"] as? [String: Any] ?? [:]).values.compactMap { $0 as? [[String: Any]] }
                let changes = patches.joined().reduce(0) { count, operation in
                    guard operation["op"] as? String == "splice" else { return count + 1 }
                    let elements = ["remove", "insert"].compactMap { operation[$0] as? [Any] }
                    return count + elements.reduce(0) { $0 + $1.count }
                }
                return (changes, object["outside"] as? Int ?? 0)
            }
        }
        let all = try counts(TextPart())
        let reduced = try counts(TextPart(path: NodePath(["cart", "totals"])))
        #expect(all.count == 66 && all.allSatisfy { $0.outside == 0 })
        #expect(reduced.map { $0.changes + $0.outside } == all.map(\.changes))
        #expect(reduced[3].changes == 0 && reduced[3].outside == 4)
    }

    @Test func `doubtful states stay doubtful in a reduced text`() throws {
        let fixture = Fixtures.recording("doubtful")
        let whole = try Recording(at: fixture)
        let scratch = Scratch()
        let url = scratch.file("reduced.jsonl")
        guard case .object(let members) = try whole.state(at: whole.end) else {
            Issue.record("the state is no object")
            return
        }
        for member in members {
            try Data(text(whole, TextPart(path: NodePath([member.key]))).utf8).write(to: url)
            let part = try Recording(at: url)
            #expect(part.doubtful.map(\.actions) == whole.doubtful.map(\.actions))
            let (state, expected) = (try part.state(at: part.end), try whole.state(at: whole.end)[member.key])
            #expect(state[member.key] == expected, "\(member.key)")
        }
    }
}
