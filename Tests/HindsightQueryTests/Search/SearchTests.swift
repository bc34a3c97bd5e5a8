import Foundation
import HindsightRecording
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct SearchTests {
    private let scratch = Scratch()

    /// Texts that occur in random recordings: words, parts of words, escaped characters, numbers, names, and one that
    /// edits complete.
    private static let texts = [
        "a", "aa", "ab", "bc", "hell", "lo", "é", "e\u{301}", "two", "quoted\"", "\"", "\\", "\u{1b}[31m", "x\ny",
        "[]{}",
        "2", "0", "1.0", "1.00", "18446744073709551615", "-0.0", "12.5", "~", "/", "a/b", "~1", "👩‍👧", "title",
        "redacted",
        "nothing of this",
    ]

    private func found(_ text: String, in recording: Recording) throws -> [SearchOracle.Found] {
        var found: [SearchOracle.Found] = []
        try recording.search(for: text, in: [.state]) { hit in
            found.append(
                SearchOracle.Found(
                    position: hit.position.description,
                    path: hit.path.description,
                    isName: hit.isName,
                    value: hit.value.json
                )
            )
            return true
        }
        return found
    }

    // In the last one, a patch replaces a part of what it has replaced.
    @Test(arguments: RandomRecording.seeds(8) + [Seeded(seed: 8_934_827_195_897_817_072)])
    func `search finds in random recordings what a comparison of whole states finds`(random: Seeded) throws {
        let random = try RandomRecording(seed: random.seed, actions: 60)
        let recording = try random.open()
        for text in Self.texts {
            let ours = try found(text, in: recording)
            let theirs = try SearchOracle(text: text).places(in: random)
            #expect(Set(ours) == theirs, "\(Node.string(text).json), \(random.description)")
            let twice = Dictionary(grouping: ours) { $0 }.filter { $1.count > 1 }.keys
            #expect(twice.isEmpty, "\(text), \(random.description)")
            let positions = try ours.map { try recording.position($0.position) }
            #expect(positions == positions.sorted(), "\(text), \(random.description)")
        }
    }

    @Test func `search finds names and numbers in the payloads of actions`() throws {
        let random = try RandomRecording(seed: 7, actions: 20, isWhole: true)
        let recording = try random.open()
        var positions: [String] = []
        try recording.search(for: "7", in: [.actions]) { hit in
            #expect(hit.source == .action && hit.value == 7 && !hit.isName)
            #expect(hit.path.components.last == "number")
            positions.append(hit.position.description)
            return true
        }
        let payload = try recording.action(7).payload
        #expect(positions == (payload == nil ? [] : ["7.0"]))

        let named = try recording.actions(in: 1...20).filter { $0.type == "tick" }.map { "\($0.seq).0" }
        positions = []
        try recording.search(for: "tic", in: [.actions]) { hit in
            #expect(hit.isName && hit.path.description == "/tick")
            positions.append(hit.position.description)
            return true
        }
        #expect(positions == named)
    }

    @Test func `search stops at the first place if that is enough, and passes errors on`() throws {
        struct Own: Error {}
        let random = try RandomRecording(seed: 3, actions: 40, isWhole: true)
        let recording = try random.open()
        var count = 0
        try recording.search(for: "a") { _ in
            count += 1
            return false
        }
        #expect(count == 1)
        count = 0
        try recording.search(for: "number", in: [.actions]) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
        #expect(throws: Own.self) { try recording.search(for: "a") { _ in throw Own() } }
        #expect(throws: Own.self) { try recording.search(for: "number", in: [.actions]) { _ in throw Own() } }
    }

    @Test func `search finds what a change that the recorder missed has brought`() throws {
        let recording = try scratch.recording(ofLines: [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"#
                + #""facts":{"closed":9},"reducers":["one","two"],"state":{"a":"old","b":"x"}}"#,
            #"{"action":"act","changes":{"two":[{"op":"replace","path":"/b","old":"x","value":"a needle"}]},"#
                + #""doubtful":"/a","at":2,"duration":2,"times":[1,1]}"#,
            #"{"action":"act","changes":{"two":[{"op":"replace","path":"/b","old":"a needle","value":"needles"}]},"#
                + #""doubtful":"/a","at":3,"duration":2,"times":[1,1]}"#,
            #"{"state":{"a":"needle","b":"needles"}}"#, #"{"action":"act","at":4,"duration":2,"times":[1,1]}"#,
            #"{"end":true}"#,
        ])
        var hits: [SearchHit] = []
        try recording.search(for: "needle") { hit in
            hits.append(hit)
            return true
        }
        #expect(hits.map(\.position.description) == ["1.2", "2"])
        #expect(hits.map(\.path.description) == ["/b", "/a"])
        #expect(hits.map(\.source) == [.reducer(2), .missedChange(1...2)])
    }

    /// A recording whose state is `{"text": …}`, with one reducer whose edits the test gives.
    private func recording(of text: String, edits: [[Patch.Operation]]) throws -> Recording {
        try scratch.recording(of: edits.map { Patch($0) }, after: ["text": .string(text)])
    }

    private func edit(_ at: Int, _ remove: String, _ insert: String) -> Patch.Operation {
        .edit(path: NodePath(["text"]), at: at, remove: .string(remove), insert: .string(insert))
    }

    @Test func `a text that is typed letter by letter appears with its last letter`() throws {
        let typed = [edit(3, "", "w"), edit(4, "", "o"), edit(5, "", "d"), edit(5, "", "r"), edit(6, "", "l")]
        let recording = try recording(of: "___", edits: typed.map { [$0] })
        #expect(try found("world", in: recording).map(\.position) == ["5.1"])
        #expect(try found("wod", in: recording).map(\.position) == ["3.1"])
        #expect(try found("_wor", in: recording).map(\.position) == ["4.1"])
        #expect(try found("_", in: recording).map(\.position) == ["0"])
    }

    @Test func `a text appears if what stood between its parts is removed, and again after it was gone`() throws {
        let edits = [
            [edit(3, "--", "")], [edit(0, "o", "0")], [edit(0, "0", "o")], [edit(0, "one", ""), edit(0, "", "one")],
            [edit(6, "", "onetwo")],
        ]
        let recording = try recording(of: "one--two", edits: edits)
        // In action 4 it vanishes and comes back within one reducer; in action 5 it is there already.
        #expect(try found("onetwo", in: recording).map(\.position) == ["1.1", "3.1"])
        #expect(try found("0netwo", in: recording).map(\.position) == ["2.1"])
    }

    @Test func `no escape hides a text, and none fakes one`() throws {
        // As another program may write it.
        let steps = #"[[1,["r/text","","C\u0061f\u00e9 a\/b \u000a tab\there"]]]"#
        let url = try recording(of: "", edits: [[]]).url
        let connection = try Connection(url.path, .readWrite)
        let update = try connection.prepare("UPDATE action SET steps = ? WHERE seq = 1")
        try update.bind(steps, at: 1)
        try update.run()
        let recording = try Recording(at: url)
        for text in ["Caf", "é", "a/b", "\n", "tab\there", "here", " \n t"] {
            #expect(try found(text, in: recording).map(\.position) == ["1.1"], "\(Node.string(text).json)")
        }
        for text in ["u0061", "\\", "there", "00e9", "r/text"] {
            #expect(try found(text, in: recording).isEmpty, "\(text)")
        }
    }

    @Test func `a match is where it stands after the whole patch`() throws {
        let before: Node = ["items": [["name": "old"], ["name": "x"]], "box": ["pets": ["y"]]]
        func place(_ operations: Patch.Operation...) throws -> [String] {
            var matches = NewMatches(TextPattern("cat"))
            return try matches.matches(of: Patch(operations)) { before }.map(\.place.path.description)
        }
        let rename = Patch.Operation.replace(path: NodePath(["items", "1", "name"]), old: "x", new: "cat")
        let renew = Patch.Operation.replace(path: NodePath(["box"]), old: ["pets": ["y"]], new: ["pets": ["z", "cat"]])
        #expect(
            try place(rename, .add(path: NodePath(["items", "0"]), value: ["name": "z"], at: nil)) == ["/items/2/name"]
        )
        #expect(
            try place(rename, .remove(path: NodePath(["items", "0"]), old: ["name": "old"], at: nil)) == [
                "/items/0/name"
            ]
        )
        #expect(try place(renew, .add(path: NodePath(["box", "pets", "0"]), value: "y", at: nil)) == ["/box/pets/2"])
        #expect(try place(renew, .remove(path: NodePath(["box", "pets", "0"]), old: "z", at: nil)) == ["/box/pets/0"])
    }

    @Test(arguments: RandomRecording.seeds(40))
    func `the filter leaves out no JSON text that has the text`(random: Seeded) throws {
        var random = random
        let pieces = [
            "a", "B", "0", "\"", "\\", "/", "~", "\n", "\u{1}", "é", "\u{200e}", "👩‍👧", ",", ":", "{", "e5", "u",
        ]
        for _ in 0..<20 {
            let text = (0...random.below(4)).map { _ in random.pick(pieces) }.joined()
            let before = (0..<random.below(3)).map { _ in random.pick(pieces) }.joined()
            let after = (0..<random.below(3)).map { _ in random.pick(pieces) }.joined()
            let pattern = TextPattern(text)
            let node: Node = ["x": [.string(before + text + after)]]
            #expect(pattern.matches(.string(before + text + after)))
            let json = Array(node.json.utf8)
            #expect(json.withUnsafeBufferPointer { pattern.mayOccur(in: $0) }, "\(node.json) \(text), \(random)")
        }
    }

    @Test(arguments: RandomRecording.seeds(10))
    func `an edited text knows at each edit whether it contains another`(random: Seeded) throws {
        var random = random
        let pieces = ["a", "b", "ab", "aa", "é", "👩‍👧"]
        func piece(_ most: Int) -> String { (0..<random.below(most)).map { _ in random.pick(pieces) }.joined() }
        let needle = random.pick(pieces) + piece(3)
        var text = piece(20)
        var edited = EditedText(text, countingOccurrencesOf: Array(needle.utf8))
        for _ in 0..<200 {
            let bytes = Array(text.utf8)
            let boundaries = bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } + [bytes.count]
            let ends = [random.pick(boundaries), random.pick(boundaries)].sorted()
            // Most edits are small and near the last one; some are not.
            let start = ends[0]
            let end = random.once(in: 3) ? ends[1] : boundaries.first { $0 > start } ?? start
            let removed = String(decoding: bytes[start..<end], as: UTF8.self)
            let inserted = random.once(in: 2) ? piece(4) : ""
            let misfits = edited.edit(at: start, removing: removed + "x", inserting: inserted)
            let fits = edited.edit(at: start, removing: removed, inserting: inserted)
            #expect(!misfits && fits, "\(random)")
            text = String(decoding: bytes[..<start] + inserted.utf8 + bytes[end...], as: UTF8.self)
            #expect(edited.text.utf8.elementsEqual(text.utf8), "\(random)")
            #expect(edited.isMatch == TextPattern(needle).matches(text), "\(needle) in \(text), \(random)")
        }
    }

    @Test(arguments: [
        ("1.5", "1.50", true), ("1.50", "1.5", true), ("50", "5e1", true), ("5e1", "50", true), ("50", "50.00", true),
        ("1500", "15e2", true), ("1500", "150e1", true), ("-20", "-2e1", true), ("0", "0.00", true), ("0", "0e5", true),
        ("1e+16", "1e+16", true), ("100", "1E2", true), ("1E2", "100", true), ("1e2", "100.0", true),
        ("1.25e1", "12.5", true), ("12.5", "125E-1", true), ("0.001", "1e-3", true), ("12.5e400", "1.25E+401", true),
        ("0", "-0", true), ("-0.0", "0", true), ("100", "1E3", false), ("1e2", "1e-2", false), ("0", "1e0", false),
        ("5", "50", false), ("5", "5.5", false), ("15", "1.5", false), ("-5", "5", false),
        ("18446744073709551615", "18446744073709551615", true), ("18446744073709551616", "18446744073709551615", false),
    ])
    func `a number is found however it is written`(text: String, literal: String, isFound: Bool) throws {
        let (pattern, node) = (TextPattern(text), try Node(json: literal))
        #expect(pattern.matches(node) == isFound)
        let json = Array("[1,[\"r/x\",null,\(literal)]]".utf8)
        #expect(!isFound || json.withUnsafeBufferPointer { pattern.mayOccur(in: $0) })
    }
}
