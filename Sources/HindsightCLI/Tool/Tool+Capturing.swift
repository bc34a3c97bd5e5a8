/// The bytes that a command printed, kept in memory until it is their turn.
final class CapturedText {
    fileprivate(set) var output: [UInt8] = []
    fileprivate(set) var errors: [UInt8] = []
}

extension Tool {
    /// Runs a command in this process.
    ///
    /// - Returns: Its exit code, what it printed, and the lines of its notes and errors.
    func captured(_ words: [String]) -> (code: ExitCode, output: [UInt8], messages: [String]) {
        let (captured, text) = capturing()
        var messages: [String] = []
        captured.console.relay = { messages += $0 }
        return (captured.run(words), text.output, messages)
    }

    /// A tool of the same style that prints into memory.
    func capturing() -> (tool: Tool, text: CapturedText) {
        let text = CapturedText()
        var terminal = console.terminal
        (terminal.isErrorTerminal, terminal.errorColumns) = (false, nil)
        let captured = Console(
            output: Output(capacity: 1) { bytes in
                text.output += bytes
                return .success(bytes.count)
            },
            errors: Output(capacity: 1) { bytes in
                text.errors += bytes
                return .success(bytes.count)
            },
            terminal: terminal
        )
        captured.choose(console.style.isOn ? .always : .never)
        captured.wraps = console.wraps
        var tool = Tool(name: name, apps: apps, console: captured, input: input)
        (tool.isProcess, tool.outputDescriptor, tool.words) = (isProcess, outputDescriptor, words)
        return (tool, text)
    }
}
