import Foundation
import HindsightDebugger
import HindsightSupport

/// `hindsight debug FILE [-x SCRIPT]`
enum DebugCommand: Command {
    static let script = Option<String>(
        "execute",
        short: "x",
        text: "SCRIPT",
        help: "Run the commands of this file, one on each line, without prompts, and end."
    )
    static let goto = Option<String>("goto", value: "P", help: "Begin at this position.")

    static let syntax = Syntax(
        "debug",
        abstract: "Steps through a recording in both directions, with breakpoints, watches and what-if branches",
        discussion: """
            It reads commands at a prompt, which shows the position: 412/980 cart.totals 3/7 42% is after the third of
            seven reducers of action 412. It begins at the start, or, if the app crashed, at the crash. step and back move
            by action, stepi and backi by reducer; continue and rcontinue run until a breakpoint or a watch hits; print,
            diff, why, history, list and where show what is there. help lists all commands, and help COMMAND shows one.
            Short forms work, and so do the first letters. Enter repeats a step or a run. Tab completes commands, paths,
            names and types of actions. Ctrl-C stops what runs, and Ctrl-D ends the debugger.
            If the app crashed, the steps of that action until the crash are computed by this build's reducers, in a
            separate process, and marked with ≈.
            skip, edit, insert and dispatch plan changes of actions, and run runs them through this build's reducers, in
            a separate process, into a branch: a recording of its own in a temporary folder, which is removed at the end
            unless you name a file. This is what reducers alone would do: no middleware runs.
            If its input is no terminal, or with -x, it runs the commands and prints the same answers, without prompts.
            Empty lines and those that begin with # do nothing, and the exit code is that of the first command that
            failed. A prompt first runs the commands of ~/.config/hindsight/debug-init, or of the same file in
            $XDG_CONFIG_HOME. If the recording is being recorded, its end moves on.
            Lines are edited by libedit if the system has it (libedit2 on Debian; part of macOS), with a history in
            ~/.local/state/hindsight, on macOS in ~/Library/Application Support/hindsight. HINDSIGHT_EDITING=no turns it
            off.
            """,
        arguments: [SharedArguments.file, script, goto, ExpressionArguments.rules],
        examples: [
            "debug session.hindsight": "Open a prompt.",
            "debug session.hindsight -x steps.txt": "Run the commands of a file, for example of a bug report.",
            "debug session.hindsight --goto 412.3": "Begin after a reducer.",
        ],
        jsonShape: "none: debug is for people and refuses --json. show, diff, find, history and whatif have it"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if arguments[GlobalOptions.json] {
            throw Failure(
                .usage,
                "debug prints text for people, and takes no --json.",
                "show, diff, blame, history, find and whatif print JSON."
            )
        }
        let script = try arguments[script]
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let session = DebugSession(on: recording, tool)
        session.debugger.rules = try ExpressionArguments.rules(arguments)
        defer { session.branchFiles.remove(tool.console) }
        if let begin = try arguments[goto] { try session.debugger.go(to: session.position(begin), by: tool) }
        if let script {
            let file: Descriptor
            do throws(SystemError) {
                file = try Descriptor(reading: script)
            } catch {
                throw Failure(.badFile, "\(escape(script)) cannot be read: \(error).")
            }
            if tool.isProcess { TerminationSignal.observeEndingReads([SIGINT, SIGTERM, SIGHUP]) }
            return try session.run(PlainLines(LineReader(source: source(file.number, tool)), prompting: nil))
        }
        guard tool.isProcess else { return try session.run(PlainLines(LineReader(source: tool.input), prompting: nil)) }
        let input = LineReader(source: source(STDIN_FILENO, tool))
        guard tool.console.terminal.isOutputTerminal, isatty(STDIN_FILENO) == 1 else {
            TerminationSignal.observeEndingReads([SIGINT, SIGTERM, SIGHUP])
            return try session.run(PlainLines(input, prompting: nil))
        }
        Interruption.observe()
        TerminationSignal.observeEndingReads()
        let edited = EditedLines(output: tool.outputDescriptor, history: EditedLines.usualHistory) { before, word in
            session.completions(of: word, after: before)
        }
        return try session.run(edited ?? PlainLines(input, prompting: tool.console), isInteractive: true)
    }

    /// Commands that also end with a signal, or with the reader of the output.
    private static func source(_ number: Int32, _ tool: Tool) -> LineReader.Source {
        Descriptor.source(number, output: tool.outputDescriptor) { TerminationSignal.received != nil }
    }
}
