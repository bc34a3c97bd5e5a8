import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

/// `review` on recordings of an app with two counters, each of which today's reducers count twice.
@Suite struct ReviewTests {
    struct Pair: Codable, Sendable {
        var left = 0
        var right = 0
        var note = ""
    }

    enum PairAction: Codable, Sendable {
        case left(by: Int)
        case right(by: Int)
        case note(String)
    }

    static func app(left: Int = 1, right: Int = 1) -> ReplayableApp {
        ReplayableApp(
            "pair",
            initial: Pair(),
            reducer: .combine(
                Reducer<Pair, PairAction>("left") { pair, action in
                    if case .left(let amount) = action { pair.left += left * amount }
                },
                Reducer<Pair, PairAction>("right") { pair, action in
                    if case .right(let amount) = action { pair.right += right * amount }
                    if case .note(let text) = action { pair.note = text }
                }
            )
        )
    }

    static let today = app(left: 2, right: 2)

    /// The recordings by name, and their actions. The class of `left` is in three of them, and that of `right` in two.
    static let recordings: [String: [Node]] = [
        "both": [["left": ["by": 3]], ["note": ["_0": "x"]], ["right": ["by": 4]]],
        "left-1": [["left": ["by": 5]]],
        "left-2": [["note": ["_0": "y"]], ["left": ["by": 6]]],
        "right-1": [["right": ["by": 7]]],
        "same": [["note": ["_0": "z"]]],
    ]

    /// A directory with recordings, of which some are below it.
    final class Folder {
        private let scratch = Scratch()
        var url: URL { scratch.directory }

        init() throws {
            let deep = url.appending(path: "a/b")
            for folder in [deep, url.appending(path: ".hidden")] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            for (name, actions) in ReviewTests.recordings { try record(actions, to: file(name)) }
            try record([["left": ["by": 1]]], to: url.appending(path: ".hidden/x.hindsight"))
        }

        func file(_ name: String) -> URL {
            url.appending(path: name == "left-2" ? "a/b/left-2.hindsight" : "\(name).hindsight")
        }

        func record(_ actions: [Node], to file: URL) throws {
            let session = try ReviewTests.app().record(to: file)
            for (index, action) in actions.enumerated() {
                try session.dispatch(action, origin: Origin(file: "session", line: index + 1))
            }
            try session.close()
        }

        func contents() throws -> [String: Data] {
            try ReviewTests.recordings.reduce(into: [:]) { $0[$1.key] = try Data(contentsOf: file($1.key)) }
        }

        /// The recordings whose files are not as they were, and that today's reducers replay.
        func rewritten(since before: [String: Data]) throws -> [String] {
            let changed = try contents().filter { before[$0.key] != $0.value }.keys.sorted()
            for name in changed {
                let result = try ReviewTests.today.verify(try Recording(at: file(name)))
                #expect(result.matches, "\(name)")
            }
            return changed
        }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    private func review(_ words: String..., input: String = "", by app: ReplayableApp = today) -> (
        code: ExitCode, harness: ToolHarness
    ) {
        let harness = ToolHarness(apps: [app], input: input)
        return (harness.run(["review"] + words + [folder.url.path]), harness)
    }

