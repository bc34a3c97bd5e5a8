import Foundation
import HindsightRecording
import Testing

@testable import HindsightCLI

@Suite struct SearchCommandTests {
    private static let todo = Fixtures.recording("todo").path

    private func run(_ words: String..., code: ExitCode = .fine) -> ToolHarness {
        ToolHarness().running(words, code)
    }

    @Test func `the answer begins with the first place, and says what to do next`() {
        let harness = run("search", Self.todo, "needs a letter")
        #expect(
            harness.text == """
                "needs a letter" first appears in /notice, at 5.1, in notice, by add(title: "  "), dispatched at todo.jsonl:5.
                  "A title needs a letter."
                  tool show \(Self.todo) 5.1

                 5.1  state  notice  /notice  "A title needs a letter."
                27.1  state  notice  /notice  "A title needs a letter."
                2 places in 2 actions

                """
        )
        #expect(harness.errorText == "")
    }

    @Test func `a text in an action and in what it changed`() {
        let harness = run("search", Self.todo, "brunost", "--in", "actions")
        #expect(
            harness.text == """
                "brunost" first appears in action 8, at /rename/title of \
                rename(id: 4, title: "Kaffe, brød og brunost ☕️🥖🧀"), dispatched at todo.jsonl:8.
                  "Kaffe, brød og brunost ☕️🥖🧀"
                  tool show \(Self.todo) 8.0

                8.0  action  rename  /rename/title  "Kaffe, brød og brunost ☕️🥖🧀"
                1 place in 1 action

                """
        )
        let both = run("search", Self.todo, "brunost")
        #expect(
            both.text.contains("\n 8.2  state   history.note  /history/undo/6/0/inserted/0/title  "),
            "\(both.text)"
        )
        #expect(both.text.contains("\n 8.3  state   items         /items/3/title"), "\(both.text)")
    }

    @Test func `a text that is nowhere is told on the error stream`() {
        let harness = run("search", Self.todo, "no such text")
        #expect(harness.text == "")
        #expect(harness.errorText == "\"no such text\" appears in no action and no recorded state of \(Self.todo).\n")
        #expect(run("search", Self.todo, "no such text", "--json").text == "")
        #expect(run("search", Self.todo, "needs a letter", "--in", "actions").errorText.contains("in no action of"))
    }

    @Test(arguments: [
        ("bad-steps", "A title needs", "the changes of action 5", "is damaged at action 5: "),
        ("bad-steps", "no such text", "the changes of action 5", "is damaged at action 5: "),
        (
            "patch-that-does-not-fit", "no such text", "the states from action 2 on",
            "is damaged at action 2, reducer 4: "
        ),
    ])
    func `what is damaged is told, and not that it has no such text`(
        name: String,
        text: String,
        part: String,
        damage: String
    ) {
        let file = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "damaged/\(name).hindsight")
            .path
        let harness = run("search", file, text, code: .badFile)
        let beginning = """
            "\(text)" appears in no action and no recorded state of \(file) that can be read.
            Not searched: \(part).
            error: \(file) \(damage)
            """
        #expect(harness.errorText.hasPrefix(beginning), "\(harness.errorText)")
        #expect(run("search", file, text, "--json", code: .badFile).errorText.contains("Not searched: \(part)."))
    }

    @Test func `what is found beside damage is listed`() {
        let file = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "damaged/bad-steps.hindsight")
            .path
        let harness = run("search", file, "Find the passport", "--in", "actions")
        #expect(harness.text.contains("1 place in 1 action") && harness.errorText == "", "\(harness.errorText)")
        let both = run("search", file, "Find the passport", code: .badFile)
        #expect(both.text.contains(" first appears in action 2, "), "\(both.text)")
        #expect(both.errorText.contains("Not searched: the changes of action 5."), "\(both.errorText)")
    }

    @Test func `a path that is redacted in states and actions is told once`() {
        let file = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "partial.hindsight").path
        let lines = run("search", file, "Bergen").text.split(separator: "\n")
        #expect(lines.contains("Not searched: redacted values (/**/title)."), "\(lines)")
        let actions = run("search", file, "Bergen", "--in", "actions").text.split(separator: "\n")
        #expect(actions.contains("Not searched: redacted values (/**/title)."), "\(actions)")
        #expect(!actions.contains { $0.hasPrefix("Not known: the states") }, "\(actions)")
    }

    @Test func `what a run of actions changed together is no time travel`() {
        let file = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "bridged.hindsight").path
        let text = run("stats", file, "--all").text
        #expect(text.contains("/history/undo") && !text.contains("time travel"), "\(text)")
        let json = run("stats", file, "--json").text
        #expect(json.contains(#""travels":0"#) && !json.contains(#""reducers":[0"#), "\(json)")
    }

    @Test(
        arguments: [
            ("todo", [], ""), ("bridged", [], #"{"event":"unknown","actions":[[45,49]],"redacted":[]}"# + "\n"),
            ("partial", [], #"{"event":"unknown","actions":[[45,49]],"redacted":["/**/title"]}"# + "\n"),
            ("bridged", ["--in=actions"], ""),
            ("partial", ["--in=actions"], #"{"event":"unknown","actions":[],"redacted":["/**/title"]}"# + "\n"),
        ] as [(String, [String], String)]
    )
    func `--json says what was not searched`(name: String, options: [String], expected: String) {
        let file = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "\(name).hindsight").path
        let harness = ToolHarness().running(["search", file, "no such text", "--json"] + options)
        #expect(harness.text == expected)
    }

    @Test func `--json has a line a place`() throws {
        let lines = run("search", Self.todo, "needs a letter", "--json").text.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
        )
        #expect(first["position"] as? String == "5.1" && first["source"] as? String == "reducer")
        #expect(first["name"] as? String == "notice" && first["type"] as? String == "add")
        #expect(first["path"] as? String == "/notice" && first["value"] as? String == "A title needs a letter.")
        #expect(first["isName"] as? Bool == false && first["actions"] is NSNull)
    }

    @Test func `a long list is cut with a count, and --all has it`() throws {
        let short = run("search", Self.todo, "title", "--in", "state")
        let all = run("search", Self.todo, "title", "--in", "state", "--all")
        let rows = { (text: String) in text.split(separator: "\n").count { $0.contains("(name)") || $0.contains("\"") }
        }
        let total = run("search", Self.todo, "title", "--in", "state", "--json").text.split(separator: "\n").count
        #expect(total > SearchReport.most)
        #expect(short.text.contains("… and \(Quantities.grouped(total - SearchReport.most)) more; --all lists them\n"))
        #expect(short.text.contains("\(Quantities.grouped(total)) places in "), "\(short.text)")
        #expect(rows(all.text) - rows(short.text) == total - SearchReport.most, "\(all.text)")
    }

    @Test func `wrong arguments are refused`() {
        #expect(run("search", Self.todo, "", code: .usage).errorText.contains("TEXT is empty"))
        #expect(run("search", Self.todo, code: .usage).errorText.contains("TEXT"))
        #expect(run("search", Self.todo, "x", "--in", "keyframes", code: .usage).errorText.contains("actions or state"))
    }

    @Test func `stats prints its tables, and the same numbers as JSON`() throws {
        let harness = run("stats", Self.todo)
        #expect(harness.text.hasPrefix("67 actions, "), "\(harness.text)")
        for title in ["\naction types ", "\nreducers ", "\npaths ", "\nwhat grew ", "\ntime of an action\n"] {
            #expect(harness.text.contains(title), "\(title): \(harness.text)")
        }
        #expect(harness.text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
        let json = run("stats", Self.todo, "--json").text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["actions"] as? Int == 67)
        let reducers = try #require(object["reducers"] as? [[String: Any]])
        #expect(reducers.compactMap { $0["name"] as? String } == (try Recording(at: URL(filePath: Self.todo)).reducers))
        let part = run("stats", Self.todo, "--from", "11", "--to", "20", "--json").text
        #expect(part.contains("\"actions\":10,"), "\(part)")
        #expect(run("stats", Self.todo, "--from", "5", "--to", "4", code: .usage).errorText.contains("nothing between"))
    }

    @Test func `bars and sparklines`() {
        #expect(StatisticsReport.sparkline([0, 1, 4, 8]) == "▁▁▄█")
        #expect(StatisticsReport.sparkline([0, 0]) == "▁▁")
        #expect(StatisticsReport.bar(0, of: 10, room: 4) == "")
        #expect(StatisticsReport.bar(1, of: 1000, room: 4) == "▏")
        #expect(StatisticsReport.bar(10, of: 10, room: 4) == "████")
        #expect(StatisticsReport.bar(5, of: 10, room: 5) == "██▌")
    }

    @Test(arguments: ["csv", "perfetto", "redux-devtools", "json"])
    func `export writes every format to a file, and the same to standard output`(format: String) throws {
        let scratch = Scratch()
        let url = scratch.file("export")
        let harness = run("export", Self.todo, "--format", format, "-o", url.path)
        #expect(harness.text == "Wrote 67 actions to \(url.path).\n" && harness.errorText == "")
        #expect(try String(contentsOf: url, encoding: .utf8) == run("export", Self.todo, "--format", format).text)
        if format != "json" {
            let part = run("export", Self.todo, "--format", format, "--from=3", "--to=5", "-o", url.path, "--force")
            #expect(part.text == "Wrote 3 actions to \(url.path).\n")
        } else {
            let refused = run("export", Self.todo, "--format", format, "--from", "3", code: .usage)
            #expect(refused.errorText.contains("json has all actions"), "\(refused.errorText)")
            #expect(refused.errorText.contains("tool cut makes"), "\(refused.errorText)")
        }
        #expect(run("export", Self.todo, "--format", "xml", code: .usage).errorText.contains("redux-devtools"))
    }

    @Test func `damaged recordings get an answer or an error, in every command`() throws {
        let folder = URL(filePath: Self.todo).deletingLastPathComponent().appending(path: "damaged")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count > 8)
        for file in files {
            let path = folder.appending(path: file).path
            for words in [
                ["search", path, "a"], ["search", path, "a", "--json"], ["stats", path], ["stats", path, "--json"],
                ["export", path, "--format", "csv"], ["export", path, "--format", "perfetto"],
                ["export", path, "--format", "redux-devtools"], ["export", path, "--format", "json"],
            ] {
                let harness = ToolHarness()
                let code = harness.run(words)
                #expect(code == .fine || code == .badFile, "\(words): \(harness.errorText)")
                #expect(code == .fine || harness.errorText.contains("error:"), "\(words)")
            }
        }
    }
}
