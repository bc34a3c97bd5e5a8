import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Finds a short list of actions that still crashes, or after which an expression is still true.
///
/// Lists run in child processes. A child tries one after another until one of them ends it; the next child goes on from
/// there.
final class Shrinking {
    private var tool: Tool { process.tool }
    private let recording: Recording
    private let base: Recording.Position
    private let expression: String?
    private let process: ExperimentProcess

    private(set) var shrinker: LogShrinker
    /// The crash of the whole list.
    private(set) var reference: CrashSite?
    /// The crash of the list that is left.
    private(set) var confirmed: CrashSite?
    /// The number of lists that ran.
    private(set) var runs = 0
    /// The number of lists that had run when a process was killed.
    private var killedRun: Int?
    /// Of these, those that ended the process in another way.
    private(set) var otherCrashes = 0
    /// Whether the state before the last action was the recorded one; `nil` if it is not known.
    private(set) var isStateRecorded: Bool?
    /// A place at which that state is another one if the same actions run again.
    private(set) var unsteadyPath: NodePath?
    /// What the last process said about the end.
    private(set) var backtrace: Backtrace?

    /// - Parameters:
    ///   - expression: What the lists must make true after the last action; `nil` if they must end the process as the
    ///     whole list does.
    ///   - base: The position on whose state lists run.
    ///   - seqs: The numbers of the actions.
    init(
        _ recording: Recording,
        until expression: String?,
        from base: Recording.Position,
        _ seqs: [Int],
        groups: [[Int]],
        in process: ExperimentProcess
    ) {
        (self.recording, self.expression, self.base, self.process) = (recording, expression, base, process)
        shrinker = LogShrinker(of: seqs, groups: groups)
    }

    /// Tries lists until none is left, the time is over, or a signal arrives.
    ///
    /// - Returns: Why it ended early; `nil` if nothing is left to try.
    /// - Throws: ``Failure`` if the whole list does not do it, or no process can be started.
    func run() throws -> ExperimentProcess.EarlyEnd? {
        defer { tool.console.clearProgress() }
        try reproduce()
        while !shrinker.isDone {
            if let interruption = process.interruption { return interruption }
            let task = task(shrinker, triesOnce: false)
            let crash = try process.run(task, isBounded: true) { (reply: ShrinkTask.Reply) in
                take(reply)
                let count = Quantities.counted(shrinker.best.count, "action")
                tool.console.progress("\(count) left after \(Quantities.counted(runs, "attempt"))")
            }
            if let crash { take(crash.site) }
        }
        return nil
    }

    /// Whether the best list still does it, in a process of its own. Finds the calls of the crash.
    func confirm() throws -> Bool {
        let found = try attempt(LogShrinker(confirming: shrinker.best), traces: true)
        guard let reference else { return found.isAccepted }
        guard let crash = found.crash, crash.isSame(as: reference) else { return false }
        confirmed = crash
        return true
    }

    /// Runs the whole list twice: what differs between two runs cannot be shrunk.
    private func reproduce() throws {
        let first = try attempt(shrinker, compares: true)
        try checkNotStopped()
        if expression == nil {
            guard first.crash != nil else {
                throw gone(
                    "It does not crash",
                    "they have been mended since, or need a file or a variable that is not here"
                )
            }
        } else if let crash = first.crash {
            let seq = shrinker.best[crash.point.seq - 1].seq
            throw Failure(
                .crash,
                "\(tool.shown(recording)): this build's reducers end the process in action \(seq), before the"
                    + " expression is true.",
                "--until crash finds what that takes."
            )
        } else if !first.isAccepted {
            throw gone("The expression is not true", "they have probably changed since")
        }
        let second = try attempt(shrinker)
        try checkNotStopped()
        let isSame =
            if let site = first.crash, let again = second.crash {
                again.isSame(as: site) && again.point.seq == site.point.seq
            } else {
                second.isAccepted
            }
        guard isSame else {
            throw failure(
                "\(tool.shown(recording)): the same actions end in another way each time, so that nothing can be learnt from"
                    + " leaving some out.",
                "it is not known on what that depends"
            )
        }
        if let unsteadyPath {
            let place = unsteadyPath.isRoot ? "" : " at \(escape(unsteadyPath.description))"
            tool.console.note(
                "\(tool.shown(recording)): the same actions lead to something else\(place) when they run again, so a list"
                    + " may do it by chance, and it is not proved that each action is needed."
            )
        }
        runs += 2
        reference = first.crash
        shrinker.accept(after: first.crash?.point.seq)
    }

