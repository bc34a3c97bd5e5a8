import HindsightRecording
import HindsightReplay
import HindsightTree

/// `hindsight replay FILE`
enum ReplayCommand: Command {
    static let to = Option<String>("to", value: "P", help: "The last action to run; without it, all are.")

    static let syntax = Syntax(
        "replay",
        abstract: "Runs this build's reducers over the recorded actions and says whether they do the same",
        discussion: """
            Only reducers run: no middleware, no effects. It stops at the first reducer that does something else than
            was recorded and exits with 1.
            """,
        arguments: [Shared.file.declaration, to.declaration],
        examples: [
            Syntax.Example(arguments: "replay session.hindsight", help: "All of it, a line an action."),
            Syntax.Example(arguments: "replay session.hindsight --to 42", help: "Up to action 42."),
        ],
        jsonShape: """
            a line an action, as log prints it, with changed [path] by this build's reducers;
            then one object as verify prints it
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(Shared.file))
        let app = try tool.app(of: recording)
        let last = try arguments[to].map { try lastAction($0, recording, tool) } ?? .max
        let verification = try Verification(of: recording, by: app)
        let line = ActionLine(recording: recording, console: tool.console)
        let report = VerificationReport(recording: recording, tool: tool)
        let asJSON = arguments[Common.json]

        var seq = recording.start.seq
        while seq < last, let action = try verification.next() {
            seq = action.record.seq
            let changes = ChangedPaths(action.steps?.map(\.patch) ?? [])
            tool.console.print(
                asJSON ? JSONShapes.logLine(action.record, changes) : line.text(of: action.record, changes: changes)
            )
        }
        if asJSON {
            tool.console.print(printable(report.json(verification.result)))
        } else {
            if verification.result.actions > 0 { tool.console.print() }
            report.print(verification.result)
        }
        return verification.result.equal ? .fine : .difference
    }

    private static func lastAction(_ text: String, _ recording: Recording, _ tool: Tool) throws -> Int {
        let position = try recording.position(text)
        guard position.reducer == nil else {
            throw Failure(
                .usage,
                "--to \(position) lies within an action, and replay runs whole ones.",
                "Say --to \(position.seq), or '\(tool.name) jump FILE \(position) --replayed' for the state there."
            )
        }
        return position.seq
    }
}
