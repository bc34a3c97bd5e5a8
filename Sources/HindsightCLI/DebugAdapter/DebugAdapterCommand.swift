import Foundation
import HindsightSupport

/// `hindsight dap [FILE] [--source-root DIR]…`
enum DebugAdapterCommand: Command {
    static let file = Positional(
        "FILE",
        required: false,
        help: "The recording, if the client names none; for a directory, the newest one in it."
    )
    static let sourceRoot = Option<String>(
        "source-root",
        value: "DIR",
        expected: "a path",
        repeating: true,
        help: "Look for the sources of the app here; by default, in the working directory."
    ) { $0.isEmpty ? nil : $0 }

    static let syntax = Syntax(
        "dap",
        abstract: "Lets an editor step through a recording in both directions, by the Debug Adapter Protocol",
        discussion: """
            An editor starts it, and speaks the Debug Adapter Protocol with it on standard input and output: VS Code,
            Neovim with nvim-dap, Emacs, and others. Its request launch, or attach, names the recording in program;
            position is where to begin, and sourceRoot a folder of sources.
            The stack is the reducer, its action, and the actions that led to it, each at the line that dispatched it.
            Step over and back move by action, step in by reducer; continue and reverse run to the next or the last
            breakpoint. Data breakpoints watch values of the state, function breakpoints stop at reducers and types of
            actions, and those on lines at the actions that were dispatched there. Conditions and watches are
            expressions as find takes them.
            A changed value of an action runs through this build's reducers, in a separate process, into a branch, as
            whatif does. It is a recording in a temporary folder, which is removed at the end.
            """,
        arguments: [file.declaration, sourceRoot.declaration],
        examples: [
            Syntax.Example(arguments: "dap", help: "Wait for the requests of an editor."),
            Syntax.Example(
                arguments: "dap session.hindsight --source-root ~/MyApp",
                help: "Open this recording if the editor names none."
            ),
        ],
        jsonShape: "none: dap speaks the Debug Adapter Protocol, and refuses --json"
    )

    /// The milliseconds between two looks at a recording that grows, or, if it does not, at signals.
    private static let liveTime: Int32 = 250
    private static let idleTime: Int32 = 1000
    /// The milliseconds between two looks at the client while a child process runs.
    private static let childTime: Int32 = 100

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if arguments[GlobalOptions.json] {
            throw Failure(.usage, "dap speaks the Debug Adapter Protocol, and takes no --json.")
        }
        let adapter = DebugAdapter(
            file: arguments[file],
            sourceRoots: try arguments.all(sourceRoot),
            tool: tool,
            runner: { words, title in
                let result = try watchingClient { try DebugChild.run(words, of: tool, title) }
                guard result.code == .fine || result.code == .difference else { throw result.failure }
                return result.lines
            }
        )
        if tool.isProcess {
            // So that the recordings of branches are removed.
            Interruption.observe()
            Interruption.observeEnding()
        }
        defer { adapter.close() }
        try serve(adapter, tool)
        return .fine
    }

    /// Feeds the adapter until the session ends, or the client has gone.
    private static func serve(_ adapter: DebugAdapter, _ tool: Tool) throws {
        var decoder = MessageDecoder()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !adapter.isEnded, tool.console.output.isOpen, !Interruption.isRequested {
            if hasInput(adapter, tool) {
                guard case .success(let count) = buffer.withUnsafeMutableBytes({ tool.input($0) }), count > 0 else {
                    break
                }
                decoder.append(buffer[..<count])
                while !adapter.isEnded, let item = decoder.next() {
                    adapter.receive(item)
                    send(adapter, tool)
                }
            } else if !adapter.isRunning {
                adapter.refresh()
                adapter.sendEvents()
            }
            adapter.advance()
            send(adapter, tool)
        }
    }

    /// Ends this process, and with it the child that `body` waits for, if the client goes meanwhile.
    private static func watchingClient<Result>(_ body: () throws -> Result) throws -> Result {
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        try BackgroundThread.start {
            while !isOver.withLock({ $0 }) {
                // `poll` reports a pipe whose writer has gone without being asked.
                var request = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
                guard poll(&request, 1, childTime) > 0, request.revents & Int16(POLLHUP | POLLERR) != 0 else {
                    continue
                }
                kill(getpid(), SIGTERM)
                return
            }
        }
        return try body()
    }

    private static func send(_ adapter: DebugAdapter, _ tool: Tool) {
        let messages = adapter.takeOutgoing()
        if messages.isEmpty { return }
        for message in messages { tool.console.output.write(MessageDecoder.encode(message)) }
        tool.console.output.flush()
    }

    /// Whether to read now. While the debugger runs, that does not wait.
    private static func hasInput(_ adapter: DebugAdapter, _ tool: Tool) -> Bool {
        guard tool.isProcess else { return !adapter.isRunning }
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // A signal that ends the wait costs one more round.
        return poll(&request, 1, adapter.isRunning ? 0 : adapter.isLive ? liveTime : idleTime) > 0
    }
}
