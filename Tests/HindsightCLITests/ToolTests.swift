import Foundation
import HindsightRecording
import TestSupport
import Testing

@testable import HindsightCLI

@Suite struct ToolTests {
    @Test(arguments: Tool.commands.map { $0.syntax.name })
    func `help is a command, too`(command: String) {
        let (one, other) = (ToolHarness(), ToolHarness())
        #expect(one.run("help \(command)") == .fine)
        #expect(other.run("\(command) -h") == .fine)
        #expect(one.text == other.text)
        #expect(one.text.contains("Usage: tool \(command)"))
    }

    @Test(arguments: [("/opt/My App/app", "'/opt/My App/app'"), ("/tmp/a;b", "'/tmp/a;b'"), ("/bin/app", "/bin/app")])
    func `the command that names the frames of a crash quotes their file`(image: String, quoted: String) throws {
        let scratch = Scratch()
        let file = scratch.file("crash.jsonl")
        let signal =
            #"{"number":11,"name":"SIGSEGV","thread":1,"main":true,"stackOverflow":false,"#
            + #""frames":[{"address":"0x55","image":"\#(image)","offset":"0x12"}]}"#
        let lines = [
            #"{"hindsight":"recording","text":1,"app":"a","version":"","platform":"Linux","created":1,"#
                + #""facts":{"died":"1.1","recovered":1,"signal":\#(signal)},"reducers":["a"],"state":{}}"#,
            #"{"action":"x","payload":{"x":{}},"at":2}"#, #"{"end":true}"#,
        ]
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        let text = ToolHarness().running(["info", file.path]).text
        #expect(text.contains("names     llvm-symbolizer --obj=\(quoted) 0x12\n"), "\(text)")
    }

    @Test func `no line of help is wider than a screen`() {
        for command in Tool.commands {
            for line in HelpText(tool: "hindsight").help(for: command.syntax).split(separator: "\n") {
                #expect(String(line).columns <= 100, "\(line)")
            }
        }
    }

    @Test(arguments: [40, 60, 80, 120])
    func `no line of help is wider than the terminal`(width: Int) {
        let help = HelpText(tool: "hindsight", width: width)
        let texts =
            Tool.commands.map { help.help(for: $0.syntax) } + [
                help.overview(Tool.commands.map { $0.syntax }, apps: ["todo"])
            ]
        for line in texts.flatMap({ $0.split(separator: "\n") }) {
            #expect(String(line).columns <= width, "\(line)")
        }
    }

    @Test func `--version prints the version`() {
        let harness = ToolHarness()
        #expect(harness.run("--version") == .fine)
        #expect(harness.text == "tool \(Tool.version)\n")
    }

