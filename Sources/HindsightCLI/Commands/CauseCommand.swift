import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight cause FILE PATH`
enum CauseCommand: Command {
    static let path = Positional("PATH", help: "The place: /cart/total. One place, without * and **.")
    static let budget = Option<Double>(
        "budget",
        value: "SECONDS",
        expected: ShrinkCommand.budget.expected,
        help: "Stop after this time with what was found so far; \(Int(ShrinkCommand.usualBudget)) by default."
    ) { ShrinkCommand.seconds($0) }

    static let syntax = Syntax(
        "cause",
        abstract: "Finds the actions without which a place would have another value, by leaving each of them out",
        discussion: """
            blame names the action that wrote a value. cause names those that it depends on: it runs the actions again
            without each single one of them, through this build's reducers, in a process of its own, and looks at what is
            at PATH then. Actions that changed the place come first, then all others, from the last one back.
            The greatest difference is the first cause: of numbers their distance, else how many values differ. Then come
            actions without which nothing would be there, and those without which the reducers crash.
            If two actions do the same, leaving out one has no effect; of the actions that changed the place and have no
            effect alone, up to \(CauseSearch.maxPaired) are also left out two by two.
            Actions that middleware dispatched in answer stay. The actions run on the first recorded state; if one was not
            recorded as a value, or the app travelled in time, on the recorded state after the last of these.
            Exits with 0, and with 2 if nothing is at PATH. Ctrl-C ends it with what was found so far.
            """,
        isPaged: false,
        arguments: [SharedArguments.file, path, PlaceArguments.at, budget, ShrinkCommand.timeout],
        examples: [
            "cause session.hindsight /cart/total": "Which actions made the total what it is.",
            "cause session.hindsight /items/0/done --at 42": "Which had made it so when action 42 was done.",
        ],
        jsonShape: "one object, \(Shape.text(of: CauseAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        guard let path = try PlaceArguments.path(path, arguments) else {
            throw UsageError(syntax.name, .missingArguments([path.declaration.name]))
        }
        guard tool.isProcess else {
            throw Failure(
                .usage,
                "cause runs reducers in other processes, which a program that is not the tool cannot."
            )
        }
        _ = try tool.app(of: recording)
        let position = try PlaceArguments.position(arguments, in: recording, tool)
        guard position.reducer == nil else {
            throw Failure(
                .usage,
                "--at \(position) lies within an action, and cause leaves out whole ones.",
                "Use --at \(position.seq), or --at \(position.seq - 1) for the state before it."
            )
        }
        let state = try recording.state(at: position)
        guard state[path] != nil else {
            let index = try ChangeIndex(of: recording, cache: ChangeIndex.defaultCache)
            throw PlacePattern(path).isOpen
                ? Failure(
                    .usage,
                    "\(escape(path.description)) stands for many places.",
                    "Give one place: cause tells of one value."
                )
                : try tool.absent(path, in: state, at: position, of: recording, by: index)
        }
        if !recording.redaction.states.isEmpty, let blame = try recording.blame(path, at: position),
            blame.places.count == 1, blame.places[0].isRedacted
        {
            throw Failure(
                .usage,
                "\(escape(path.description)) is redacted: the recording has a placeholder in its place."
            )
        }
        let material = try ExperimentMaterial(of: recording, upTo: position.seq, changing: path)
        guard let base = material.base else {
            throw Failure(
                .doesNotFit,
                "\(tool.shown(recording)) has no recorded state before its last actions on which they could run."
            )
        }
        let start = ContinuousClock.now
        let search = CauseSearch(
            recording,
            path,
            from: base,
            material.seqs,
            in: try ExperimentProcess(
                recording,
                actionLimit: arguments[ShrinkCommand.timeout] ?? StateComputation.maxStepSeconds,
                budget: arguments[budget] ?? ShrinkCommand.usualBudget,
                tool
            ),
            tool
        )
        if !material.seqs.isEmpty { try search.run(writers: material.writers) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let report = CauseReport(recording: recording, tool: tool, path: path, position: position, base: base)
        let answer = try report.answer(search, recorded: state[path], of: material.seqs.count, seconds: seconds)
        if arguments[GlobalOptions.json] {
            tool.console.print(answer: answer)
        } else {
            report.print(answer, search)
        }
        if case .signal(let signal) = search.interruption { return ExitCode(rawValue: 128 + signal) }
        return .fine
    }
}
