import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight scrub FILE -o OUT`
enum ScrubCommand: Command {
    static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT",
        expected: "a path",
        help: "Where to write the recording without its values. Needed."
    ) { $0.isEmpty ? nil : $0 }
    static let keep = Option<String>(
        "keep",
        value: "PATH",
        expected: "a path such as /stock/**, with * for one name and ** for any number of names",
        repeating: true,
        help: "Let the values at this path of the state, or of an action, stay: '/stock/**', '/AddLine/sku'."
    ) { $0.hasPrefix("/") && NodePath($0) != nil ? $0 : nil }
    static let force = Flag("force", help: "Replace OUT if it exists.")

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
            share the file. 0, 1, -1, truth values, and the names of fields, types and cases always stay.
            The states in the new file are those to which the reducers lead, so texts of the app's code are in them. Notes, and
            the names of threads and tasks, are left out, and the recording begins with 2001. Where an action was dispatched
            stays, as file and line.
            Exits with 1 if values were kept because time was over, and with 4 if this build's reducers do not do what was
            recorded.
            """,
        arguments: [
            SharedArguments.file, output, force, keep, ExperimentArguments.budget, ExperimentArguments.timeout,
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
        if recording.ending == .open(live: true) { throw RecordingError(.live, file: recording.url.path) }
        try NewFile.check(output, overwrite: arguments[force], from: recording.url.path)
        let start = ContinuousClock.now
        let material = ScrubMaterial(
            file: recording.url.relativePath,
            keep: try arguments.all(keep),
            seed: UInt64.random(in: 0...UInt64.max)
        )
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let scrubbing = Scrubbing(recording, material, in: process, tool)
        try scrubbing.run()
        if let signal = TerminationSignal.received {
            tool.console.note("Stopped: nothing was written.")
            return ExitCode(rawValue: 128 + signal)
        }
        let task = ScrubbedRecordingTask(
            material: material,
            active: scrubbing.search.active,
            output: URL(filePath: output).path,
            overwrite: arguments[force]
        )
        guard try tool.answer(to: task, "Writing", isStopped: { false }) else {
            try? FileManager.default.removeItem(atPath: output)
            throw Failure(
                .doesNotFit,
                "\(tool.shown(recording)): the reducers do something else in each run, so nothing can be proved.",
                "'\(tool.name) shake \(tool.quoted(recording))' says on what they depend."
            )
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let answer = try answer(scrubbing, recording, output, tool, (seconds * 1000).rounded() / 1000)
        if arguments[GlobalOptions.json] {
            tool.console.print(answer: answer)
        } else {
            ScrubReport(recording: recording, tool: tool).print(answer)
        }
        return scrubbing.search.untried.isEmpty ? .fine : .difference
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
        let untried = search.untried
        var kept: [ScrubAnswer.Kept] = []
        for (index, value) in scrubbing.values.enumerated() where !search.active[index] {
            let mismatch = untried.contains(index) ? nil : search.reasons[index]
            let reason: ScrubAnswer.Reason =
                switch mismatch?.kind {
                case nil: .untried
                case .type: .type
                case .reducer: .reducer
                case .crash: .crash
                case .survival: .survival
                }
            let reducer = mismatch.flatMap { found in
                reducers.indices.contains(found.reducer - 1) ? reducers[found.reducer - 1] : nil
            }
            let node = try Node(json: value.json)
            let like = kept.firstIndex {
                $0.path == value.place.path && $0.inAction == value.place.isInAction && $0.reason == reason
                    && $0.reducer == reducer
            }
            if let like {
                let group = kept[like]
                kept[like] = ScrubAnswer.Kept(
                    path: group.path,
                    inAction: group.inAction,
                    reason: reason,
                    reducer: reducer,
                    seq: group.seq,
                    values: group.values + [node]
                )
            } else {
                kept.append(
                    ScrubAnswer.Kept(
                        path: value.place.path,
                        inAction: value.place.isInAction,
                        reason: reason,
                        reducer: reducer,
                        seq: reason == .type ? nil : mismatch?.seq,
                        values: [node]
                    )
                )
            }
        }
        return ScrubAnswer(
            file: recording.url.relativePath,
            output: output,
            actions: max(0, recording.actionCount - recording.start.seq),
            replaced: search.active.count { $0 },
            kept: kept,
            keptByPath: !scrubbing.material.keep.isEmpty,
            notes: try recording.notes().count,
            crashes: scrubbing.reference != nil,
            runs: search.runs,
            seconds: seconds
        )
    }
}

/// Tries placeholders in child processes, one after another.
final class Scrubbing {
    let material: ScrubMaterial
    private let recording: Recording
    private let process: ExperimentProcess
    private let tool: Tool

    private(set) var values: [ScrubTask.Value] = []
    private(set) var search = ScrubSearch([])
    /// The recorded crash, as this build reproduces it.
    private(set) var reference: CrashSite?

    init(_ recording: Recording, _ material: ScrubMaterial, in process: ExperimentProcess, _ tool: Tool) {
        (self.recording, self.material, self.process, self.tool) = (recording, material, process, tool)
    }

    /// - Throws: ``Failure`` if the recorded actions do not do what was recorded, or no process can be started.
    func run() throws {
        TerminationSignal.observe(unlessIgnored: true)
        defer { tool.console.clearProgress() }
        try prepare()
        // Values of one place often go together, or not at all.
        let order = values.indices.sorted { (values[$0].place.path, $0) < (values[$1].place.path, $1) }
        search = ScrubSearch(order)
        while search.candidate != nil, process.interruption == nil {
            let task = ScrubTask(material: material, search: search, crashes: reference != nil)
            let crash = try process.run(task, isBounded: true) { (reply: ScrubTask.Reply) in
                switch reply {
                case .accepted: search.accept()
                case .rejected(let mismatch): search.reject(mismatch)
                case .prepared: break
                }
                showProgress()
            }
            guard let site = crash?.site else { continue }
            if let reference, site.isSame(as: reference), site.point.seq == reference.point.seq {
                search.accept()
            } else {
                let (point, isFatal) = (site.point, site.point.seq > recording.lastFinished)
                let reducer = point.phase == .decoding ? 0 : point.reducer
                let kind: ScrubLaboratory.Mismatch.Kind = reducer == 0 ? .type : isFatal ? .survival : .crash
                search.reject(ScrubLaboratory.Mismatch(seq: point.seq, reducer: reducer, kind))
            }
            showProgress()
        }
    }

    private func showProgress() {
        let runs = Quantities.counted(search.runs, "run")
        tool.console.progress("\(escape(material.file)): \(search.active.count { $0 }) of \(values.count), \(runs)")
    }

    private func prepare() throws {
        var (isPrepared, divergence): (Bool, Int?) = (false, nil)
        let task = ScrubTask(material: material, search: nil, crashes: false)
        let crash = try process.run(task, isBounded: false) { (reply: ScrubTask.Reply) in
            guard case .prepared(let values, let first, _) = reply else { return }
            (self.values, divergence, isPrepared) = (values, first, true)
        }
        if TerminationSignal.received != nil { return }
        let name = tool.shown(recording)
        if let divergence {
            let place = divergence > 0 ? "in action \(Quantities.grouped(divergence))" : "at the start"
            throw Failure(
                .doesNotFit,
                "\(name): this build's reducers do something else than was recorded \(place).",
                "Use the build that recorded it, or accept what has changed: review --accept."
            )
        }
        let isFatal = crash.map { $0.site.point.seq > recording.lastFinished } ?? false
        if let site = crash?.site, !isPrepared || !isFatal {
            throw Failure(
                .crash,
                "\(name): the app's reducers \(site.verb) in action \(Quantities.grouped(site.point.seq)) when they run the"
                    + " recorded actions."
            )
        }
        reference = crash?.site
    }
}
