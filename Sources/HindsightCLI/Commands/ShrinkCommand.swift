import Foundation
import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight shrink FILE --until crash|diverge|EXPR`
enum ShrinkCommand: Command {
    static let until = Option<String>(
        "until",
        value: "WHAT",
        help: "What the actions must still do: crash, diverge, or make an expression true, such as '/cart/total < 0'."
    )
    static let output = Option<String>(output: "OUT", help: "Write what is left as a recording.")
    static let test = Option<String>(
        "test",
        text: "T.swift",
        help: "Write what is left as a Swift test, as the command test does."
    )
    static let force = Flag("force", help: "Replace OUT and T.swift if they exist.")

    static let syntax = Syntax(
        "shrink",
        abstract: "Finds a short list of actions that still crashes, diverges, or makes an expression true",
        discussion: """
            Runs ever shorter lists of the recorded actions through this build's reducers, in processes of their own, and
            keeps a list if it still does it. Then it makes payloads simpler: numbers nearer to 0, texts and lists
            shorter, fields left out, if the action still decodes. At the end it has tried to leave out each single
            action, so all that are left are needed if the reducers are pure. Without --until, it is crash.
            crash is the crash of the whole list: the same reducer, at the same place, with the same message but for
            numbers. Another crash does not count.
            diverge is the first difference from the recording that verify finds. A reducer that depends on its state and
            action alone needs that one action, on the recorded state before it. If it needs more, it keeps something
            elsewhere, and the answer says from which action on.
            EXPR is an expression as in find, over the state after the last action, the state before it by old and changed,
            and the action's type and payload. The list ends where it is first true in the recording.
            Lists begin on the first recorded state; if an action was not recorded as a value, does not decode today, or is
            time travel, on the recorded state after the last of these. Payloads stay as they are with diverge.
            Exits with 0 if it has found a list, also if time was over before it was minimal, and with 1 if the recorded
            actions, or at last those that are left, do not do it again in a new process. All actions run twice before
            --budget counts, and what is left runs once more. Ctrl-C ends it with the shortest list so far.
            """,
        arguments: [
            SharedArguments.file, until, ExperimentArguments.budget, ExperimentArguments.timeout, output, test,
            TestCommand.constant, force,
        ],
        examples: [
            "shrink crashed.hindsight": "The actions that it takes to crash.",
            "shrink crashed.hindsight -o small.hindsight": "The same as a recording, for a test or a report.",
            "shrink crashed.hindsight --test Tests/ShopTests/CrashTests.swift": "The same as a Swift test.",
            "shrink session.hindsight --until '/cart/total < 0'": "What it takes for the total to become negative.",
            "shrink session.hindsight --until diverge -o small.hindsight":
                "The action in which this build does something else.",
        ],
        jsonShape: "one object, \(Shape.text(of: ShrinkAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.check(TestCommand.constant, needs: test)
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let goal = try arguments[until] ?? "crash"
        let output = try arguments[output]
        if goal != "crash", goal != "diverge", goal.allSatisfy(\.isLetter) {
            let problem = "is neither crash nor diverge, and no condition such as '/cart/total < 0'."
            throw Failure(
                .usage,
                lines: ["--until \(quote(goal)) \(problem)"]
                    + Suggestion.question(goal.lowercased(), in: ["crash", "diverge"])
            )
        }
        if let output {
            if recording.ending == .open(live: true) {
                throw Failure(
                    .badFile,
                    "\(tool.shown(recording)) is being recorded, so no recording can be made from it.",
                    "Leave -o out, or wait until it has ended."
                )
            }
            try tool.requireRecovered(recording, or: "leave -o out")
            try OutputFile.checkFolder(of: output)
            try NewFile.check(output, overwrite: arguments[force], from: recording.url.path)
        }
        if let test = try arguments[test] {
            if let output, FileSystem.place(of: output) == FileSystem.place(of: test) {
                throw Failure(.usage, "-o and --test name the same file, \(escape(test)).", "Give two names.")
            }
            try TestCommand.check(test, overwrite: arguments[force], for: recording, arguments[TestCommand.constant])
        }
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        var report = ShrinkReport(recording: recording, tool: tool, goal: goal)
        report.timeout = try arguments[ExperimentArguments.timeout]
        var answer = try goal == "diverge" ? shrinkDivergence(in: process, &report) : shrink(in: process, &report)
        answer.seconds = process.seconds
        do {
            // The search may have taken long, so what it found is printed even if a file cannot be written.
            defer {
                if arguments[GlobalOptions.json] { tool.console.print(answer: answer) } else { report.print(answer) }
            }
            if let output {
                try write(answer, report, to: output, overwrite: arguments[force])
                answer.output = output
            }
            let list = goal == "diverge" ? answer.actions.map { LogShrinker.Entry(seq: $0.seq) } : report.list
            if let path = try arguments[test], !list.isEmpty {
                let file = try TestCommand.makeFile(
                    of: list,
                    from: report.base,
                    crashes: report.crash != nil,
                    of: recording,
                    title: "shrunk to \(list.count)",
                    comment: "What `shrink --until \(goal)` has left of \(recording.url.lastPathComponent).",
                    try arguments[TestCommand.constant],
                    tool
                )
                try OutputFile.write(file.text, to: path, overwrite: arguments[force])
                answer.test = path
            }
        }
        if let code = report.interruption?.code { return code }
        return report.isConfirmed || report.interruption != nil ? .fine : .difference
    }

    /// The actions that may be left out, and what to try first.
    private static func shrink(in process: ExperimentProcess, _ report: inout ShrinkReport) throws -> ShrinkAnswer {
        let (recording, tool, goal) = (report.recording, report.tool, report.goal)
        let last = goal == "crash" ? recording.actionCount : try firstTruth(of: goal, in: recording, tool)
        let material = try ExperimentMaterial(
            of: recording,
            upTo: last,
            readingChanges: true,
            isBounded: false,
            in: process
        )
        if goal == "crash", case .crashed(let seq, _) = recording.ending, let fixed = material.fixed, fixed.seq == seq {
            let problem = "The process ended in an action that cannot run, so no list has it: \(fixed.text)."
            throw Failure(.doesNotFit, problem)
        }
        let base = try material.requireBase(of: recording, tool)
        guard recording.actionCount > 0 else {
            throw Failure(.nothingCompared, "\(tool.shown(recording)) has no actions.")
        }
        guard !material.seqs.isEmpty else {
            throw Failure(
                .difference,
                "\(tool.shown(recording)) has no actions that could be left out before \(Quantities.grouped(last))."
            )
        }
        let shrinking = Shrinking(
            recording,
            until: goal == "crash" ? nil : goal,
            from: base,
            material.seqs,
            groups: material.groups,
            in: process
        )
        report.interruption = try shrinking.run()
        let isConfirmed = try report.interruption == nil && shrinking.confirm()
        if let signal = TerminationSignal.received { report.interruption = .signal(signal) }
        report.isConfirmed = isConfirmed
        report.isStateRecorded = shrinking.isStateRecorded
        report.list = shrinking.shrinker.best
        report.crashedReducer = shrinking.reference?.point.reducer
        report.base = base
        let actions = try shrinking.shrinker.best.map { entry in
            let action = try recording.action(entry.seq)
            let payload = try entry.payload.map { try Node(json: $0) }
            return ShrinkAnswer.Action(
                seq: entry.seq,
                type: action.type,
                payload: payload ?? action.payload,
                recorded: payload == nil ? nil : action.payload
            )
        }
        if let site = shrinking.confirmed ?? shrinking.reference, let last = shrinking.shrinker.best.last {
            report.crash = CrashReport(
                recording: recording,
                reducers: tool.reducers(replaying: recording),
                point: ReplayPoint(seq: last.seq, reducer: site.point.reducer, phase: site.point.phase),
                ending: site.ending,
                message: site.message,
                backtrace: shrinking.backtrace
            )
        }
        let isMinimal = isConfirmed && report.interruption == nil && shrinking.unsteadyPath == nil
        return ShrinkAnswer(
            file: recording.url.relativePath,
            until: goal,
            from: "\(base)",
            fixed: material.fixed,
            of: material.seqs.count,
            actions: actions,
            minimal: isMinimal,
            unsteady: shrinking.unsteadyPath,
            attempts: shrinking.runs,
            otherCrashes: shrinking.otherCrashes,
            seconds: 0,
            crash: report.crash?.crash
        )
    }

    /// The first action after which an expression is true.
    private static func firstTruth(of text: String, in recording: Recording, _ tool: Tool) throws -> Int {
        let expression = try RecordingExpression(text)
        let unknown = try StateExpression(expression, hiding: recording).unknownColumns
        if let column = unknown.first {
            throw Failure(
                .usage,
                "--until cannot use \(column): an attempt has states, and the type and payload of its last action.",
                "Use paths of the state, old(…), changed(…), type and payload."
            )
        }
        var search = ExpressionSearch(try ExpressionScan(of: recording, where: expression, by: .action))
        search.stopsEarly = true
        try search.run()
        guard let found = search.found.first else {
            try tool.note(expression.unknownNames(in: recording), in: recording)
            let none = "The expression is true after no action of \(tool.shown(recording))"
            guard search.unknownCount > 0 else {
                throw Failure(
                    .usage,
                    none + ".",
                    "\(tool.name) find \(tool.quoted(recording)) EXPR says where expressions are true."
                )
            }
            let count = Quantities.counted(search.unknownCount, "position")
            let hint = tool.computingHint(for: recording).trimmingCharacters(in: .whitespaces)
            throw Failure(
                .usage,
                lines: ["\(none) whose state is known. It is not known at \(count)."] + [hint].filter { !$0.isEmpty }
            )
        }
        guard found.first.seq > recording.start.seq else {
            throw Failure(.usage, "The expression is true at the start already, so no action is needed for it.")
        }
        return found.first.seq
    }

    private static func shrinkDivergence(
        in process: ExperimentProcess,
        _ report: inout ShrinkReport
    ) throws -> ShrinkAnswer {
        let (recording, tool) = (report.recording, report.tool)
        let task = DivergenceShrinkTask(file: recording.url.relativePath)
        var answer: DivergenceShrinkTask.Found??
        let crash = try process.run(task, isBounded: true) { (found: DivergenceShrinkTask.Found?) in answer = found }
        if let crash {
            throw Failure(
                .crash,
                "\(tool.shown(recording)): this build's reducers end the process in action \(crash.site.point.seq), before"
                    + " they diverge.",
                "--until crash finds what that takes."
            )
        }
        guard let answer else {
            try TerminationSignal.check { _ in "Stopped." }
            throw Failure(
                .nothingCompared,
                "Time was over before a divergence was found: --budget SECONDS gives it more."
            )
        }
        guard let found = answer else {
            throw Failure(
                .difference,
                "\(tool.shown(recording)) does not diverge: this build's reducers do what was recorded"
                    + (recording.end.seq < recording.lastFinished
                        ? ", as far as states were recorded: up to action \(recording.end.seq)." : ".")
            )
        }
        report.isConfirmed = true
        report.base = Recording.Position(seq: found.actions.lowerBound - 1)
        let actions = try found.actions.map { seq in
            let action = try recording.action(seq)
            return ShrinkAnswer.Action(seq: seq, type: action.type, payload: action.payload)
        }
        return ShrinkAnswer(
            file: recording.url.relativePath,
            until: "diverge",
            from: "\(found.actions.lowerBound - 1)",
            of: found.divergence.seq - recording.start.seq,
            actions: actions,
            minimal: found.actions.count == 1 && !found.isUnsteady,
            unsteady: found.isUnsteady ? found.divergence.path : nil,
            attempts: found.attempts,
            otherCrashes: 0,
            seconds: 0,
            divergence: found.divergence
        )
    }

    private static func write(
        _ answer: ShrinkAnswer,
        _ report: ShrinkReport,
        to output: String,
        overwrite: Bool
    ) throws {
        let recording = report.recording
        if let divergence = answer.divergence, let first = answer.actions.first {
            let (from, to) = (Recording.Position(seq: first.seq - 1), Recording.Position(seq: divergence.seq))
            try recording.cut(from: from, to: to, into: URL(filePath: output), overwrite: overwrite)
            return
        }
        let task = ShrunkenRecordingTask(
            file: recording.url.relativePath,
            base: report.base,
            list: report.list,
            crash: report.crashedReducer,
            output: URL(filePath: output).path,
            overwrite: overwrite,
            rule: "shrink --until \(answer.until)"
        )
        _ = try report.tool.answer(to: task, "Writing") { false }
    }
}
