import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight jump FILE P`
enum JumpCommand: Command {
    static let position = Positional("P", help: SharedArguments.positionHelp)
    static let raw = Flag("raw", help: "Print the bytes of a string or of data, and nothing else.")
    static let replayed = Flag("replayed", help: "Compute the state from the start instead of reading it.")

    static let syntax = Syntax(
        "jump",
        abstract: "Prints the state at a position",
        discussion: """
            If that state was not recorded, as after a kill or within the action in which a reducer crashed, and this tool
            has the app's reducers, it computes the state in a separate process, and says so on the error stream. It
            stops with exit code 5 if a reducer runs longer than \(Int(StateComputation.maxStepSeconds)) seconds; --timeout applies to
            --replayed only.
            After a crash in reducer 3 of action 42, the input of that reducer is at 42.2.
            """,
        isPaged: true,
        arguments: [
            SharedArguments.file, position, SharedArguments.path, raw, replayed, SharedArguments.timeout,
            SharedArguments.recordedOnly,
        ],
        examples: [
            "jump session.hindsight end": "The last state.",
            "jump session.hindsight 42.2 --path /items/0": "One item within action 42.",
            "jump notes.hindsight 50% --path /text --raw > half.txt": "A text as it was in the middle.",
        ],
        jsonShape: """
            the state itself, on one line; or the part at --path; with * in it, an object {path: part}. A note on the error
            stream says if the state was computed
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { arguments[replayed] }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.checkAtMostOne(of: raw, GlobalOptions.json)
        try arguments.checkAtMostOne(of: replayed, SharedArguments.recordedOnly)
        try arguments.check(SharedArguments.timeout, needs: replayed)
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let text = try arguments.require(position)
        let path = try arguments[SharedArguments.path]
        let state: Node
        if arguments[replayed] {
            let position = try recording.position(text, knownOnly: false)
            Isolation.replies?.beginFile(recording.url.relativePath)
            let replayer = try Replayer(of: recording, by: try tool.app(of: recording))
            replayer.watch = Isolation.watch
            try replayer.move(to: position)
            state = try replayer.state()
        } else {
            let reader = StateReader(of: recording, tool, computingNothing: SharedArguments.refusal(arguments))
            state = try reader.notedState(at: try reader.position(text), given: text)
        }
        let part = try tool.part(of: state, at: path, text)
        if arguments[raw] {
            try printRaw(part, path, tool)
        } else if arguments[GlobalOptions.json] {
            tool.console.print(json: part)
        } else {
            tool.console.printExactly(escapeLines(part.plainJSON()))
        }
        return .fine
    }

    private static func printRaw(_ node: Node, _ path: NodePath?, _ tool: Tool) throws {
        let place = path.map { escape($0.description) } ?? "the whole state"
        let bytes: [UInt8]
        switch node {
        case .string(let text): bytes = Array(text.utf8)
        case .data(let data): bytes = data
        default:
            throw Failure(
                .usage,
                "--raw prints a string or data, and \(place) is \(kind(of: node)).",
                "Choose a string with --path, or leave --raw out to print JSON."
            )
        }
        // A terminal would interpret control characters; a file or a program may receive them.
        if tool.console.terminal.isOutputTerminal, hasControls(bytes) {
            throw Failure(
                .usage,
                "\(place) has control characters, which a terminal would interpret.",
                "Send it to a file or a program (… --raw > FILE), or leave --raw out to see it escaped."
            )
        }
        tool.console.output.write(bytes: bytes)
    }

    /// Whether bytes are no text, or a text with control characters other than tabs and line feeds.
    private static func hasControls(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self)?.filter({ $0 != "\t" }) else { return true }
        return escapeLines(text) != text
    }

    private static func kind(of node: Node) -> String {
        switch node {
        case .null: "null"
        case .bool: "a truth value"
        case .int, .number: "a number"
        case .string: "a string"
        case .data: "data"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
