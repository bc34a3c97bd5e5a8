import Foundation
import TestSupport
import Testing

/// A real editing session of 19,749 keystrokes, compared with a text that Python edits independently.
///
/// The editing trace is optional, and lies beside the package. Without it, the test is disabled.
@Suite(.enabled(if: Trace.isThere, "needs the optional editing trace in ../shared/traces, and python3"))
struct TraceTests {
    private static let supplies = Supplies { workshop in
        let recorded = try workshop.shell(
            "set -o pipefail; python3 '\(Trace.script.path)' actions '\(Trace.file.path)'"
                + " | hindsight record --app notepad --input - s.hindsight"
        )
        try #require(recorded.code == 0, "\(recorded.errors)")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    /// A Python script that writes the text after each of some actions into a file with the action's number.
    private static let oracle = """
        import sys
        sys.path.insert(0, sys.argv[1])
        sys.dont_write_bytecode = True
        from edits import edits
        wanted = set(map(int, sys.argv[3:]))
        buffer = bytearray()
        for number, (at, delete, insert) in enumerate(edits(sys.argv[2]), 1):
            buffer[at:at + delete] = insert.encode()
            if number in wanted:
                open(f"text.{number}", "wb").write(bytes(buffer))
        """

    @Test func `jump shows every keystroke of a real session byte by byte`() throws {
        let info = try workshop.hindsight("info", "s.hindsight", "--json").json()
        let count = try #require(info["actions"] as? Int)
        #expect(count == 19_749)
        #expect(info["ended"] as? String == "closed")

        let seed = UInt64.random(in: 0 ... .max)
        print("random positions of the editing trace: seed \(seed)")
        var random = Seeded(seed: seed)
        let numbers = (0..<200).map { _ in Int.random(in: 1...count, using: &random) } + [count]
        try workshop.write(Self.oracle, to: "oracle.py")
        let python = try workshop.shell(
            "python3 oracle.py '\(Trace.directory.path)' '\(Trace.file.path)' \(numbers.map(String.init).joined(separator: " "))"
        )
        try #require(python.code == 0, "\(python.errors)")
        for number in numbers {
            let position = number == count ? "end" : String(number)
            let jump = try workshop.hindsight("jump", "s.hindsight", position, "--path", "/text", "--raw")
            let expected = try Data(contentsOf: workshop.url("text.\(number)"))
            #expect(jump.output == expected, "at \(position), seed \(seed): \(jump.errors)")
        }

        let verified = try workshop.hindsight("verify", "s.hindsight", "--json").expecting(code: 0)
        #expect(try verified.json()["equal"] as? Bool == true)
        #expect(try workshop.hindsight("log", "s.hindsight").text.split(separator: "\n").count == count)
        if Workshop.hasSQLiteShell {
            #expect(try workshop.shell("sqlite3 s.hindsight 'select count(*) from history'").text == "19749\n")
        }
    }
}

extension TraceTests {
    /// A Python script that prints, for each word, the actions after which the text has it and before which it did not.
    private static let wordOracle = """
        import json, sys
        sys.path.insert(0, sys.argv[1])
        sys.dont_write_bytecode = True
        from edits import edits
        words = [word.encode() for word in sys.argv[3:]]
        buffer, there, found = bytearray(), [False] * len(words), [[] for _ in words]
        for number, (at, delete, insert) in enumerate(edits(sys.argv[2]), 1):
            buffer[at:at + delete] = insert.encode()
            for index, word in enumerate(words):
                has = word in buffer
                if has and not there[index]: found[index].append(number)
                there[index] = has
        print(json.dumps(found))
        """