    @Test func `errors go to the error stream, in colour on a terminal`() {
        let harness = ToolHarness()
        #expect(harness.run("jmup", terminal: Terminal(isOutputTerminal: true, isErrorTerminal: true)) == .usage)
        #expect(harness.text == "")
        #expect(
            harness.errorText == """
                \u{1B}[1;31merror:\u{1B}[0m There is no command "jmup".
                  Did you mean jump?
                  See 'tool --help'.

                """
        )
    }

    // A process of its own, because signals are those of the whole process.
    @Test func `a signal that the process was started to ignore stays ignored`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            _ = signal(SIGHUP, SIG_IGN)
            _ = signal(SIGTERM, SIG_DFL)
            TerminationSignal.handle([SIGHUP, SIGTERM], true) { number in _exit(number == SIGTERM ? 3 : 1) }
            raise(SIGHUP)
            raise(SIGTERM)
        }
    }

    @Test func `a wait that begins just after a signal that ends the tool is ended, too`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            _ = signal(SIGHUP, SIG_DFL)
            TerminationSignal.observeEndingReads([SIGHUP])
            raise(SIGHUP)
            // In the tool, the system gives the alarm to the main thread, which reads the input.
            let isArmed = alarm(0) > 0
            var action = sigaction()
            _ = sigaction(SIGALRM, nil, &action)
            let endsReads = action.sa_flags & SA_RESTART == 0
            _exit(isArmed && endsReads && TerminationSignal.received == SIGHUP ? 3 : 1)
        }
    }

    @Test func `a closed output does not change the exit code`() {
        let harness = ToolHarness()
        #expect(harness.run("--help", closedOutput: true) == .fine)
        #expect(harness.errorText == "")
    }

    @Test(arguments: ["--redact=", "--redact=,"])
    func `record refuses a list of redactions that has none`(option: String) {
        let scratch = Scratch()
        let harness = ToolHarness()
        #expect(harness.run(["record", "--app", "todo", option, scratch.file().path]) == .usage)
        #expect(harness.errorText.contains("--redact"), "\(harness.errorText)")
        #expect(!FileManager.default.fileExists(atPath: scratch.file().path))
    }

    @Test func `record does not count the actions that its limit dropped when a line ends it`() throws {
        let scratch = Scratch()
        let line = #"{"add":{"title":"Milk"}}"# + "\n"
        let words = ["record", "--app", "todo", "--limit", "50", scratch.file("l.hindsight").path]
        let harness = ToolHarness(input: String(repeating: line, count: 2000) + "oops\n").running(words, .badFile)
        let recording = try Recording(at: scratch.file("l.hindsight"))
        try #require(recording.droppedCount > 0)
        let kept = Quantities.counted(recording.actionCount - recording.droppedCount, "action is", "actions are")
        #expect(harness.errorText.contains("  \(kept) in "), "\(harness.errorText)")
    }

    @Test(arguments: [
        (["bisect", "a", "--run", "true", "--rules", "r.json"], "--run and --rules cannot be combined."),
        (["whatif", "a", "--skip", "1", "--rules", "r.json"], "--rules has no effect without --when."),
        (["shrink", "a", "--constant", "Shop.shopApp"], "--constant has no effect without --test."),
        (["compare", "old", "new", "a", "--markdown", "--json"], "--json and --markdown cannot be combined."),
        (["verify", "a", "--final", "--level", "steps"], "--final and --level cannot be combined."),
        (["jump", "a", "1", "--timeout", "3"], "--timeout has no effect without --replayed."),
        (["dap", "a", "--into", "extensions"], "--into has no effect without --install."),
    ])
    func `an option that has no effect is refused before the recording is read`(words: [String], message: String) {
        let harness = ToolHarness().running(words, .usage)
        #expect(harness.errorText.hasPrefix("error: \(message)\n"), "\(harness.errorText)")
    }

    @Test func `errors name a file as the user did`() throws {
        let folder = "nowhere-\(UUID().uuidString)"
        for words in [
            ["info", "\(folder)/x.hindsight"], ["log", "./\(folder)/x.hindsight"], ["verify", "../\(folder)"],
            ["record", "--app", "todo", "\(folder)/x.hindsight"], ["debug", "\(folder)"],
            ["diff", "\(folder)/x.hindsight", "1", "2"], ["doctor", "/\(folder)/x"],
        ] {
            let harness = ToolHarness()
            #expect(harness.run(words) == .badFile, "\(words)")
            let given = words.first { $0.contains(folder) } ?? ""
            #expect(harness.errorText.contains(" \(given)"), "\(words): \(harness.errorText)")
        }
        let directory = FileManager.default.temporaryDirectory.appending(path: folder).path
        var tool = ToolHarness().tool()
        tool.words = ["show", "a.hindsight", "--output=b/c.jsonl", "dir", directory]
        let here = FileManager.default.currentDirectoryPath
        #expect(tool.pathAsGiven(URL(filePath: "a.hindsight").path) == "a.hindsight", "\(here)")
        #expect(tool.pathAsGiven(URL(filePath: "b/c.jsonl").path) == "b/c.jsonl", "\(here)")
        #expect(tool.pathAsGiven(URL(filePath: "dir/run/x").path) == "dir/run/x", "\(here)")
        #expect(tool.pathAsGiven(directory + "/x") == directory + "/x")
        #expect(tool.pathAsGiven("/other") == "/other")
        tool.words = ["diff", "a:b.hindsight:3", "./c.hindsight:end"]
        #expect(tool.pathAsGiven(URL(filePath: "a:b.hindsight").path) == "a:b.hindsight")
        #expect(tool.pathAsGiven(URL(filePath: "c.hindsight").path) == "./c.hindsight")
    }

    @Test func `info lists what is redacted, if anything is`() {
        let harness = ToolHarness()
        #expect(harness.run(["info", Fixtures.recording("partial").path]) == .fine, "\(harness.errorText)")
        #expect(harness.text.contains("in states: /**/title") && harness.text.contains("in actions: /**/title"))
        let other = ToolHarness()
        #expect(other.run(["info", Fixtures.recording("todo").path]) == .fine, "\(other.errorText)")
        #expect(!other.text.contains("redacted"))
    }
}
