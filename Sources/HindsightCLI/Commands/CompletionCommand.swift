import HindsightTree

/// `hindsight completion bash|zsh|fish`
enum CompletionCommand: Command {
    static let shell = Positional(
        Shell.allCases.map(\.rawValue).joined(separator: "|"),
        help: "The shell in which you call the tool."
    )

    static let syntax = Syntax(
        "completion",
        abstract: "Prints a script that completes commands, options, files, and names in recordings",
        discussion: """
            The script completes commands, options and their values, files, and, of the recording that the line names,
            action types, paths of its last state, notes and reducers. For this it calls this tool, for at most two seconds.
            It lists at most \(Completer.most) words, and leaves out names that a terminal would interpret.

            To use it: put 'source <(hindsight completion bash)' into ~/.bashrc, or 'source <(hindsight completion zsh)'
            into ~/.zshrc after compinit, or save the script as ~/.config/fish/completions/hindsight.fish. A 'make install'
            has put the scripts of all three below PREFIX/share.
            """,
        arguments: [shell.declaration],
        examples: [
            Syntax.Example(arguments: "completion bash", help: "The script for bash."),
            Syntax.Example(
                arguments: "completion fish > ~/.config/fish/completions/hindsight.fish",
                help: "Completes in every new fish."
            ),
        ],
        jsonShape: "one object with shell and script"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let name = try arguments.require(shell)
        guard let shell = Shell(rawValue: name) else {
            let nearest = Suggestion.nearest(to: name, in: Shell.allCases.map(\.rawValue)).map {
                "Did you mean \($0)? "
            }
            throw Failure(
                .usage,
                "There is no completion for \(quote(name)).",
                "\(nearest ?? "")There is one for bash, zsh and fish."
            )
        }
        let script = CompletionScript(tool: tool.name).text(for: shell)
        if arguments[GlobalOptions.json] {
            tool.console.print(printable(["shell": .string(name), "script": .string(script)]))
        } else {
            tool.console.output.write(script)
        }
        return .fine
    }
}