    @Test func `a real session comes back from its text, and search finds when a word was complete`() throws {
        for line in ["export s.hindsight -o s.jsonl", "import s.jsonl -o t.hindsight", "export t.hindsight -o t.jsonl"]
        {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            #expect(result.code == 0, "\(line): \(result.errors)")
        }
        #expect(try Data(contentsOf: workshop.url("s.jsonl")) == Data(contentsOf: workshop.url("t.jsonl")))
        #expect(try workshop.hindsight("diff", "s.hindsight:end", "t.hindsight:end").code == 0)

        let words = ["import", "function", "const ", "return", "export default", "e(", "no such word"]
        try workshop.write(Self.wordOracle, to: "words.py")
        let arguments = words.map { "'\($0)'" }.joined(separator: " ")
        let python = try workshop.shell(
            "python3 words.py '\(Trace.directory.path)' '\(Trace.file.path)' \(arguments)"
        )
        try #require(python.code == 0, "\(python.errors)")
        let expected = try #require(try JSONSerialization.jsonObject(with: python.output) as? [[Int]])
        for (word, actions) in zip(words, expected) {
            let search = try workshop.hindsight("search", "s.hindsight", word, "--in", "state", "--json")
            #expect(search.code == 0, "\(search.errors)")
            let found = try search.text.split(separator: "\n").map { line -> Int in
                let place = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(place?["path"] as? String == "/text")
                return place?["seq"] as? Int ?? 0
            }
            #expect(found == actions, "\(word)")
        }
        #expect(expected.contains { !$0.isEmpty })
    }
}

extension TraceTests {
    /// A Python script that prints for each of some random actions: its number, the number of actions up to it that
    /// changed the text, the last of these, the length of the text, and the first action after which it was that long.
    private static let authorOracle = """
        import json, random, sys
        sys.path.insert(0, sys.argv[1])
        sys.dont_write_bytecode = True
        from edits import edits
        chosen = random.Random(int(sys.argv[3]))
        all = list(edits(sys.argv[2]))
        wanted = sorted(chosen.sample(range(1, len(all) + 1), int(sys.argv[4])))
        text, longest, first, changes, last, answers = bytearray(), 0, {}, 0, 0, []
        for number, (at, delete, insert) in enumerate(all, 1):
            before = bytes(text)
            text[at:at + delete] = insert.encode()
            if text != before: changes, last = changes + 1, number
            for length in range(longest + 1, len(text) + 1): first[length] = number
            longest = max(longest, len(text))
            if number in wanted:
                answers.append([number, changes, last, len(text), first.get(len(text), 0)])
        print(json.dumps(answers))
        """

    @Test func `blame, history and find agree with Python on a real session`() throws {
        let seed = UInt32.random(in: 0 ... .max)
        print("random positions of the editing trace: seed \(seed)")
        try workshop.write(Self.authorOracle, to: "authors.py")
        let python = try workshop.shell(
            "python3 authors.py '\(Trace.directory.path)' '\(Trace.file.path)' \(seed) 30"
        )
        try #require(python.code == 0, "\(python.errors)")
        let answers = try #require(try JSONSerialization.jsonObject(with: python.output) as? [[Int]])
        #expect(answers.count == 30)
        func lines(_ words: [String]) throws -> [[String: Any]] {
            let result = try workshop.hindsight(words)
            try #require(result.code == 0, "\(words): \(result.errors)")
            return try result.text.split(separator: "\n").compactMap {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
        for answer in answers {
            let (number, changes, last) = (answer[0], answer[1], answer[2])
            let story = "seed \(seed), at \(number)"
            let blame = try lines(["blame", "s.hindsight", "/text", "--at", String(number), "--json"])
            #expect(blame.map { $0["seq"] as? Int } == [last], "\(story)")
            let history = try lines([
                "history", "s.hindsight", "/text", "--at", String(number), "--limit", "1", "--json",
            ])
            #expect(history.last?["seq"] as? Int == last, "\(story)")
            let earlier = history.first?["event"] as? String == "cut" ? history.first?["earlier"] as? Int : 0
            #expect(earlier == changes - 1, "\(story)")
        }
        for answer in answers.prefix(10) where answer[3] > 0 {
            let condition = "length(cast(/text as blob)) >= \(answer[3])"
            let found = try lines(["find", "s.hindsight", condition, "--first", "--json"])
            let position = (found.first?["position"] as? String)?.split(separator: ".").first
            #expect(position.flatMap { Int($0) } == answer[4], "seed \(seed): \(condition)")
        }
    }
}

/// The location of the optional editing trace.
private enum Trace {
    static let directory = Workshop.package.deletingLastPathComponent().appending(path: "shared/traces")
    static let script = directory.appending(path: "edits.py")
    static let file = directory.appending(path: "sveltecomponent.json.gz")
    static let isThere =
        FileManager.default.fileExists(atPath: script.path) && FileManager.default.fileExists(atPath: file.path)
        && Workshop.succeeds("command -v python3")
}
