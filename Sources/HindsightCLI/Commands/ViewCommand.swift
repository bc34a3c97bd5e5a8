import Foundation
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree
import HindsightView

/// `hindsight view FILE`
enum ViewCommand: Command {
    static let output = Option<String>(
        output: "OUT|-",
        expected: "a file, or -",
        help: "The page; - is standard output. By default it is in this folder, and has the name of FILE with .html."
    )
    static let from = Option<String>("from", value: "P", help: "The position with whose state the page begins.")
    static let to = Option<String>("to", value: "P", help: "The last position of the page.")
    static let path = Option<NodePath>(
        "path",
        value: "/PATH",
        expected: "a path such as /items/0/title, with ~1 for a slash and ~0 for a tilde in a name",
        help: "The only place of the states that the page has: /cart or /items/0/title."
    ) { NodePath($0) }
    static let open = Flag("open", help: "Open the page in your browser.")
    static let force = Flag("force", help: "Replace the page if it exists.")
    static let live = Flag("live", help: "Serve the page on this machine, and follow a recording that is being made.")

    static let syntax = Syntax(
        "view",
        abstract: "Makes a page that shows a whole recording in a browser",
        discussion: """
            The page is one file of HTML. Browsers open it from disk, without a network and without this tool, so you can
            send it with a report. It shows the actions, the state at each position, what changed, and how long it took.
            It has what the recording has, redacted as the recording is, and only its owner can read it.
            With --from, the page begins with the state at that position; with --to, it ends there. If a position is within
            an action, the page has all of that action. Numbers stay those of FILE. With --path, the page has all actions,
            but of the states only that place. If the recorded process ended in a reducer, and this tool has the app's
            reducers, the page also has the steps before it, which the tool computes, marked with ≈. A page has at most
            1,000,000 actions and 400 MB of text; the error for a larger recording names a part.
            If FILE is being recorded, the page has what was recorded so far.
            With --live, nothing is written: the page is served on 127.0.0.1 at an address that has a random part, follows
            the recording, and continues with the next run; if FILE is a directory, in the next file there. It only reads,
            and the recorded app never waits for it. Ctrl-C ends it. It needs a build with the package trait Live.
            OUT appears once it is complete. A killed run may leave a file .NAME.XXXXXXXX.part beside it, which the next
            one removes.
            """,
        arguments: [SharedArguments.file, output, from, to, path, open, force, live],
        examples: [
            "view session.hindsight --open": "Makes session.html, and opens it.",
            "view crashed.hindsight --from -5s -o crash.html": "The last five seconds before a crash.",
            "view session.hindsight --path /cart -o cart.html": "Only the cart, and what changed it.",
            "view --live --open runs/": "The running app.",
        ],
        jsonShape: """
            one object with file, output, from (the position of the first state), to (the last action), actions (their
            count), path, bytes (of the page); with --live, with file and address
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let isOpened = arguments[open]
        let chosen = try arguments[output]
        if isOpened, chosen == "-" {
            throw Failure(.usage, "--open needs a file, and -o - writes none.", "Leave out one of them.")
        }
        if arguments[GlobalOptions.json], chosen == "-" {
            throw Failure(.usage, "--json describes the file, and -o - writes none.", "Leave out one of them.")
        }
        if arguments[live] { return try serve(arguments, in: tool) }
        let path = try place(arguments)
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let ends = try recording.positions(from: arguments[from], to: arguments[to], knownOnly: false)
        try checkMet(path, in: recording, tool)
        var page = try RecordingPage(of: recording, from: ends.first, to: ends.last, path: path)
        page.command = tool.name
        page.tool = "\(tool.name) \(Tool.version)"
        page.computedSteps = try stepsBeforeCrash(in: page, of: recording, tool)
        // By default, the name of the file with another suffix, in the current folder.
        let output = chosen ?? recording.url.deletingPathExtension().lastPathComponent + ".html"
        do {
            guard output != "-" else {
                try tool.console.write(page.write)
                return .fine
            }
            if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
            try page.write(to: URL(filePath: output), overwrite: arguments[force])
        } catch let error as PageError {
            throw tooLarge(error, recording, tool)
        }
        let (first, last) = (page.range.lowerBound, page.range.upperBound)
        let bytes = Int(FileSystem.size(of: output))
        if arguments[GlobalOptions.json] {
            tool.console.print(json: [
                "file": .string(recording.url.relativePath), "output": .string(output), "from": .int(first),
                "to": .int(last), "actions": .int(last - first),
                "path": path.isRoot ? .null : .string(path.description), "bytes": .int(bytes),
            ])
        } else {
            let actions = Quantities.counted(last - first, "action")
            let advice = isOpened ? "" : " Open it in a browser."
            tool.console.print("Wrote \(actions) to \(escape(output)) (\(Quantities.bytes(bytes))).\(advice)")
        }
        if isOpened { Browser.open(output, tool) }
        return .fine
    }

    /// What the reducers did before the process ended in an action that the page has; empty if that is not known.
    private static func stepsBeforeCrash(
        in page: RecordingPage,
        of recording: Recording,
        _ tool: Tool
    ) throws -> [RecordedStep] {
        // The steps change the state before them, which the page has only if it was recorded.
        guard let seq = page.crashedAction, recording.end.seq == seq - 1 else { return [] }
        do {
            return try StateReader(of: recording, tool).stepsBeforeCrash().steps?.steps ?? []
        } catch let error as TreeError {
            // The app's states may have another form than the recorded ones.
            tool.console.note("The page has no steps of action \(seq): they do not fit the recorded state. \(error)")
            return []
        }
    }

    /// The only place that the page has; the root for everything.
    private static func place(_ arguments: Arguments) throws -> NodePath {
        guard let path = try arguments[path] else { return NodePath() }
        guard !PlacePattern(path).isOpen else {
            throw Failure(
                .usage,
                "--path \(escape(path.description)) has a wildcard, and a page has one place of the states.",
                "Name the place around it, such as \(escape(around(path)))."
            )
        }
        return path
    }

    /// Throws if nothing is ever at a place, so that a mistyped path does not make an empty page.
    private static func checkMet(_ path: NodePath, in recording: Recording, _ tool: Tool) throws {
        guard !path.isRoot, recording.hasStates else { return }
        let state = try recording.state(at: recording.end)
        if state[path] != nil { return }
        let index = try ChangeIndex(of: recording, cache: nil)
        let history = try recording.history(of: path, limit: 1, by: index)
        guard history.changes.isEmpty, history.first == nil, history.unknown.isEmpty else { return }
        throw try tool.absent(path, in: state, at: recording.end, of: recording, by: index)
    }

    private static func around(_ path: NodePath) -> String {
        let names = path.components.prefix { $0 != "*" && $0 != "**" }
        return names.isEmpty ? "/cart, or leave --path out" : NodePath(Array(names)).description
    }

    private static func tooLarge(_ error: PageError, _ recording: Recording, _ tool: Tool) -> Failure {
        let part = "--from \(error.suggestion.lowerBound) --to \(error.suggestion.upperBound)"
        return Failure(
            .usage,
            "\(tool.shown(recording)) is too large for a page: \(error.reason).",
            "Choose a part: \(tool.name) view \(tool.quoted(recording)) \(part)",
            "--path reduces the states to one place."
        )
    }
}
