import Foundation
import Testing

/// The output of each command in the normal case.
@Suite struct CommandTests {
    private let workshop = Workshop()

    init() throws { try Supplies.todo.put(into: workshop) }

    @Test(arguments: ["record", "info", "log", "show", "jump", "diff", "replay", "verify"])
    func `every command has help with examples`(command: String) throws {
        let help = try workshop.hindsight(command, "--help").expecting(code: 0)
        #expect(help.text.contains("Usage: hindsight \(command)"))
        #expect(help.text.contains("Examples:\n  hindsight \(command) "))
        #expect(help.text.contains("With --json:"))
    }

    @Test func `the tool's help names all commands and exit codes`() throws {
        for arguments in [["--help"], ["-h"], ["help"]] {
            let help = try workshop.hindsight(arguments).expecting(code: 0)
            for word in ["record", "info", "log", "show", "jump", "diff", "replay", "verify", "Exit codes", "notepad"] {
                #expect(help.text.contains(word))
            }
        }
    }

    @Test func `info prints counts and how the recording ended`() throws {
        let info = try workshop.hindsight("info", "t.hindsight", "--json").json()
        #expect(info["actions"] as? Int == 8)
        #expect(info["ended"] as? String == "closed")
        #expect(info["app"] as? String == "todo")
        #expect(try workshop.hindsight("info", "t.hindsight").text.contains("2  add"))
    }

    @Test func `log prints one line per action`() throws {
        let lines = try workshop.hindsight("log", "t.hindsight").text.split(separator: "\n")
        #expect(lines.count == 8)
        #expect(lines[2].contains("toggle(id: 1)") && lines[2].contains("/items/0/done"))
        #expect(lines[6].contains("undo") && !lines[6].contains("undo("))
        let logged = try workshop.hindsight("log", "t.hindsight", "--json").json(line: 2)
        #expect(logged["seq"] as? Int == 3)
        #expect(logged["type"] as? String == "toggle")
        #expect((logged["changed"] as? [String])?.contains("/items/0/done") == true)
        #expect((logged["origin"] as? String)?.hasSuffix(":3") == true)
    }

    @Test(arguments: [
        (["--limit", "2"], [1, 2]), (["--from", "7"], [7, 8]), (["--to", "2"], [1, 2]), (["--type", "add"], [1, 2]),
        (["--path", "/filter"], [5]), (["--limit", "0"], []), (["--from", "5", "--to", "4"], []),
        (["--type", "add", "--from", "2"], [2]),
    ])
    func `log filters`(options: [String], expected: [Int]) throws {
        let log = try workshop.hindsight(["log", "t.hindsight", "--json"] + options).expecting(code: 0)
        let numbers = try log.text.split(separator: "\n").indices.map { try log.json(line: $0)["seq"] as? Int ?? 0 }
        #expect(numbers == expected)
    }

    static let nothing: [(options: String, words: [String])] = [
        ("log t.hindsight --path /nextID --to 0", ["There is no action up to position 0: the first action is 1."]),
        ("log t.hindsight --from start --to start", ["There is no action up to position 0: the first action is 1."]),
        ("log t.hindsight --from 5 --to 4", ["There is no action from 5 to 4, as 5 comes after 4."]),
        ("log t.hindsight --path /filter --to 4", ["No action from 1 to 4 changes /filter; action 5 does."]),
        ("log t.hindsight --path /filter --type add", ["No action of type add changes /filter; action 5 does."]),
        ("log t.hindsight --type add --from 3", ["no action of type add from 3 to 8"]),
        ("log t.hindsight --path /counts/byTag/nowhere --limit 0", ["--limit 0 lists no actions."]),
        ("log o.hindsight", ["o.hindsight has no actions."]),
        ("log o.hindsight --type add", ["o.hindsight has no actions."]),
        ("tail o.hindsight --path /items", ["o.hindsight has no actions."]),
        ("log c.hindsight --path /cart/lines", ["/cart/lines exists and never changes in this recording."]),
        ("tail c.hindsight --path /cart/*", ["/cart/* exists and never changes in this recording."]),
    ]

