import Foundation
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

    @Test func `a closed output does not change the exit code`() {
        let harness = ToolHarness()
        #expect(harness.run("--help", closedOutput: true) == .fine)
        #expect(harness.errorText == "")
    }
}
