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
            was recorded and exits with 1. Where the recorded process ended in an action, that action is run last; if
            its reducer crashes again, the exit code is 5.
            """,
        arguments: [Shared.file.declaration, to.declaration],
        examples: [
            Syntax.Example(arguments: "replay session.hindsight", help: "All of it, a line an action."),
            Syntax.Example(arguments: "replay session.hindsight --to 42", help: "Up to action 42."),
        ],
        jsonShape: """
            a line an action, as log prints it, with changed [path] by this build's reducers;
            then one object as verify prints it; where a reducer crashed, one {file, crash {seq, reducer, name,
            signal, exit (the status, where it called exit), message, again}}, again saying whether the recorded
            process ended in that action too
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(Shared.file))
        let app = try tool.app(of: recording)
        let last = try arguments[to].map { try lastAction($0, recording, tool) } ?? .max
        let verification = try Verification(of: recording, by: app)
        let line = ActionLine(recording: recording, console: tool.console)
        let report = VerificationReport(recording: recording, tool: tool)
        let asJSON = arguments[Common.json]

        var seq = recording.start.seq
        CrashGuard.mark?.begin(recording.url.relativePath)
        while seq < last {
            CrashGuard.mark?.note(seq + 1)
            // What was printed must be out before a reducer can end the process.
            if CrashGuard.mark != nil { tool.console.output.flush() }
            guard let action = try verification.next() else { break }
            seq = action.record.seq
            let changes = ChangedPaths(action.steps?.map(\.patch) ?? [])
            tool.console.print(
                asJSON ? JSONShapes.logLine(action.record, changes) : line.text(of: action.record, changes: changes)
            )
        }
        // Without a process to report it, a crash would only be one more crash.
        let runsFatal =
            CrashGuard.mark != nil && verification.result.equal
            && verification.result.unfinished.map { $0 <= last } ?? false
        if asJSON {
            tool.console.print(printable(report.json(verification.result)))
        } else {
            if verification.result.actions > 0 { tool.console.print() }
            report.print(verification.result, runsFatal: runsFatal)
        }
        if runsFatal, let seq = verification.result.unfinished {
            try reproduceCrash(seq, app, recording, tool)
        }
        return verification.result.equal ? .fine : .difference
    }

    /// Runs the action that the recorded process ended in. Where that happens again, nobody returns from here.
    private static func reproduceCrash(
        _ seq: Int,
        _ app: ReplayableApp,
        _ recording: Recording,
        _ tool: Tool
    ) throws {
        guard let mark = CrashGuard.mark else { return }
        let replayer = try Replayer(app, of: recording, from: recording.end, runningUnfinished: true)
        tool.console.output.flush()
        while let next = replayer.nextSeq {
            mark.note(next)
            _ = try replayer.next()
        }
        tool.console.note("Action \(seq), in which the recorded process ended, ran through this time: no crash.")
    }

    private static func lastAction(_ text: String, _ recording: Recording, _ tool: Tool) throws -> Int {
        let position = try recording.position(text, knownOnly: false)
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