    @Test func `a command without results says so`() throws {
        try workshop.record("todo", [], to: "o.hindsight")
        try workshop.record("checkout", [#"{"AddLine":{"sku":"NO-SUCH","quantity":2}}"#], to: "c.hindsight")
        for (line, words) in Self.nothing {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            #expect(result.code == 0, "\(line): \(result.errors)")
            #expect(result.text == "", "\(line)")
            for word in words { #expect(result.errors.contains(word), "\(line): \(result.errors)") }
        }
    }

    @Test func `diff accepts a path that existed only between its positions`() throws {
        let words = "There is nothing at /items/1 at position 0, nor at 8. It was there in between, as at position "
        let text = try workshop.hindsight("diff", "t.hindsight", "0", "8", "--path", "/items/1").expecting(code: 0)
        #expect(text.text.hasPrefix("No difference. \(words)"), "\(text.text)")
        let json = try workshop.hindsight("diff", "t.hindsight", "8", "0", "--path", "/items/1", "--json")
        #expect(json.code == 0 && json.errors.contains("It was there in between"), "\(json.errors)")
        #expect(try json.json()["equal"] as? Bool == true)
        let patch = try workshop.hindsight(
            ["diff", "t.hindsight", "0", "8", "--path", "/items/1", "--format", "json-patch"]
        )
        #expect(patch.code == 0 && patch.text == "[]\n", "\(patch.text)\(patch.errors)")
        // No action in between has the path, or the positions are in two recordings.
        for positions in [["t.hindsight", "2", "4"], ["t.hindsight:0", "c.hindsight:0"]] {
            try workshop.record("todo", [], to: "c.hindsight")
            let absent = try workshop.hindsight(["diff"] + positions + ["--path", "/items/7"]).expecting(code: 2)
            #expect(absent.errors.contains("There is nothing at /items/7 at position "), "\(absent.errors)")
            #expect(absent.errors.contains(", nor at "), "\(absent.errors)")
        }
    }

    @Test func `wildcards in a path match names`() throws {
        func actions(_ path: String) throws -> [Substring?] {
            try workshop.hindsight("log", "t.hindsight", "--path", path).text.split(separator: "\n")
                .map { $0.split(separator: " ").first }
        }
        #expect(try actions("/items") == actions("/items/*"))
        let done = try workshop.hindsight("log", "t.hindsight", "--path", "/**/done", "--json")
        #expect(try done.json(line: 2)["seq"] as? Int == 3)
        #expect(
            try workshop.hindsight("log", "t.hindsight", "--path", "/*/0/done", "--type", "toggle").text.contains(
                "toggle(id: 1)"
            )
        )

        let titles = try workshop.hindsight("jump", "t.hindsight", "2", "--path", "/items/*/title", "--json").json()
        #expect(titles as? [String: String] == ["/items/0/title": "Milk", "/items/1/title": "Bread"])
        let differing = try workshop.hindsight("diff", "t.hindsight", "2", "3", "--path", "/items/*/done")
        #expect(differing.code == 1)
        #expect(differing.text.contains("~ /items/0/done  false → true"), "\(differing.text)")
        #expect(!differing.text.contains("/counts"), "\(differing.text)")
        let same = try workshop.hindsight("diff", "t.hindsight", "2", "3", "--path", "/items/*/title")
        #expect(same.text == "No difference.\n")
    }

    @Test func `show prints what each reducer changed`() throws {
        let shown = try workshop.hindsight("show", "t.hindsight", "3").expecting(code: 0)
        #expect(shown.text.contains("Action 3 of 8  toggle(id: 1)"))
        #expect(shown.text.contains("~ /items/0/done  false → true"))
        #expect(shown.text.contains("unchanged by"))
        let steps = try #require(try workshop.hindsight("show", "t.hindsight", "3", "--json").json()["steps"] as? [Any])
        #expect(steps.count > 1)
        #expect(try workshop.hindsight("show", "t.hindsight", "start").text.contains("the start of the recording"))
    }

    @Test func `jump prints the state, a part of it, and its bytes`() throws {
        try workshop.record("notepad", Sessions.notepad, to: "n.hindsight")
        #expect(
            try workshop.hindsight("jump", "n.hindsight", "end", "--json").json()["text"] as? String == "Héllo world"
        )
        #expect(try workshop.hindsight("jump", "n.hindsight", "2", "--path", "/text").text == "\"héllo world\"\n")
        let raw = try workshop.hindsight("jump", "n.hindsight", "1", "--path", "/text", "--raw")
        #expect(raw.output == Data("héllo".utf8))
        for position in ["start", "1", "2.3", "50%", "end"] {
            let recorded = try workshop.hindsight("jump", "n.hindsight", position)
            let replayed = try workshop.hindsight("jump", "n.hindsight", position, "--replayed")
            #expect(recorded.code == 0 && replayed.code == 0)
            #expect(recorded.text == replayed.text)
        }
    }

    @Test func `diff has the exit codes of diff(1)`() throws {
        let differing = try workshop.hindsight("diff", "t.hindsight", "2", "3").expecting(code: 1)
        #expect(differing.text.contains("~ /items/0/done  false → true"))
        #expect(differing.text.contains("unchanged"))
        let same = try workshop.hindsight("diff", "t.hindsight:end", "t.hindsight:8").expecting(code: 0)
        #expect(same.text == "No difference.\n")
        #expect(try workshop.hindsight("diff", "t.hindsight", "2", "3", "--json").json()["equal"] as? Bool == false)
    }

    @Test func `diff accepts file names with colons`() throws {
        try workshop.record("todo", Sessions.todo, to: "a:1")
        try workshop.record("todo", Sessions.todo, to: "a")
        #expect(try workshop.hindsight("diff", "a:1:end", "a:8").code == 0)
    }

    @Test func `replay and verify reproduce the recording`() throws {
        let replay = try workshop.hindsight("replay", "t.hindsight").expecting(code: 0)
        #expect(replay.text.contains("toggle(id: 1)"))
        let verified = try workshop.hindsight("verify", "t.hindsight", "t.hindsight", "--json").expecting(code: 0)
        #expect(try verified.json(line: 0)["equal"] as? Bool == true)
        #expect(try verified.json(line: 1)["equal"] as? Bool == true)
    }

    @Test func `diff prints an added or removed part as a plain patch`() throws {
        let options = ["--path", "/items/0", "--format", "json-patch"]
        let came = try workshop.hindsight(["diff", "t.hindsight", "0", "1"] + options).expecting(code: 1)
        #expect(came.text.hasPrefix(#"[{"op":"add","path":"","value":{"id":1,"#), "\(came.text)\(came.errors)")
        let went = try workshop.hindsight(["diff", "t.hindsight", "1", "0"] + options).expecting(code: 1)
        #expect(went.text == "[{\"op\":\"remove\",\"path\":\"\"}]\n")
    }
}
