import HindsightRecorder

/// The name, the apps and the streams of the tool, for the commands.
struct Tool {
    let name: String
    let apps: [ReplayableApp]
    let console: Console
    /// The bytes that `-` reads.
    let input: LineReader.Source
    /// Whether the tool is the whole process, not a part of another program, such as a test.
    var isProcess = false
    /// The descriptor of the output; -1 if it is not a file.
    var outputDescriptor: Int32 = -1
    /// The pager for long output; `nil` if the output is no terminal, or the user wants none.
    var pager: Pager?
    /// The arguments that it was called with.
    var words: [String] = []

    /// Prints a failure on the error stream.
    func report(_ failure: Failure) -> ExitCode {
        if let relay = console.relay {
            relay(failure.lines)
            return failure.code
        }
        let label = Style(isOn: console.terminal.isErrorTerminal && console.style.isOn).bad("error:")
        let lines = [label + " " + (failure.lines.first ?? "")] + failure.lines.dropFirst().map { "  " + $0 }
        console.note(lines.joined(separator: "\n"))
        return failure.code
    }

    /// Prints an answer: a line of JSON with `--json`, and else text.
    func print(_ arguments: Arguments, json: @autoclosure () throws -> String, text: () throws -> Void) rethrows {
        if arguments[GlobalOptions.json] { console.print(try json()) } else { try text() }
    }
}
