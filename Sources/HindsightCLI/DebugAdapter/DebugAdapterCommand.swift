import Foundation
import HindsightSupport

/// `hindsight dap [FILE] [--source-root DIR]…`, `hindsight dap --install vscode [--into DIR]`
enum DebugAdapterCommand: Command {
    static let file = Positional(
        "FILE",
        required: false,
        help: "The recording, if the client names none; for a directory, the newest one in it."
    )
    static let sourceRoot = Option<String>(
        "source-root",
        text: "DIR",
        repeating: true,
        help: "Look for the sources of the app here; by default, in the working directory."
    )
    static let install = Option<String>(
        "install",
        value: "vscode",
        expected: "vscode",
        help: "Write an extension of this editor that starts the tool, instead of serving one."
    ) { $0 == "vscode" ? $0 : nil }
    static let into = Option<String>(
        "into",
        text: "DIR",
        help: "With --install, the folder of extensions; ~/.vscode/extensions is the default."
    )

    static let syntax = Syntax(
        "dap",
        abstract: "Lets an editor step through a recording in both directions, by the Debug Adapter Protocol",
        discussion: """
            An editor starts it, and speaks the Debug Adapter Protocol with it on standard input and output. For VS
            Code, --install writes an extension; the article "Debugging in an editor" has the configurations for Neovim,
            Emacs, Helix, Zed and Vim. The request launch, or attach, names the recording in program; position is where
            to begin, and sourceRoot a folder of sources.
            The stack is the reducer, its action, and the actions that led to it, each at the line that dispatched it.
            Step over and back move by action, step in by reducer; continue and reverse run to the next or the last
            breakpoint. Data breakpoints watch values of the state, function breakpoints stop at reducers and types of
            actions, and those on lines at the actions that were dispatched there. Conditions and watches are
            expressions as find takes them. A breakpoint may stop at some of its hits only (5, >= 5, % 5), and a
            logpoint prints a message with expressions in braces.
            A changed value of an action runs through this build's reducers, in a separate process, into a branch, as
            whatif does. It is a recording in a temporary folder, which is removed at the end. In the console, checkout
            0 goes back to the recording, and goto P moves.
            """,
        arguments: [file, sourceRoot, install, into],
        examples: [
            "dap": "Wait for the requests of an editor.",
            "dap session.hindsight --source-root ~/MyApp": "Open this recording if the editor names none.",
            "dap --install vscode": "Make the tool a debugger of VS Code.",
        ],
        jsonShape: """
            with --install, one object with extension (its folder) and type (of launch configurations); otherwise dap
            speaks the Debug Adapter Protocol, and refuses --json
            """
    )

    /// The milliseconds between two looks at a recording that grows, or, if it does not, at signals.
    private static let liveTime: Int32 = 250
    private static let idleTime: Int32 = 1000
    /// The time between two looks at the client while a part of a run is done.
    private static let lookTime = Duration.milliseconds(20)

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if try arguments[install] != nil { return try writeExtension(arguments, tool) }
        try arguments.check(into, needs: install)
        if arguments[GlobalOptions.json] {
            throw Failure(.usage, "dap speaks the Debug Adapter Protocol, and takes no --json.")
        }
        let adapter = DebugAdapter(
            file: arguments[file],
            sourceRoots: try arguments.all(sourceRoot),
            tool: tool,
            isStopped: { TerminationSignal.received != nil || Descriptor.hasLostPeer(STDIN_FILENO) }
        )
        if tool.isProcess {
            // So that the recordings of branches are removed.
            TerminationSignal.observeEndingReads([SIGINT, SIGTERM, SIGHUP])
        }
        defer { adapter.close() }
        serve(adapter, tool)
        return TerminationSignal.code ?? .fine
    }

    /// `--install vscode`
    private static func writeExtension(_ arguments: Arguments, _ tool: Tool) throws -> ExitCode {
        guard try arguments[file] == nil && arguments.all(sourceRoot).isEmpty else {
            throw Failure(
                .usage,
                "--install takes no recording and no --source-root.",
                "Write them into the launch configuration, as program and sourceRoot."
            )
        }
        let program = tool.isProcess ? Bundle.main.executablePath : nil
        let editor = EditorExtension(tool: tool.name, program: program ?? tool.name)
        let folder = try arguments[into].map { URL(filePath: $0) }
        let url = try editor.write(
            into: folder ?? URL(filePath: NSHomeDirectory()).appending(path: ".vscode/extensions")
        )
        if arguments[GlobalOptions.json] {
            tool.console.print(printable(["extension": .string(url.path), "type": .string(editor.type)]))
        } else {
            tool.console.print("Wrote the extension \(escape(url.path)).")
            tool.console.print("Restart VS Code, and add a launch configuration of the type \(editor.type).")
        }
        return .fine
    }

    /// Feeds the adapter until the session ends, or the client has gone.
    private static func serve(_ adapter: DebugAdapter, _ tool: Tool) {
        var input = AdapterInput(tool.input)
        var nextLook = ContinuousClock.now
        while !adapter.isEnded, tool.console.output.isOpen, !input.isAtEnd, TerminationSignal.received == nil {
            if input.isEmpty, hasInput(adapter, tool) {
                input.read()
            } else if input.isEmpty, !adapter.isRunning {
                adapter.refresh()
                adapter.sendEvents()
            }
            while !adapter.isEnded, let item = input.next() {
                adapter.receive(item)
                send(adapter, tool)
            }
            // An expression can be slow, so a request to stop is looked for while one part of the run is done.
            adapter.advance {
                guard tool.isProcess, ContinuousClock.now >= nextLook else { return false }
                nextLook = ContinuousClock.now + lookTime
                if TerminationSignal.received != nil || Descriptor.hasLostPeer(tool.outputDescriptor) { return true }
                if hasInput(adapter, tool) { input.read() }
                return input.asksToStop
            }
            send(adapter, tool)
        }
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
        // A signal that ends the wait costs one more round.
        let time = adapter.isRunning ? 0 : adapter.isLive ? liveTime : idleTime
        return Descriptor.hasInput(STDIN_FILENO, milliseconds: time) == true
    }
}

/// The messages of a client: those that were read, and not answered yet.
private struct AdapterInput {
    /// Whether the client has gone, or cannot be read any more. What it sent before may still be there.
    private(set) var isAtEnd = false
    private let source: LineReader.Source
    private var decoder = MessageDecoder()
    private var items: [MessageDecoder.Item] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(_ source: @escaping LineReader.Source) { self.source = source }

    /// Reads what is there, or waits for it.
    mutating func read() {
        guard !isAtEnd, case .success(let count) = buffer.withUnsafeMutableBytes(source), count > 0 else {
            isAtEnd = true
            return
        }
        decoder.append(buffer[..<count])
        while let item = decoder.next() { items.append(item) }
    }

    var isEmpty: Bool { items.isEmpty }

    /// Takes the next message.
    mutating func next() -> MessageDecoder.Item? { items.isEmpty ? nil : items.removeFirst() }

    /// Whether the client has gone, or a message that waits is to stop a run.
    var asksToStop: Bool {
        isAtEnd
            || items.contains { item in
                guard case .message(let message) = item, let command = message["command"]?.stringValue else {
                    return false
                }
                return ["pause", "disconnect", "terminate"].contains(command)
                    || command == "cancel" && message["arguments"]?["progressId"] != nil
            }
    }
}
