import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight races FILE`
enum RacesCommand: Command {
    private static let usual = 0.01
    static let within = Option<Double>(
        seconds: "within",
        help: "The most time between two actions that might have come in the other order; \(usual) by default."
    )

    static let syntax = Syntax(
        "races",
        abstract: "Finds actions of different threads that lead to another state in the other order",
        discussion: """
            Takes neighbouring actions that different threads dispatched within a short time, and runs each pair in both
            orders on the recorded actions before it, through this build's reducers, in a process of its own. If the states
            differ, the app depends on their order. It also runs the rest of the log, and says whether the end differs.
            An action that was dispatched in answer to the other one, or by the same task, is no pair with it.
            --ignore leaves out places that may differ, such as a log of what happened.
            If an action was not recorded as a value, does not decode today, or is time travel, it looks at the actions
            after the last of these only.
            Exits with 1 if there is such a pair, with 0 if there is none, and with 6 if that is not known: the recording
            does not tell the threads of all actions, the recorded order leads to another state when it runs again, or time
            was over.
            """,
        arguments: [
            SharedArguments.file, within, VerificationArguments.ignore, ExperimentArguments.budget,
            ExperimentArguments.timeout,
        ],
        examples: [
            "races session.hindsight": "Pairs within a hundredth of a second.",
            "races session.hindsight --within 1 --ignore '/log/**'": "Within a second, whatever the log says.",
        ],
        jsonShape: "one object, \(Shape.text(of: RaceAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let limit = try arguments[within] ?? usual
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let material = try ExperimentMaterial(
            of: recording,
            upTo: recording.lastFinished,
            readingChanges: false,
            in: process
        )
        let base = try material.requireBase(of: recording, tool)
        let ignored = try arguments.all(VerificationArguments.ignore)
        let search = try RaceSearch(recording, from: base, material.seqs, within: Int64(limit * 1e9), in: process)
        try search.run(ignoring: ignored)
        let answer = RaceAnswer(
            file: recording.url.relativePath,
            within: limit,
            fixed: material.fixed,
            races: search.races,
            pairs: search.pairs.count,
            tried: search.tried,
            threads: search.threads.count,
            unknown: search.unknown,
            seconds: process.seconds
        )
        tool.print(arguments, json: printable(answer: answer)) {
            RacesReport(recording: recording, tool: tool, within: limit).print(search, answer)
        }
        if let code = search.interruption?.code { return code }
        if !search.races.isEmpty { return .difference }
        return search.tried < search.pairs.count || search.unknown > 0 ? .nothingCompared : .fine
    }
}
