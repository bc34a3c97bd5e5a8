import Foundation
import HindsightStore
import HindsightTree
import Samples
import Testing

@testable import HindsightCLI

@Suite struct CompleterTests {
    private let scratch = Scratch()

    private func complete(_ words: [String]) -> [String] {
        let harness = ToolHarness().running([Completer.word] + words)
        return harness.text.split(separator: "\n").map(String.init)
    }

    /// Records three actions of the to-do list.
    private func record() throws -> String {
        let file = scratch.file("t.hindsight")
        let lines = [
            #"{"add":{"title":"Milk","tags":["shop","a/b"]}}"#, #"{"add":{"title":"Bread"}}"#, #"{"toggle":{"id":1}}"#,
        ]
        let session = try SampleApps.todo.record(to: file)
        for line in lines { try session.dispatch(Node(json: line), origin: Origin(file: "in.jsonl", line: 1)) }
        try session.close()
        return file.path
    }

    @Test(arguments: [
        (["lo"], ["log"]), (["re"], ["record", "recover", "replay", "review"]), (["nothing", ""], []),
        (["log", ""], []),
        (["diff", "--fo"], ["--format"]), (["diff", "a", "--color", "a"], ["auto", "always"]),
        (["diff", "a", "--color=a"], ["--color=auto", "--color=always"]), (["diff", "a", "--json=a"], []),
        (["record", "--app", "n"], ["notepad"]), (["record", "--input", ""], []), (["completion", "z"], ["zsh"]),
        (["log", "--limit", ""], []), (["log", "--limit", "3", "--lim"], ["--limit"]), (["show", "a", "b", ""], []),
    ])
    func `commands, options and their values complete`(words: [String], expected: [String]) {
        #expect(complete(words) == expected)
    }

    @Test func `the second words of commands complete`() throws {
        let commands = ["store push", "store pull", "stop"].map {
            Syntax($0, abstract: "", arguments: [CompletionCommand.shell], examples: [:], jsonShape: "")
        }
        let completer = Completer(commands: commands, apps: [])
        let cases = [
            (["st"], ["stop", "store"]), (["store", ""], ["pull", "push"]), (["store", "pus"], ["push"]),
            (["store", "push", "b"], ["bash"]), (["store", "x", ""], []), (["x", "y"], []),
        ]
        for (words, expected) in cases { #expect(try completer.completions(of: words) == expected, "\(words)") }
    }

    @Test func `names of the recording complete`() throws {
        let file = try record()
        #expect(complete(["log", file, "--type", ""]) == ["add", "toggle"])
        #expect(complete(["log", file, "--type", "t"]) == ["toggle"])
        #expect(complete(["log", file, "--type=t"]) == ["--type=toggle"])
        #expect(complete(["show", file, ""]) == ["start", "end"])
        #expect(complete(["log", file, "--path", "/c"]) == ["/counts"])
        #expect(
            complete(["jump", file, "end", "--path", "/counts"])
                == ["/counts/open", "/counts/done", "/counts/byTag", "/counts"]
        )
        #expect(complete(["log", file, "--path", "/counts/byTag/a"]) == ["/counts/byTag/a~1b"])
        #expect(complete(["log", file, "--path", "/items/0/ti"]) == ["/items/0/title"])
        #expect(complete(["log", file, "--path", "/items"]) == ["/items/0", "/items/1", "/items"])
        for name in ["two words", "-rf"] {
            _ = ToolHarness().running(["note", file, "2", "--", name])
        }
        #expect(complete(["show", file, ""]) == ["start", "end", "two words"])
    }

    @Test func `a recording that cannot be read completes nothing`() {
        let harness = ToolHarness().running([Completer.word, "log", "nothing.hindsight", "--path", "/"], .badFile)
        #expect(harness.text == "")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `each shell has a script that calls the tool`(shell: String) throws {
        let harness = ToolHarness()
        #expect(harness.run("completion \(shell)") == .fine)
        #expect(harness.text.contains(" \(Completer.word) "))
        #expect(!harness.text.contains("eval") && !harness.text.contains("compgen"))
        let json = ToolHarness()
        #expect(json.run("completion \(shell) --json") == .fine)
        guard case .string(let script)? = try Node(json: json.text)["script"] else {
            Issue.record("no script")
            return
        }
        #expect(script + "\n" == harness.text)
    }

    @Test func `another shell is an error that names those there are`() {
        let harness = ToolHarness()
        #expect(harness.run("completion zhs") == .usage)
        #expect(harness.errorText.contains("There is one for bash, zsh and fish."))
    }
}

/// The article that lists the commands says what they declare.
@Suite struct CommandArticleTests {
    private let article: String