    private func checkNotStopped() throws {
        try TerminationSignal.check { _ in "Stopped while all actions ran, before any was left out." }
    }

    private var shake: String { "'\(tool.name) shake \(tool.quoted(recording))'" }

    private func gone(_ what: String, _ conclusion: String) -> Failure {
        let hasCrashed = if case .crashed = recording.ending { true } else { false }
        if expression == nil, !hasCrashed {
            return Failure(
                .difference,
                "\(tool.shown(recording)) did not end in a crash, and this build's reducers run through it.",
                "--until EXPR says what the actions must do instead, or --until diverge."
            )
        }
        let again = "\(what) when this build's reducers run the actions of \(tool.shown(recording)) again."
        return failure(again, conclusion, isLostCrash: expression == nil)
    }

    /// A failure with what `shake` says of the recording: on what the reducers depend, or that they seem to depend on
    /// nothing else.
    private func failure(_ what: String, _ usual: String, isLostCrash: Bool = false) -> Failure {
        let isRedacted = RedactionText.note(recording) != nil
        let conclusion = isRedacted ? "the placeholders that it has for redacted values may be why" : usual
        tool.console.progress("looking for what the reducers depend on")
        let search = ShakeSearch(recording, in: process)
        let hasRun = (try? search.run()) != nil
        let summary = hasRun ? search.summary(shake, ofLostCrash: isLostCrash, conclusion) : nil
        let verify = "They also lead to another state than the recorded one: 'verify' says where."
        return Failure(
            TerminationSignal.code ?? .difference,
            lines: [what] + (isStateRecorded == false ? [verify] : [])
                + [summary ?? "\(shake) may say on what else than state and action the reducers depend."]
        )
    }

    private func take(_ crash: CrashSite) {
        // Another program may have killed it: once more.
        if crash.isKilled, killedRun != runs {
            killedRun = runs
            return
        }
        runs += 1
        if let reference, crash.isSame(as: reference) {
            shrinker.accept(after: crash.point.seq)
        } else {
            otherCrashes += 1
            shrinker.reject()
        }
    }

    /// Tries one list in a new process.
    private func attempt(
        _ list: LogShrinker,
        compares: Bool = false,
        traces: Bool = false
    ) throws -> (isAccepted: Bool, crash: CrashSite?) {
        var isAccepted = false
        let task = task(list, triesOnce: true, compares: compares)
        let crash = try process.run(task, isBounded: false, traces: traces) { (reply: ShrinkTask.Reply) in
            if case .accepted = reply { isAccepted = true }
            if case .before(let isRecorded, let path) = reply { (isStateRecorded, unsteadyPath) = (isRecorded, path) }
        }
        backtrace = crash?.backtrace ?? backtrace
        return (isAccepted, crash?.site)
    }

    private func task(_ shrinker: LogShrinker, triesOnce: Bool, compares: Bool = false) -> ShrinkTask {
        let last = min(recording.lastFinished, shrinker.best.last?.seq ?? 0)
        return ShrinkTask(
            file: recording.url.relativePath,
            base: base,
            expression: expression,
            shrinker: shrinker,
            triesOnce: triesOnce,
            compared: compares && last > base.seq ? last : nil
        )
    }

    private func take(_ reply: ShrinkTask.Reply) {
        switch reply {
        case .rejected:
            runs += 1
            shrinker.reject()
        case .accepted:
            runs += 1
            shrinker.accept()
        case .payloads(let payloads): shrinker.learn(payloads)
        case .before: break
        }
    }
}
