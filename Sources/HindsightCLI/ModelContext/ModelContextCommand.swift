import Foundation
import HindsightSupport

/// `hindsight mcp [FILE…|DIR]`
enum ModelContextCommand: Command {
    static let places = Positional(
        "FILE|DIR",
        required: false,
        repeating: true,
        help: "A recording, or a directory with some; by default the current directory. Nothing else is read."
    )
    static let allowWrites = Flag(
        "allow-writes",
        help: "Offer the tools note, which adds notes to recordings, and scrub, which writes new ones."
    )
    static let old = Option<String>(
        "old",
        value: "TOOL",
        expected: "a path",
        help: "Offer the tool compare: what this build does differently than TOOL, the app's tool of the old code."
    ) { $0.isEmpty ? nil : $0 }
    static let timeLimit = Option<Double>(
        "time-limit",
        value: "SECONDS",
        expected: "a number of seconds from 1 to 3600",
        help: "The time that a call may take; \(Int(usualLimit)) by default."
    ) { text in
        Double(text).flatMap { $0 >= 1 && $0 <= 3600 ? $0 : nil }
    }

    private static let usualLimit = 30.0

    static let syntax = Syntax(
        "mcp",
        abstract: "Serves recordings to agents: a Model Context Protocol server on standard input and output",
        discussion: """
            An agent's client starts it and writes JSON-RPC 2.0 messages to it, one on each line. It has the tools info,
            log, show, state, diff, blame, history, find, search, bisect, stats, part, whatif, cause, shrink, races,
            shake, test, invariants, replay, verify and notes, which answer with a few kilobytes of JSON, and a cursor if there is more. Long values are shortened.
            It reads recordings in the given places only, after resolving symbolic links, and changes none, unless
            --allow-writes adds the tools note and scrub. Large recordings get an index in your cache folder, as blame makes it.
            Redacted values stay redacted. Text from a recording is in members of its own, recorded and fragment, and
            the server tells clients that it is data. messages, too, may quote names from a recording.
            whatif, cause, shrink, races, shake, test, scrub, compare, replay and verify need the app's own tool. Each call runs in a process of its own, at most
            \(ModelContextServer.maxRunning) at once; a client can cancel it, and follow its progress. The server ends
            soon after its input does, and then stops the calls that run.
            """,
        arguments: [places, allowWrites, old, timeLimit],
        examples: [
            "mcp ~/recordings": "Serve all recordings of a directory.",
            "mcp crash.hindsight": "Serve one recording.",
            "mcp --old ./shop-main Fixtures": "Let the agent compare this build with the one before its changes.",
        ],
        jsonShape: "none: mcp speaks JSON-RPC and refuses --json"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if arguments[GlobalOptions.json] {
            throw Failure(.usage, "mcp speaks JSON-RPC on its own, and takes no --json.", "Leave it out.")
        }
        let calls = ModelContextCalls(
            tool,
            try ModelContextPlaces(arguments.all(Self.places)),
            seconds: try arguments[timeLimit] ?? usualLimit,
            allowsWrites: arguments[allowWrites],
            builds: try builds(arguments, of: tool)
        )
        let session = ModelContextSession(calls) { message in
            tool.console.printExactly(message)
            tool.console.output.flush()
        }
        if tool.isProcess { TerminationSignal.observe(unlessIgnored: true) }
        defer { session.close() }
        calls.prepare()
        serve(session, tool)
        return TerminationSignal.code ?? .fine
    }

    private static func builds(_ arguments: Arguments, of tool: Tool) throws -> [String] {
        guard let old = try arguments[old] else { return [] }
        try CompareCommand.checkExecutable(old)
        return [URL(filePath: old).path, try Isolation.executable(of: tool.name).path]
    }

    /// Serves until the input has ended, the client does not read any more, or a signal arrives.
    private static func serve(_ session: ModelContextSession, _ tool: Tool) {
        var lines = ModelContextLines()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isOpen = true
        while tool.console.isOpen, !session.isOver, TerminationSignal.received == nil {
            guard let hasInput = wait(isOpen, session, tool) else { return }
            if hasInput {
                if case .success(let count) = buffer.withUnsafeMutableBytes(tool.input), count > 0 {
                    lines.append(buffer[..<count])
                    while let line = lines.next() { session.receive(line) }
                } else {
                    isOpen = false
                    if let line = lines.end() { session.receive(line) }
                    session.endInput()
                }
            }
            session.advance()
        }
    }

    /// Waits for input, or a moment.
    ///
    /// - Returns: Whether there is input, or its end; `nil` if nothing reads the output.
    private static func wait(_ isOpen: Bool, _ session: ModelContextSession, _ tool: Tool) -> Bool? {
        guard tool.isProcess else { return isOpen }
        // A signal that arrives just before the wait is seen after the time.
        let (input, time): (Int32, Int32) = (isOpen ? STDIN_FILENO : -1, session.isRunning ? 5 : 500)
        return Descriptor.hasInput(input, output: tool.outputDescriptor, milliseconds: time)
    }
}
