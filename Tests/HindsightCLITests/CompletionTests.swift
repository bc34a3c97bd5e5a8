import Foundation
import HindsightStore
import HindsightTree
import Samples
import Testing

@testable import HindsightCLI

@Suite struct ShellWordTests {
    @Test(
        arguments: [
            ("abc", "abc", nil), (#"a\ b"#, "a b", nil), ("'a b'", "a b", nil), (#""a b"c"#, "a bc", nil),
            ("'a b", "a b", "'"),
            (#""a $b"#, "a $b", "\""), (#""a\"b\x"#, #"a"b\x"#, "\""), (#"'a\'b"#, #"a\b"#, nil),
            ("$(ls)", "$(ls)", nil),
            ("", "", nil), (#"a\"#, "a", nil), ("it's", "its", "'"),
        ] as [(String, String, Character?)]
    )
    func `a word loses its quotes, and nothing is expanded`(raw: String, text: String, quote: Character?) {
        let word = ShellWord(raw)
        #expect(word.text == text)
        #expect(word.openQuote == quote)
    }

    @Test(
        arguments: [
            ("a", "--type=", "A", "--type=A"), ("a", "", "a b", "'a b'"), ("a", "", "it's", #"'it'\''s'"#),
            ("", "", "$(ls)", "'$(ls)'"), ("", "", "~root", "'~root'"), ("", "", "-rf", nil),
            ("", "--limit", "", "--limit"),
            ("'a", "", "a b", "a b"), ("'a", "", "it's", nil), ("\"a", "", "a`ls`", nil), ("\"a", "", "a b", "a b"),
            ("'a", "--type=", "a b", nil), ("--type='a", "--type=", "a b", "a b"),
        ] as [(String, String, String, String?)]
    )
    func `bash gets a word in quotes that fit the open ones`(
        raw: String,
        lead: String,
        value: String,
        expected: String?
    ) {
        #expect(ShellWord(raw).replacement(lead, value) == expected)
    }
}

@Suite struct CompleterTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")

    /// The lines of an answer for fish, without the help behind the words.
    private func complete(_ words: [String]) throws -> [String] {
        let harness = ToolHarness()
        #expect(harness.run([CompletionWorker.word, "zsh"] + words) == .fine, "\(harness.errorText)")
        return harness.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { String($0.prefix { $0 != "\t" }) }
    }

    /// Records three actions of the to-do list.
    private func record() throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "t.hindsight")
        let lines = [
            #"{"add":{"title":"Milk","tags":["shop","a/b"]}}"#, #"{"add":{"title":"Bread"}}"#, #"{"toggle":{"id":1}}"#,
        ]
        let session = try SampleApps.todo.record(to: file)
        for line in lines { try session.dispatch(Node(json: line), origin: Origin(file: "in.jsonl", line: 1)) }
        try session.close()
        return file.path
    }

    private func withRecording(_ body: (String) throws -> Void) throws {
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("could not remove \(folder.path): \(error)")
            }
        }
        try body(try record())
    }

    @Test(arguments: [
        (["lo"], ["", "log"]), (["re"], ["", "record", "replay", "review", "recover"]),
        (["help", "jum"], ["", "jump"]),
        (["--v"], ["", "--version"]), (["nothing", ""], [""]), (["log", ""], ["files"]),
        (["diff", "--fo"], ["", "--format"]),
        (["diff", "a", "--color", "a"], ["", "auto", "always"]), (["diff", "--color=n"], ["", "--color=never"]),
        (["record", "--app", "n"], ["", "notepad"]), (["record", "--input", ""], ["files"]),
        (["completion", "z"], ["", "zsh"]),
        (["log", "--limit", ""], [""]), (["log", "--limit", "3", "--lim"], [""]), (["log", "--", "-"], ["files"]),
        (["--no-pager", "verif"], ["", "verify"]), (["verify", "a", "b", ""], ["files"]),
        (["show", "a", "b", ""], [""]),
        (["log", "nothing.hindsight", "--path", "/"], [""]),
    ])
    func `commands, options, their values and files complete`(words: [String], expected: [String]) throws {
        #expect(try complete(words) == expected)
    }

    @Test func `names of the recording complete`() throws {
        try withRecording { file throws in
            #expect(try complete(["log", file, "--type", ""]) == ["", "add", "toggle"])
            #expect(try complete(["log", file, "--type=t"]) == ["", "--type=toggle"])
            #expect(try complete(["show", file, ""]) == ["", "start", "end"])
            #expect(try complete(["log", file, "--path", "/c"]) == ["open", "/counts"])
            #expect(
                try complete(["jump", file, "end", "--path", "/counts"])
                    == ["open", "/counts/open", "/counts/done", "/counts/byTag", "/counts"]
            )
            #expect(try complete(["log", file, "--path", "/counts/byTag/a"]) == ["", "/counts/byTag/a~1b"])
            #expect(try complete(["log", file, "--path", "/items/0/ti"]) == ["", "/items/0/title"])
            #expect(try complete(["log", file, "--path", "/items"]) == ["open", "/items/0", "/items/1", "/items"])
            // A directory stands for the newest recording in it.
            #expect(try complete(["log", folder.path, "--type", "t"]) == ["", "toggle"])
        }
    }

    @Test func `positions in a file named in the same word complete`() throws {
        try withRecording { file throws in
            #expect(try complete(["diff", ""]) == ["files"])
            #expect(try complete(["diff", file]) == ["files"])
            #expect(try complete(["diff", file + ":"]) == ["", file + ":start", file + ":end"])
            #expect(try complete(["diff", file + ":e"]) == ["", file + ":end"])
            #expect(try complete(["diff", file + ":end", file + ":s"]) == ["", file + ":start"])
            // The other recording comes first.
            #expect(try complete(["diff", file + ":end", ""]) == ["files"])
            #expect(try complete(["diff", file, "s"]) == ["", "start"])
            #expect(try complete(["diff", file + ":3", file + ":end", "--path", "/ite"]) == ["open", "/items"])
            #expect(try complete(["diff", "nothing.hindsight:"]) == ["files"])
            // No other command takes such a word.
            #expect(try complete(["show", file + ":e"]) == ["files"])

            // A colon in a file's name, a name that needs quotes, and a position that does.
            let odd = folder.appending(path: "my t:1.hindsight").path
            try FileManager.default.copyItem(atPath: file, toPath: odd)
            let harness = ToolHarness()
            #expect(harness.run(["note", file, "2", "two words"]) == .fine, "\(harness.errorText)")
            #expect(try complete(["diff", odd + ":e"]) == ["", odd + ":end"])
            func completeInBash(_ word: String) -> String {
                let harness = ToolHarness()
                #expect(harness.run([CompletionWorker.word, "bash", "diff", word]) == .fine, "\(harness.errorText)")
                return harness.text
            }
            #expect(completeInBash("'\(odd):e") == "\n\(odd):end\n")
            #expect(completeInBash(odd.replacing(" ", with: "\\ ") + ":e") == "\n'\(odd):end'\n")
            #expect(completeInBash(file + ":t") == "\n\(file):'two words'\n")
        }
    }

    @Test func `all arguments that name a recording complete as files`() {
        for command in Tool.commands where command.syntax.name != "completion" {
            // An archive has an address.
            if command.syntax.name.hasPrefix("archive") { continue }
            let first = command.syntax.positionals.first
            #expect(first.map { ValueKind(of: $0) } == .files, "\(command.syntax.name)")
        }
    }

    @Test(arguments: Shell.allCases) func `each shell has a script that calls the tool`(shell: Shell) throws {
        let harness = ToolHarness()
        #expect(harness.run("completion \(shell.rawValue)") == .fine)
        #expect(harness.text.contains("\(CompletionWorker.word) \(shell.rawValue) "))
        #expect(!harness.text.contains("eval") && !harness.text.contains("compgen"))
        let json = ToolHarness()
        #expect(json.run("completion \(shell.rawValue) --json") == .fine)
        #expect(try Node(json: json.text)["script"] == .string(harness.text))
    }

    @Test func `another shell is an error that names those there are`() {
        let harness = ToolHarness()
        #expect(harness.run("completion zhs") == .usage)
        #expect(harness.errorText.contains("Did you mean zsh? There is one for bash, zsh and fish."))
    }
}

@Suite struct ManualPageTests {
    private let lines = ManualPage(tool: "tool", version: "1.0").text(of: Tool.commands.map { $0.syntax })
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
