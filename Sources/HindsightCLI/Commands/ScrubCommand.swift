import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight scrub FILE -o OUT`
enum ScrubCommand: Command {
    static let output = Option<String>(output: "OUT", help: "Where to write the recording without its values. Needed.")
    static let keep = Option<String>(
        "keep",
        value: "PATH",
        expected: "a path such as /stock/**, with * for one name and ** for any number of names",
        repeating: true,
        help: "Let the values at this path of the state, or of an action, stay: '/stock/**', '/AddLine/sku'."
    ) { $0.hasPrefix("/") && NodePath($0) != nil ? $0 : nil }

    static let syntax = Syntax(
        "scrub",
        abstract: "Writes a recording for others: placeholders for its texts, numbers and dates, the same behaviour",
        discussion: """
            Puts placeholders in place of the texts, numbers, dates, bytes and dictionary keys of the first state and of the
            actions, and runs the actions through this build's reducers. A placeholder has the shape of its value: letters for
            letters, digits for digits, the same length. Equal values have equal ones, and different ones different. All dates
            move by the same number of days.
            It proves that the behaviour is the same: each reducer writes the same paths in each action as in the recording, and
            a crash is the same crash. Where that fails, it finds the values on which it depends, and keeps these: a code that a
            reducer compares, a text that must be one of an enum's. It lists them with the reason. Read that list before you
            share the file. 0, 1, -1, truth values, spaces and punctuation, and the names of fields, types and cases always stay.
            Where it can, it keeps the order of numbers and of texts.
            The states in the new file are those to which the reducers lead, so texts of the app's code are in them. Notes, and
            the names of threads and tasks, are left out, and the recording begins with 2001. The app's version, the platform,
            durations, patterns of redaction, and the file and line where an action was dispatched stay.
            Exits with 1 if time was over, and with 4 if this build's reducers do not do what was recorded. Then it writes nothing.
            """,
        arguments: [
            SharedArguments.file, output, SharedArguments.force, keep, ExperimentArguments.budget,
            ExperimentArguments.timeout,
        ],
        examples: [
            "scrub crashed.hindsight -o public.hindsight": "A recording for a bug report.",
            "scrub crashed.hindsight -o public.hindsight --keep '/stock/**'": "The stock is no secret.",
        ],
        jsonShape: "one object, \(Shape.text(of: ScrubAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        guard let output = try arguments[output] else {
            throw UsageError(syntax.name, .missingArguments(["-o OUT"]))
        }
        if recording.ending == .open(live: true) {
            throw Failure(
                .usage,
                "\(tool.shown(recording)) is still being recorded.",
                "Close the app, or scrub a copy: export FILE -o COPY.jsonl."
            )
        }
        try OutputFile.checkFolder(of: output)
        try NewFile.check(output, overwrite: arguments[SharedArguments.force], from: recording.url.path)
        let material = ScrubMaterial(
            file: recording.url.relativePath,
            keep: try arguments.all(keep),
            seed: UInt64.random(in: 0...UInt64.max)
        )
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let scrubbing = Scrubbing(recording, material, in: process)
        try scrubbing.run()
        if let code = TerminationSignal.code {
            tool.console.note("Stopped: nothing was written.")
            return code
        }
        if scrubbing.search.untried > 0 {
            let all = Quantities.grouped(scrubbing.values.count)
            throw Failure(
                .difference,
                "Time was over before it was known of \(Quantities.grouped(scrubbing.search.untried)) of \(all) values whether"
                    + " they must stay. Nothing was written.",
                "--budget SECONDS gives it more."
            )
        }
        let task = ScrubbedRecordingTask(
            material: material,
            active: scrubbing.search.active,
            output: URL(filePath: output).path,
            overwrite: arguments[SharedArguments.force]
        )
        do {
            guard try tool.answer(to: task, "Writing", isStopped: { TerminationSignal.received != nil }) else {
                throw Failure(
                    .doesNotFit,
                    "\(tool.shown(recording)): the reducers do something else in each run, so nothing can be proved.",
                    "'\(tool.name) shake \(tool.quoted(recording))' says on what they depend. Nothing was written."
                )
            }
        } catch  where TerminationSignal.received != nil {
            tool.console.note("Stopped: nothing was written.")
            return TerminationSignal.code ?? .signal(SIGINT)
        }
        let answer = try answer(scrubbing, recording, output, tool, process.seconds)
        tool.print(arguments, json: printable(answer: answer)) { ScrubReport(tool: tool).print(answer) }
        return .fine
    }

    private static func answer(
        _ scrubbing: Scrubbing,
        _ recording: Recording,
        _ output: String,
        _ tool: Tool,
        _ seconds: Double
    ) throws -> ScrubAnswer {
        let reducers = tool.reducers(replaying: recording)
        let search = scrubbing.search
        var kept: [ScrubAnswer.Kept] = []
        for (index, value) in scrubbing.values.enumerated() where !search.active[index] {
            let mismatch = search.reasons[index]
            let reason: ScrubAnswer.Reason =
                switch mismatch?.kind {
                case nil: .shape
                case .type: .type
                case .reducer: .reducer
                case .crash: .crash
                case .survival: .survival
                }
            let isUntried = search.untriedAlone.contains(index)
            let reducer = mismatch.flatMap { reducers.name(ofReducer: $0.reducer) }
            let like = kept.firstIndex {
                $0.path == value.place.path && $0.inAction == value.place.isInAction && $0.reason == reason
                    && $0.reducer == reducer && $0.untriedAlone == isUntried
            }
            if let like {
                kept[like].values.append(value.node)
            } else {
                kept.append(
                    ScrubAnswer.Kept(
                        path: value.place.path,
                        inAction: value.place.isInAction,
                        reason: reason,
                        reducer: reducer,
                        seq: reason == .type ? nil : mismatch?.seq,
                        untriedAlone: isUntried,
                        values: [value.node]
                    )
                )
            }
        }
        return ScrubAnswer(
            file: recording.url.relativePath,
            output: output,
            actions: max(0, recording.lastFinished - recording.start.seq),
            replaced: search.active.count { $0 },
            kept: kept,
            keptByPath: scrubbing.keptCount,
            notes: try recording.notes().count,
            origins: try origins(of: recording),
            crashes: scrubbing.reference != nil,
            runs: search.runs,
            seconds: seconds
        )
    }

    /// The files in which the actions were dispatched.
    private static func origins(of recording: Recording) throws -> [String] {
        var files: Set<String> = []
        try recording.forEachAction(after: recording.start.seq) { action in
            if let origin = action.origin, let colon = origin.lastIndex(of: ":") {
                files.insert(String(origin[..<colon]))
            }
        }
        return files.sorted()
    }
}