    private func json(_ words: String...) throws -> Node {
        let harness = ToolHarness(apps: [Self.today])
        _ = harness.run(["review", "--json"] + words + [folder.url.path])
        return try Node(json: harness.text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// The id of the class of an action type.
    private func id(_ type: String) throws -> String {
        guard case .array(let classes)? = try json()["classes"],
            case .string(let id)? = classes.first(where: { $0["type"] == .string(type) })?["id"]
        else {
            Issue.record("no class of \(type)")
            return ""
        }
        return id
    }

    @Test func `Differences that look alike are one class, and nothing is written without a decision`() throws {
        let before = try folder.contents()
        let (code, harness) = review()
        #expect(code == .difference, "\(harness.errorText)")
        for words in [
            "2 kinds of differences in 4 of 5 recordings", "1 of 2 · 3 actions in 3 recordings · ",
            "left, reducer left, /left", "action 2 of 2: left(by: 6)", "~ /left  6 → 12",
            "2 of 2 · 2 actions in 2 recordings · ", "action 3 of 3: right(by: 4)", "~ /right  4 → 8",
        ] {
            #expect(harness.text.contains(words), "\(words): \(harness.text)")
        }
        #expect(try folder.contents() == before)
        let equal = review(by: Self.app())
        #expect(equal.code == .fine && equal.harness.text == "equal  5 recordings: nothing to review\n")
    }

    @Test func `A recording is rewritten once all its classes are accepted`() throws {
        let before = try folder.contents()
        let actions = try Recording(at: folder.file("both")).actions(in: 1...3)
        let (left, right) = (try id("left"), try id("right"))
        let first = review("--accept", left)
        #expect(first.code == .difference, "\(first.harness.errorText)")
        #expect(try folder.rewritten(since: before) == ["left-1", "left-2"])
        #expect(first.harness.text.contains("both.hindsight  for \(right) (undecided)"), "\(first.harness.text)")
        #expect(first.harness.text.contains("2 recordings will be rewritten"), "\(first.harness.text)")

        let rest = review("--accept", "all")
        #expect(rest.code == .fine, "\(rest.harness.text)\(rest.harness.errorText)")
        #expect(try folder.rewritten(since: before) == ["both", "left-1", "left-2", "right-1"])
        #expect(try Recording(at: folder.file("both")).actions(in: 1...3) == actions)
        #expect(review().code == .fine)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(names == [".hidden", "a", "both.hindsight", "left-1.hindsight", "right-1.hindsight", "same.hindsight"])
    }

    /// The answers to the two classes, the rewritten recordings, the exit code, and words of the output.
    private static let sessions: [(answers: String, rewritten: [String], code: ExitCode, words: String)] = [
        ("a\na\n", ["both", "left-1", "left-2", "right-1"], .fine, "2 accepted, 0 rejected, 0 skipped"),
        ("a\nr\n", ["left-1", "left-2"], .difference, "To fix:"),
        ("s\na\n", ["right-1"], .difference, "(skipped)"),
        ("A\n", ["both", "left-1", "left-2", "right-1"], .fine, "accepted all 2"),
        ("R\n", [], .difference, "0 recordings will be rewritten"),
        ("S\n", [], .difference, "2 skipped"),
        ("a\nq\n", [], .difference, "Nothing was written."),
        ("a\n", [], .difference, "Nothing was written."),
        ("", [], .difference, "Nothing was written."),
        ("x\n?\n\nd\nA\n", ["both", "left-1", "left-2", "right-1"], .fine, "verify --chained"),
    ]

    @Test(arguments: sessions.indices) func `Answers decide, a class at a time`(index: Int) throws {
        let (answers, rewritten, code, words) = Self.sessions[index]
        let before = try folder.contents()
        let result = review("--interactive", input: answers)
        #expect(result.code == code, "\(result.harness.errorText)")
        #expect(try folder.rewritten(since: before) == rewritten)
        #expect(result.harness.text.contains(words), "\(result.harness.text)")
        let details = "left-1.hindsight: 1 action, the first is 1"
        #expect(result.harness.text.contains(details) == answers.contains("d"), "\(result.harness.text)")
    }

    @Test func `Answers that cannot be read are an error that is told`() throws {
        let before = try folder.contents()
        let result = review("--interactive", input: "a\n" + String(repeating: "a", count: 1 << 17) + "\n")
        #expect(result.code == .difference)
        #expect(result.harness.errorText.contains("line 2 is too long"), "\(result.harness.errorText)")
        #expect(result.harness.text.contains("Nothing was written."), "\(result.harness.text)")
        #expect(try folder.rewritten(since: before).isEmpty)
    }

    @Test func `A class is named by its beginning, and has the same name in each run`() throws {
        let before = try folder.contents()
        let right = try id("right")
        #expect(right.hasSuffix("-right") && right.count == 14, "\(right)")
        #expect(try id("right") == right)
        #expect(review("--accept", String(right.prefix(6)), "--reject", "all").code == .difference)
        #expect(try folder.rewritten(since: before) == ["right-1"])
        let unknown = review("--accept", "no-such")
        #expect(unknown.code == .usage)
        #expect(unknown.harness.errorText.contains("There is no class \"no-such\""), "\(unknown.harness.errorText)")
        #expect(review("--check", "--accept", "all").code == .usage)
        #expect(review("--accept", right, "--reject", right).code == .usage)
        #expect(try folder.rewritten(since: before) == ["right-1"])
    }

    @Test func `--json has the classes, the decisions and the rewritten files`() throws {
        let node = try json("--accept", try id("left"), "--reject", try id("right"))
        #expect(node["recordings"] == 5 && node["pending"] == true && node["stale"] == .null)
        #expect(
            node["rewritten"] == .array(["a/b/left-2", "left-1"].map { .string("\(folder.url.path)/\($0).hindsight") })
        )
        guard case .array(let classes)? = node["classes"], classes.count == 2 else {
            Issue.record("\(node.json)")
            return
        }
        #expect(classes[0]["decision"] == "accepted" && classes[1]["decision"] == "rejected")
        #expect(classes[1]["app"] == "pair" && classes[1]["type"] == "right" && classes[1]["name"] == "right")
        #expect(classes[1]["path"] == "/right" && classes[1]["cause"] == "none" && classes[1]["count"] == 2)
        let first = classes[1]["first"]
        #expect(first?["seq"] == 3 && first?["expected"] == 4 && first?["got"] == 8, "\(node.json)")
        #expect(first?["action"] == ["right": ["by": 4]])
        #expect(node["waiting"]?[0]?["classes"]?[0] == classes[1]["id"], "\(node.json)")
    }

    @Test func `review says that it did not run the action in which the recorded process ended`() throws {
        let file = Fixtures.recording("crashed/checkout-crash").path
        let words = ["review", "--check", "--ignore", "/cart/**", file]
        let harness = ToolHarness().running(words)
        let text = harness.text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("action 12, in which the recorded process ended, was not run or compared; "), "\(text)")
        let json = ToolHarness().running(words + ["--json"])
        let node = try Node(json: json.text.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(node["unfinished"] == [["file": .string(file), "seq": 12]], "\(json.text)")
        #expect(try self.json()["unfinished"] == [])
    }

    @Test func `--check is 1 if something is pending or stale, and writes nothing`() throws {
        let before = try folder.contents()
        #expect(review("--check").code == .difference)
        let unknown = review("--check", by: Self.app())
        #expect(unknown.code == .fine && unknown.harness.text.contains("is not known"), "\(unknown.harness.text)")

        let list = folder.url.appending(path: "refs.txt")
        let all = Self.recordings.keys.map { folder.file($0).path }
        try Data(all.map { $0 + "\n" }.joined().utf8).write(to: list)
        #expect(review("--check", "--references", list.path, by: Self.app()).code == .fine)
        try Data(all.filter { !$0.contains("left-2") }.joined(separator: "\n").utf8).write(to: list)
        let stale = review("--check", "--references", list.path, by: Self.app())
        #expect(stale.code == .difference)
        #expect(stale.harness.text.contains("left-2.hindsight: no test refers to it"), "\(stale.harness.text)")
        #expect(review("--check", "--references", "/no/such", by: Self.app()).code == .badFile)
        #expect(try folder.contents() == before)
    }

    @Test func `Files that cannot be reviewed are listed with the reason, and the others are reviewed`() throws {
        try Data("no database".utf8).write(to: folder.url.appending(path: "bad.hindsight"))
        let bad = review("--accept", "all")
        #expect(bad.code == .badFile)
        #expect(bad.harness.text.contains("not reviewed  \(folder.url.path)/bad.hindsight"), "\(bad.harness.text)")
        #expect(bad.harness.text.contains("4 recordings will be rewritten"), "\(bad.harness.text)")
        let other = ReplayableApp("other", initial: Pair(), reducer: Reducer<Pair, PairAction>("r") { _, _ in })
        #expect(review(by: other).code == .doesNotFit)
    }

    @Test func `A recording without actions is not reviewed, because there is nothing to compare`() throws {
        let file = folder.url.appending(path: "none.hindsight")
        try folder.record([], to: file)
        let tool = ToolHarness(apps: [Self.app()]).tool()
        let problem = tool.examine(file.path, ReviewOptions()).problem
        let line = "\(file.path): nothing was compared, because the recording has no actions."
        #expect(problem?.lines == [line] && problem?.code == ExitCode.nothingCompared.rawValue)
        #expect(review(by: Self.app()).code == .nothingCompared)
    }

    @Test func `A file that has changed since it was examined is left as it is`() throws {
        let file = folder.file("left-1")
        let tool = ToolHarness(apps: [Self.today]).tool()
        let examined = tool.examine(file.path, ReviewOptions())
        #expect(examined.differences.count == 1 && examined.problem == nil)
        try FileManager.default.removeItem(at: file)
        try folder.record([["left": ["by": 9]]], to: file)
        let before = try folder.contents()
        let result = tool.accept(file.path, expecting: examined.fingerprint)
        #expect(result.problem?.lines.first?.contains("has changed since it was examined") == true)
        #expect(try folder.contents() == before)
        // The check is in the replacement itself, too.
        #expect(throws: RecordingError.self) {
            try Self.today.accept(file, expecting: examined.fingerprint, watch: nil)
        }
        #expect(try folder.contents() == before)
    }

    @Test func `Lines fit a terminal of 80 columns`() throws {
        let long = String(repeating: "long name ", count: 30)
        try folder.record(
            [["note": ["_0": .string(long)]], ["left": ["by": 1]]],
            to: folder.url.appending(path: "\(long.prefix(100)).hindsight")
        )
        let harness = ToolHarness(apps: [Self.today], input: "d\nd\nA\n")
        _ = harness.run(["review", "--interactive", folder.url.path], terminal: Terminal(columns: 80))
        for line in harness.text.split(separator: "\n") {
            #expect(String(line).columns <= 80, "\(line)")
        }
    }
}
