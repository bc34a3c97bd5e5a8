import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight shake FILE…`
enum ShakeCommand: Command {
    static let files = Positional("FILE", repeating: true, help: "Recordings, or directories of them.")

    static let syntax = Syntax(
        "shake",
        abstract: "Finds reducers that depend on more than state and action: the clock, the locale, the order of a set",
        discussion: """
            Runs the recorded actions through this build's reducers once with a clock that stands at each action's time, fixed
            random numbers and hash seeds, in UTC and the locale C. Then it runs them in other processes, each with one
            condition changed, and compares what each reducer changes. Where a reducer does something else, the run goes on
            from the state of the first one, so each finding stands for itself. \
            The conditions are \(ShakeCondition.allCases.map(\.name).joined(separator: ", ")).
            The action in which the recorded process ended comes last: it should end each run, or none.
            If an action does not decode today, all runs go on from the recorded state after it.
            A reducer that asks for the time, a random number or a file gets another answer while it runs; the rest of the
            tool gets the true one. This needs Linux with glibc; elsewhere the answer lists what was not tried.
            Only what the recorded actions reach can be found, and only in code that runs on the thread of the reducer.
            Exits with 1 if a reducer depends on a condition, with 0 if none does, with 6 if no action could run or time
            was over, and with 5 if the reducers end the process, or take too long, in another action with nothing changed.
            """,
        arguments: [files, ExperimentArguments.budget, ExperimentArguments.timeout],
        examples: [
            "shake session.hindsight": "What the reducers read besides state and action.",
            "shake Fixtures/*.hindsight --json": "One object for each file.",
        ],
        jsonShape: "one object a file, \(Shape.text(of: ShakeAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        var worst = ExitCode.fine
        for file in try arguments.all(files).flatMap({ try Tool.recordings(at: $0) }) {
            do {
                worst = max(worst, try shake(file, arguments, tool))
            } catch {
                // The other files are shaken, too.
                let code = tool.report(tool.failure(for: error))
                if code.rawValue > 128 { return code }
                worst = max(worst, code)
            }
            if let code = TerminationSignal.code { return code }
        }
        return worst
    }

    private static func shake(_ file: String, _ arguments: Arguments, _ tool: Tool) throws -> ExitCode {
        let recording = try tool.open(file)
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let search = ShakeSearch(recording, in: process)
        try search.run()
        let reducers = tool.reducers(replaying: recording)
        let answer = try answer(search, recording, reducers, process.seconds)
        tool.print(arguments, json: printable(answer: answer)) {
            ShakeReport(recording: recording, reducers: reducers, tool: tool).print(search, answer)
        }
        if !search.findings.isEmpty || !search.crashes.isEmpty { return .difference }
        return search.isComplete ? .fine : .nothingCompared
    }

    private static func answer(
        _ search: ShakeSearch,
        _ recording: Recording,
        _ reducers: [String],
        _ seconds: Double
    ) throws -> ShakeAnswer {
        let findings = try search.findings.map { finding in
            let first = finding.first
            return ShakeAnswer.Finding(
                reducer: reducers.name(ofReducer: first.reducer) ?? "\(first.reducer)",
                path: first.pattern,
                seq: first.seq,
                type: try recording.action(first.seq).type,
                expected: first.expected,
                actual: first.actual,
                steps: finding.count,
                conditions: finding.conditions.map(\.name),
                confirmed: finding.isConfirmed
            )
        }
        let crashes = search.crashes.map { crash in
            guard let site = crash.site else {
                return ShakeAnswer.Crash(condition: crash.condition.name, survives: crash.isSurvival)
            }
            let report = CrashReport(
                recording: recording,
                reducers: reducers,
                point: site.point,
                ending: site.ending,
                message: site.message,
                backtrace: nil
            )
            return ShakeAnswer.Crash(condition: crash.condition.name, crash: report.crash, survives: false)
        }
        let conditions = ShakeCondition.allCases.map { condition in
            let isOpen = !search.tried.contains(condition)
            let open =
                switch search.interruption {
                case .signal, .stopped: "it was stopped"
                case .budget: "time was over"
                case nil: "no action could run"
                }
            let why = condition.obstacle ?? (isOpen ? open : condition.limit)
            return ShakeAnswer.Condition(name: condition.name, change: condition.change, untried: why)
        }
        let comesBack: Bool? =
            switch search.lastAction {
            case .notRun: nil
            case .survived: false
            case .crashed: true
            }
        return ShakeAnswer(
            file: recording.url.relativePath,
            actions: search.actions,
            fixed: search.fixed,
            comesBack: comesBack,
            findings: findings,
            crashes: crashes,
            conditions: conditions,
            cut: search.isCut,
            seconds: seconds
        )
    }
}
