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
    static let allowWrites = Flag("allow-writes", help: "Offer the tool note, which adds notes to recordings.")
    static let timeLimit = Option<Double>(
        "time-limit",
        value: "SECONDS",
        expected: "a number of seconds from 1 to 3600",
        help: "The time that history, find, bisect, whatif and verify may take; \(Int(usualLimit)) by default."
    ) { text in
        Double(text).flatMap { $0 >= 1 && $0 <= 3600 ? $0 : nil }
    }

    private static let usualLimit = 30.0

    static let syntax = Syntax(
        "mcp",
        abstract: "Serves recordings to agents: a Model Context Protocol server on standard input and output",
        discussion: """
            An agent's client starts it and writes JSON-RPC 2.0 messages to it, one on each line. It has the tools info,
            log, show, state, diff, blame, history, find, bisect, whatif, verify and notes, which answer with a few
            kilobytes of JSON, and a cursor if there is more.
            It reads recordings in the given places only, after resolving symbolic links, and changes none, unless
            --allow-writes adds the tool note. Large recordings get an index in your cache folder, as blame makes it.
            Redacted values stay redacted. Text from a recording is in members of its own, recorded and fragment, and
            the server tells clients that it is data. messages, too, may quote names from a recording.
            whatif and verify need the app's own tool. They, history, find and bisect run in processes of their own. The
            server ends when its input does.
            """,
        arguments: [places.declaration, allowWrites.declaration, timeLimit.declaration],
        examples: [
            Syntax.Example(arguments: "mcp ~/recordings", help: "Serve all recordings of a directory."),
            Syntax.Example(arguments: "mcp crash.hindsight", help: "Serve one recording."),
        ],
        jsonShape: "none: mcp speaks JSON-RPC and refuses --json"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if arguments[GlobalOptions.json] {
            throw Failure(.usage, "mcp speaks JSON-RPC on its own, and takes no --json.", "Leave it out.")
        }
        let places = try ModelContextPlaces(arguments.all(Self.places))
        var tool = tool
        let summaries = SummaryCache()
        tool.summaries = summaries
        // A client mostly begins with info.
        let recordings = places.recordings()
        if tool.isProcess, recordings.count == 1 { summaries.prepare(recordings[0]) }
        let calls = ModelContextCalls(
            tool,
            places,
            seconds: try arguments[timeLimit] ?? usualLimit,
            allowsWrites: arguments[allowWrites]
        )
        let server = ModelContextServer(calls)
        if tool.isProcess { TerminationSignal.observe(unlessIgnored: true) }
        let lines = ModelContextLines(
            tool.isProcess
                ? Descriptor.source(STDIN_FILENO, output: tool.outputDescriptor) { TerminationSignal.received != nil }
                : tool.input
        )
        do {
            while tool.console.isOpen, let line = lines.next() {
                guard let answer = try server.answer(to: line) else { continue }
                tool.console.printExactly(answer)
                tool.console.output.flush()
            }
        } catch is ModelContextChild.ClientGone {
            // No client reads a message about it.
        }
        if let signal = TerminationSignal.received { return ExitCode(rawValue: 128 + signal) }
        return .fine
    }
}
