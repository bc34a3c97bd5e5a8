import Foundation
import Testing

/// How `record` reads its input.
@Suite struct RecordTests {
    private let workshop = Workshop()

    @Test func `record accepts all line endings, empty lines and a byte order mark`() throws {
        let text = "\u{FEFF}" + Sessions.todo[0] + "\r\n\r\n   \n" + Sessions.todo[1]
        let result = try workshop.hindsight("record", "--app", "todo", "o.hindsight", input: Data(text.utf8))
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.text.hasPrefix("Recorded 2 actions of todo in o.hindsight"))
        let log = try workshop.hindsight("log", "o.hindsight", "--json")
        #expect(try log.json(line: 1)["origin"] as? String == "stdin:4")
    }

    @Test(arguments: [
        ("{oops", ["not JSON"]),
        (#"{"togle":{"id":3}}"#, ["no action type \"togle\"", "Did you mean toggle?"]),
        (#"{"edit":{"at":0}}"#, ["no action type \"edit\"", "whose only key is a case"]),
        (#"{"toggle":{"id":"three"}}"#, ["/toggle/id"]),
        ("[]", ["not an action"]),
        (String(repeating: "[", count: 100_000), ["in.jsonl:2"]),
    ])
    func `record stops at a bad line and keeps the earlier actions`(line: String, words: [String]) throws {
        try workshop.write([Sessions.todo[0], line, Sessions.todo[1]].joined(separator: "\n"), to: "in.jsonl")
        let result = try workshop.hindsight("record", "--app", "todo", "--input", "in.jsonl", "o.hindsight")
        #expect(result.code == 3)
        for word in words + ["in.jsonl:2"] { #expect(result.errors.contains(word), "\(result.errors)") }
        #expect((1...3).contains(result.errors.split(separator: "\n").count), "\(result.errors)")
        let info = try workshop.hindsight("info", "o.hindsight", "--json").json()
        #expect(info["actions"] as? Int == 1)
        #expect(info["ended"] as? String == "closed")
    }

    @Test func `record reports a line that is not UTF-8`() throws {
        let result = try workshop.hindsight("record", "--app", "todo", "o.hindsight", input: Data([0x22, 0xFF, 0x22]))
        #expect(result.code == 3)
        #expect(result.errors.contains("stdin:1") && result.errors.contains("UTF-8"))
    }

    @Test func `record --keep-going skips bad lines and reports them by its exit code`() throws {
        let lines = [Sessions.todo[0], "nonsense", Sessions.todo[1], #"{"nothing":{}}"#].joined(separator: "\n")
        let result = try workshop.hindsight(
            "record",
            "--app",
            "todo",
            "--keep-going",
            "--json",
            "o.hindsight",
            input: Data(lines.utf8)
        )
        #expect(result.code == 1)
        #expect(result.errors.contains("stdin:2") && result.errors.contains("stdin:4"))
        #expect(try result.json()["actions"] as? Int == 2)
        #expect(try result.json()["skipped"] as? Int == 2)
    }

    @Test func `record without input makes a recording of the initial state`() throws {
        #expect(try workshop.hindsight("record", "--app", "todo", "o.hindsight").code == 0)
        #expect(try workshop.hindsight("info", "o.hindsight", "--json").json()["actions"] as? Int == 0)
        #expect(try workshop.hindsight("log", "o.hindsight").code == 0)
        #expect(try workshop.hindsight("verify", "o.hindsight").code == 6)
        #expect(try workshop.hindsight("diff", "o.hindsight", "start", "end").code == 0)
    }

    @Test func `record accepts a very long line`() throws {
        let long = String(repeating: "x", count: 2_000_000)
        try workshop.record("notepad", [#"{"edit":{"at":0,"delete":0,"insert":"\#(long)"}}"#], to: "o.hindsight")
        // A terminal gets the beginning of it, a pipe all.
        let log = try workshop.shell("COLUMNS=100 hindsight log o.hindsight")
        #expect(log.text.utf8.count < 1000)
        #expect(log.text.contains("…"))
        #expect(try workshop.shell("COLUMNS=100 hindsight show o.hindsight 1").text.contains("bytes)"))
        #expect(try workshop.hindsight("log", "o.hindsight").text.contains(long))
        #expect(try workshop.hindsight("show", "o.hindsight", "1").text.contains(long))
        let raw = try workshop.hindsight("jump", "o.hindsight", "end", "--path", "/text", "--raw")
        #expect(raw.output == Data(long.utf8))
    }
}
