import Foundation
import Samples
import Testing

@testable import HindsightCLI

/// Runs a tool whose input and output are in memory.
private final class Bench {
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []

    func run(_ line: String, terminal: Terminal = Terminal(), closedOutput: Bool = false) -> ExitCode {
        let console = Console(
            output: Output { bytes in
                if closedOutput { return .failure(POSIXError(.EPIPE)) }
                self.output += bytes
                return .success(bytes.count)
            },
            errors: Output(capacity: 1) { bytes in
                self.errors += bytes
                return .success(bytes.count)
            },
            terminal: terminal
        )
        let tool = Tool(name: "tool", apps: SampleApps.all, console: console, input: { _ in .success(0) })
        return tool.run(line.split(separator: " ").map(String.init))
    }

    var text: String { String(decoding: output, as: UTF8.self) }
    var complaint: String { String(decoding: errors, as: UTF8.self) }
}

@Suite struct ToolTests {
    @Test(arguments: Tool.commands.map { $0.syntax.name })
    func `help is a command, too`(command: String) {
        let (one, other) = (Bench(), Bench())
        #expect(one.run("help \(command)") == .fine)
        #expect(other.run("\(command) -h") == .fine)
        #expect(one.text == other.text)
        #expect(one.text.contains("Usage: tool \(command)"))
    }

    @Test func `no line of help is wider than a screen`() {
        for command in Tool.commands {
            for line in HelpText(tool: "hindsight").help(for: command.syntax).split(separator: "\n") {
                #expect(String(line).columns <= 120, "\(line)")
            }
        }
    }

    @Test func `the version is told`() {
        let bench = Bench()
        #expect(bench.run("--version") == .fine)
        #expect(bench.text == "tool \(Tool.version)\n")
    }

    @Test func `errors go to the error stream, in colour on a terminal`() {
        let bench = Bench()
        #expect(bench.run("jmup", terminal: Terminal(isOutputTerminal: true, isErrorTerminal: true)) == .usage)
        #expect(bench.text == "")
        #expect(
            bench.complaint == """
                \u{1B}[1;31merror:\u{1B}[0m There is no command "jmup".
                  Did you mean jump?
                  See 'tool --help'.

                """
        )
    }

    @Test func `an answer that nobody reads is still an exit code`() {
        let bench = Bench()
        #expect(bench.run("--help", closedOutput: true) == .fine)
        #expect(bench.complaint == "")
    }
}
