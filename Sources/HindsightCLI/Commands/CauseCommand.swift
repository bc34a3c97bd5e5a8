import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight cause FILE PATH`
enum CauseCommand: Command {
    static let path = Positional("PATH", help: "The place: /cart/total. One place, without * and **.")
    static let syntax = Syntax(
        "cause",
        abstract: "Finds the actions without which a place would have another value, by leaving each of them out",
        discussion: """
            blame names the action that wrote a value. cause names those that it depends on: it runs the actions again
            without each single one of them, through this build's reducers, in processes of their own, and looks at what is
            at PATH then. Actions that changed the place come first, then all others, from the last one back.
            Causes are sorted by the difference that they make, the greatest first: the distance between two numbers, or
            else how many values differ. Then come actions without which nothing would be there, and those without which
            the reducers crash.
            If two actions do the same, leaving out one has no effect. So the last \(CauseSearch.maxPaired) of those that changed
            the place and have no effect alone are also left out together with each other one, up to \(CauseSearch.maxPairs)
            pairs.
            Actions that middleware dispatched in answer stay. The actions run on the first recorded state; if one was not
            recorded as a value, does not decode today, or is time travel, on the recorded state after the last of these.
            The position is the last action that finished, if --at names none. A state that was lost is computed.
            The whole list runs several times first, in two processes: if the value differs then, a reducer depends on more
            than state and action, and nothing can be learnt from leaving actions out.
            Exits with 0, with 2 if nothing is at PATH, and with 6 if a second run leads to another value. Ctrl-C ends it
            with what was found so far. So does a signal that stops one of its processes twice at the same actions; after
            the first time, another process tries them.
            """,
        arguments: [
            SharedArguments.file, path, PlaceArguments.at, ExperimentArguments.budget, ExperimentArguments.timeout,
        ],
        examples: [
            "cause session.hindsight /cart/total": "Which actions made the total what it is.",
            "cause session.hindsight /items/0/done --at 42": "Which had made it so when action 42 was done.",
        ],
        jsonShape: "one object, \(Shape.text(of: CauseAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let path = try PlaceArguments.path(path, arguments) ?? NodePath()
        // The reducers compute states that were lost.
        let last = Recording.Position(seq: recording.lastFinished)
        let given = try arguments[PlaceArguments.at].map { try recording.position($0, knownOnly: false) } ?? last
        let position = try recording.wholePosition(given)
        let remedy = ", or --at \(position.seq - 1) for the state before it"
        try position.requireWhole("--at", "cause leaves out", remedy: remedy)
        if PlacePattern(path).isOpen {
            throw Failure(
                .usage,
                "\(escape(path.description)) stands for many places.",
                "Give one place: cause tells of one value."
            )
        }
        let state = recording.absence(at: position) == nil ? try recording.state(at: position) : nil
        if let state, state[path] == nil {
            let index = try tool.index(of: recording, arguments)
            throw try tool.absent(path, in: state, at: position, of: recording, by: index)
        }
        if state != nil, !recording.redaction.states.isEmpty, let blame = try recording.blame(path, at: position),
            blame.places.count == 1, blame.places[0].isRedacted
        {
            throw Failure(
                .usage,
                "\(escape(path.description)) is redacted: the recording has a placeholder in its place."
            )
        }
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let material = try ExperimentMaterial(
            of: recording,
            upTo: position.seq,
            readingChanges: true,
            writersOf: path,
            in: process
        )
        let base = try material.requireBase(of: recording, tool)
        let search = CauseSearch(recording, path, from: base, material.seqs, in: process)
        if !material.seqs.isEmpty { try search.run(writers: material.writers) }
        let fixed = material.fixed
        let report = CauseReport(recording: recording, tool: tool, path: path, position: position, fixed: fixed)
        let (count, seconds) = (material.seqs.count, process.seconds)
        let answer = report.answer(search, recorded: state?[path], of: count, seconds: seconds)
        tool.print(arguments, json: printable(answer: answer)) {
            report.print(
                answer,
                search,
                canSkip: canReadAll(after: position.seq, of: recording, from: base, in: process)
            )
        }
        return (search.interruption ?? process.interruption)?.code ?? .fine
    }

    /// Whether each action after the one at the position decodes, as far as there is time: `whatif` runs them, too.
    private static func canReadAll(
        after last: Int,
        of recording: Recording,
        from base: Recording.Position,
        in process: ExperimentProcess
    ) -> Bool {
        guard last < recording.actionCount, process.interruption == nil else { return true }
        let seqs = Array(last + 1...recording.actionCount)
        var canRead = false
        let task = DecodingTask(file: recording.url.relativePath, base: base, seqs: seqs)
        do {
            _ = try process.run(task, isBounded: true) { (found: FixedAction?) in canRead = found == nil }
        } catch {
            // The process cannot read them for another reason.
            return false
        }
        return canRead || process.interruption != nil
    }
}
