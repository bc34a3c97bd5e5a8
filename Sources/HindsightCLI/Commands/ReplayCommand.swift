import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight replay FILE`
enum ReplayCommand: Command {
    static let to = Option<String>("to", value: "P", help: "The last action to run; all by default.")

    static let syntax = Syntax(
        "replay",
        abstract: "Runs this build's reducers over the recorded actions, and compares their changes",
        discussion: """
            Only reducers run: no middleware, no effects. It stops at the first reducer whose changes differ from the
            recorded ones, and exits with 1. It also runs the actions whose states were lost with the process; there is
            nothing to compare them with. If the recorded process ended in an action, it runs that action last; if the
            reducer crashes again, the exit code is 5.
            Reducers run in a separate process. If one ends it, the tool names the reducer, shows the app's calls that
            Swift's backtracer finds, and exits with 5. After 2 seconds in one action, the tool names that action;
            --timeout ends the replay with exit code 5. The time of each action counts separately. If signal N
            stops the replay, the exit code is 128 + N.
            """,
        arguments: [SharedArguments.file, to, SharedArguments.timeout],
        examples: [
            "replay session.hindsight": "All of it, a line an action.",
            "replay session.hindsight --to 42": "Up to action 42.",
        ],
        jsonShape: """
            a line an action, as log prints it, with changed [path] by this build's reducers;
            then one object as verify prints it; if a reducer crashed, one {file, crash {seq, reducer, name,
            phase (decoding, reducing, encoding, retrying with other placeholders for redacted values), signal, exit
            (the status, if it called exit), timeout (seconds), message, frames [{function, file, line}], again}}:
            frames are the app's calls, innermost first; again says whether the recorded process ended in that action too
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let app = try tool.app(of: recording)
        let last = try arguments[to].map { try lastAction($0, recording, tool) } ?? .max
        Isolation.replies?.beginFile(recording.url.relativePath)
        let verification = try Verification(of: recording, by: app)
        verification.watch = Isolation.watch
        let line = ActionLine(of: recording, style: tool.console.style, width: tool.console.terminal.width)
        let report = VerificationReport(recording: recording, tool: tool, last: last)
        let asJSON = arguments[GlobalOptions.json]

        func say(_ action: ReplayedAction) throws {
            // No reducer ran for a gap or a time travel: it changed what was recorded.
            let changes =
                action.recorded.replayable == nil
                ? ChangedPaths(try recording.steps(of: action.recorded.seq).compactMap(\.patch))
                : ChangedPaths(action.steps?.map(\.patch) ?? [])
            tool.console.print(
                asJSON
                    ? printable(answer: LogLine(ActionFacts(action.recorded), LogFacts(changed: changes.paths)))
                    : line.text(of: action.recorded, changes: changes)
            )
        }

        var seq = recording.start.seq
        while seq < last {
            prepare(tool)
            guard let action = try verification.next() else { break }
            seq = action.recorded.seq
            try say(action)
        }
        // Without a separate process, a crash would end the tool.
        let runsFatal =
            Isolation.replies != nil && verification.result.matches && !verification.result.unfinishedIsGap
            && verification.result.unfinished.map { $0 <= last } ?? false
        let runsRest = verification.result.matches && verification.result.unknown.map { $0.lowerBound <= last } ?? false
        let rest =
            runsRest || runsFatal
            ? try Replayer(of: recording, by: app, from: recording.end, runningUnfinished: runsFatal) : nil
        rest?.watch = Isolation.watch
        while let next = rest?.nextSeq, next <= min(last, recording.lastFinished) {
            prepare(tool)
            if let action = try rest?.next() { try say(action) }
            seq = next
        }
        try tool.print(arguments, json: printable(report.json(verification.result))) {
            if seq > recording.start.seq { tool.console.print() }
            report.print(verification.result, ranUnknown: runsRest, runsFatal: runsFatal)
        }
        if runsFatal, let fatal = rest?.nextSeq {
            prepare(tool)
            _ = try rest?.next()
            tool.console.note("Action \(fatal), in which the recorded process ended, ran through this time: no crash.")
        }
        Isolation.replies?.endFile()
        return verification.result.matches ? .fine : .difference
    }

    /// Flushes the output before a reducer can end the process.
    private static func prepare(_ tool: Tool) {
        if Isolation.replies != nil { tool.console.output.flush() }
    }

    private static func lastAction(_ text: String, _ recording: Recording, _ tool: Tool) throws -> Int {
        let position = try recording.position(text, knownOnly: false)
        let jump = ShellQuoting.command(tool.name, "jump", tool.quoted(recording), "\(position)", "--replayed")
        try position.requireWhole("--to", "replay runs", remedy: ", or \(jump) for the state there")
        return position.seq
    }
}