    init() throws {
        let path = "../../../Sources/HindsightCLI/HindsightCLI.docc/Commands.md"
        article = try String(contentsOf: URL(filePath: #filePath).appending(path: path).standardized, encoding: .utf8)
    }

    /// The rows of the table with a header.
    private func rows(below header: String) throws -> [String] {
        let start = try #require(article.range(of: "\(header)\n|---|---|\n")).upperBound
        return article[start...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("|") }.map(String.init)
    }

    private func expect(_ rows: [String], below header: String) throws {
        let listed = try self.rows(below: header)
        let table = rows.joined(separator: "\n")
        #expect(listed.joined(separator: "\n") == table)
    }

    @Test func `the commands, exit codes and positions are those that the tool declares`() throws {
        let help = HelpText(tool: "hindsight")
        var commands: [String] = []
        for command in Tool.commands where !command.syntax.name.hasPrefix("archive") {
            let operands = help.words(of: command.syntax).filter { !$0.hasPrefix("[--") }
            let words = [command.syntax.name] + operands
            let usage = words.joined(separator: " ").replacing("|", with: "\\|")
            commands.append("| `\(usage)` | \(command.syntax.abstract) |")
        }
        try expect(commands, below: "| command | does |")
        var codes: [String] = []
        for row in ExitCode.meanings { codes.append("| \(row.code) | \(row.meaning) |") }
        try expect(codes, below: "| exit code | means |")
        let text = article.replacing("`", with: "")
        #expect(Self.words(text).contains(Self.words(HelpText.positions)))
    }

    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

@Suite struct ManualPageTests {
    private let lines = ManualPage(tool: "tool", version: "1.0")
        .text(of: Tool.commands.map { $0.syntax }, exitCodes: ExitCode.meanings)
        .split(separator: "\n", omittingEmptySubsequences: false)

    @Test func `every line is a known request, or text without anything that roff interprets`() {
        let requests = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".nf", ".fi", ".nh", ".ad"]
        for line in lines {
            if line.hasPrefix(".") {
                #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
            }
            #expect(line.utf8.allSatisfy { 0x20..<0x7F ~= $0 }, "\(line)")
            #expect(!line.hasPrefix("'"), "\(line)")
            // Each backslash begins one of these escapes.
            for piece in line.split(separator: "\\", omittingEmptySubsequences: false).dropFirst() {
                let isKnown = ["e", "-", "&", "(aq", "(ga", "(ha", "(ti", "(dq", "[u", "fB", "fI", "fR"]
                    .contains { piece.hasPrefix($0) }
                #expect(isKnown, "\(line)")
            }
        }
    }

    @Test func `the page has all commands and options`() {
        let sections = lines.filter { $0.hasPrefix(".SS ") }.map { String($0.dropFirst(4)) }
        #expect(sections == Tool.commands.map { "\"\($0.syntax.name)\"" })
        for command in Tool.commands {
            for option in command.syntax.named {
                let name = "\\-\\-" + option.name.replacing("-", with: "\\-")
                #expect(
                    lines.contains { $0.hasPrefix("\\fB") && $0.contains(name) },
                    "\(command.syntax.name) \(option.name)"
                )
            }
        }
        #expect(lines.filter { $0 == ".nf" }.count == lines.filter { $0 == ".fi" }.count)
    }
}

@Suite struct PagerChoiceTests {
    @Test(
        arguments: [
            ([:], "less -FRX"), (["PAGER": "more"], "more"),
            (["PAGER": "more", "HINDSIGHT_PAGER": "most -s"], "most -s"),
            (["PAGER": ""], nil), (["PAGER": "cat"], nil), (["PAGER": "more", "HINDSIGHT_PAGER": ""], nil),
            (["PAGER": "cat", "HINDSIGHT_PAGER": " less "], "less"), (["TERM": "dumb"], nil),
        ] as [([String: String], String?)]
    )
    func `the environment chooses the pager`(environment: [String: String], expected: String?) {
        #expect(Pager.command(in: environment) == expected)
    }

    @Test func `a pager that is not installed is none`() {
        #expect(Pager.isInstalled("sh -c 'cat'", "/usr/bin:/bin"))
        #expect(Pager.isInstalled("/bin/sh", ""))
        #expect(!Pager.isInstalled("no-such-pager -R", "/usr/bin:/bin"))
        #expect(!Pager.isInstalled("/no/such/pager", ""))
        // Only a shell can tell.
        #expect(Pager.isInstalled("$MY_PAGER", ""))
    }

    @Test func `help is 80 columns wide without a terminal, and at most 100 on one`() {
        for (columns, width) in [(nil, 80), (70, 70), (90, 90), (300, 100)] as [(Int?, Int)] {
            let harness = ToolHarness()
            #expect(harness.run("verify --help", terminal: Terminal(columns: columns)) == .fine)
            let widest = harness.text.split(separator: "\n").map { String($0).columns }.max() ?? 0
            #expect(widest <= width && widest > width - 12, "\(widest) of \(width)")
        }
    }
}
