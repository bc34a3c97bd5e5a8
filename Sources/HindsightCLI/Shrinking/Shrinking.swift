import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Finds a short list of actions that still crashes, or after which an expression is still true.
///
/// Lists run in child processes. A child tries one after another until one of them ends it; the next child goes on from
/// there.
final class Shrinking {
    /// What the lists must do.
    enum Goal {
        /// End the process as the whole list does.
        case crash
        /// Make an expression true after the last action.
        case expression(String)
    }

    /// Why it ended.
    enum End {
        /// Nothing is left to try.
        case minimal
        /// The time is over.
        case budget
        /// A signal asked for it.
        case stopped(Int32)
    }

    private let tool: Tool
    private let recording: Recording
    private let base: Recording.Position
    private let goal: Goal
    private let executable: URL
    private let actionLimit: Double
    private let deadline: ContinuousClock.Instant

    private(set) var shrinker: LogShrinker
    /// The crash of the whole list.
    private(set) var reference: CrashSite?
    /// The number of lists that ran.
    private(set) var runs = 0
    /// Of these, those that ended the process in another way.
    private(set) var otherCrashes = 0
    /// Whether the state before the last action was the recorded one; `nil` if it is not known.
    private(set) var isStateRecorded: Bool?
    /// What the last process said about the end.
    private(set) var backtrace: Backtrace?

    /// - Parameters:
    ///   - base: The position on whose state lists run.
    ///   - seqs: The numbers of the actions.
    ///   - actionLimit: The seconds that an action may take.
    ///   - budget: The seconds that all may take.
    init(
        _ recording: Recording,
        _ goal: Goal,
        from base: Recording.Position,
        _ seqs: [Int],
        groups: [[Int]],
        actionLimit: Double,
        budget: Double,
        _ tool: Tool
    ) throws {
        (self.recording, self.goal, self.base, self.tool) = (recording, goal, base, tool)
        executable = try Isolation.executable(of: tool.name)
        self.actionLimit = actionLimit
        deadline = .now + .seconds(budget)
        shrinker = LogShrinker(of: seqs, groups: groups)
    }

    /// Tries lists until none is left, the time is over, or a signal arrives.
    ///
    /// - Throws: ``Failure`` if the whole list does not do it, or no process can be started.
    func run() throws -> End {
        TerminationSignal.observe(unlessIgnored: true)
        defer { tool.console.clearProgress() }
        try reproduce()
        while !shrinker.isDone {
            if let signal = TerminationSignal.received { return .stopped(signal) }
            guard .now < deadline else { return .budget }
            if let crash = try advance() { take(crash) }
        }
        return .minimal
    }

    /// Whether the best list still does it, in a process of its own. Finds the calls of the crash.
    func confirm() throws -> Bool {
        let found = try attempt(LogShrinker(confirming: shrinker.best), triesOnce: true, traces: true)
        guard let reference else { return found.isAccepted }
        return found.crash?.isSame(as: reference) ?? false
    }

    /// Runs the whole list twice: what differs between two runs cannot be shrunk.
    private func reproduce() throws {
        let first = try attempt(shrinker, triesOnce: true, compares: true)
        switch goal {
        case .expression:
            guard first.isAccepted else { throw gone("The expression is not true") }
            runs += 1
            shrinker.accept()
        case .crash:
            guard let site = first.crash else { throw gone("It does not crash") }
            let second = try attempt(shrinker, triesOnce: true)
            guard let again = second.crash, again.isSame(as: site), again.point.seq == site.point.seq else {
                throw Failure(
                    .difference,
                    "\(tool.shown(recording)): the same actions end in another way each time, so that nothing can be"
                        + " learnt from leaving some out.",
                    "A reducer depends on something else than its state and its action. 'verify' may name it."
                )
            }
            runs += 2
            reference = site
            shrinker.accept(after: site.point.seq)
        }
    }

    private func gone(_ what: String) -> Failure {
        Failure(
            .difference,
            "\(what) when this build's reducers run the actions of \(tool.shown(recording)) again.",
            isStateRecorded == false
                ? "They also lead to another state than the recorded one: 'verify' says where."
                : "The reducers of this build may have been mended, or depend on something that was not recorded."
        )
    }

    private func take(_ crash: CrashSite) {
        runs += 1
        if let reference, crash.isSame(as: reference) {
            shrinker.accept(after: crash.point.seq)
        } else {
            otherCrashes += 1
            shrinker.reject()
        }
    }

    /// Tries lists in a new process until it ends.
    ///
    /// - Returns: How a list ended it; `nil` if none did.
    private func advance() throws -> CrashSite? {
        try attempt(shrinker, triesOnce: false).crash
    }

    private func attempt(
        _ start: LogShrinker,
        triesOnce: Bool,
        compares: Bool = false,
        traces: Bool = false
    ) throws -> (isAccepted: Bool, crash: CrashSite?) {
        var text: String?
        if case .expression(let expression) = goal { text = expression }
        var task = ShrinkTask(
            file: recording.url.path,
            base: "\(base)",
            expression: text,
            shrinker: start,
            triesOnce: triesOnce
        )
        if compares, case .crash = goal, recording.lastFinished > base.seq { task.compared = recording.lastFinished }
        let process = try Isolation(task, by: executable, errors: nil, traces: traces, clock: .reducer)
        defer { process.end() }
        var isAccepted = false
        while true {
            process.wait()
            let end = try process.advance(timeout: actionLimit, show: { _ in }, waiting: { _ in })
            for answer in process.takeAnswers() {
                let reply = try JSONDecoder().decode(ShrinkTask.Reply.self, from: Data(answer))
                if triesOnce {
                    if case .accepted = reply { isAccepted = true }
                    if case .before(let isRecorded) = reply { isStateRecorded = isRecorded }
                } else {
                    take(reply)
                }
            }
            if !triesOnce { showProgress() }
            if let end { return (isAccepted, try crash(process, end)) }
            if !triesOnce, TerminationSignal.received != nil || .now >= deadline { return (false, nil) }
        }
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

    private func showProgress() {
        let count = Quantities.counted(shrinker.best.count, "action")
        tool.console.progress("\(count) left after \(Quantities.counted(runs, "attempt"))")
    }

    /// How a process has ended; `nil` if it has done its task.
    private func crash(_ process: Isolation, _ end: (ending: ProcessEnding, message: String?)) throws -> CrashSite? {
        if let verdict = process.verdict(of: end.ending) {
            if verdict != .fine { throw Tool.failure(verdict, process.takeMessages()) }
            return nil
        }
        if case .signal(let signal) = end.ending, !end.ending.isCrash {
            // A terminal sends Ctrl-C to both processes.
            if [SIGINT, SIGTERM].contains(signal) { usleep(50_000) }
            if TerminationSignal.received != nil { return nil }
            throw Failure(
                ExitCode(rawValue: 128 + signal),
                lines: ["The process that runs the actions was stopped by signal \(signal)."]
                    + CrashReport.reason(for: signal)
            )
        }
        guard let point = process.progress.point, point.seq > 0 else {
            throw Failure(
                .crash,
                lines: [
                    "\(tool.shown(recording)): the process ended while an init(from:) of the app read the recorded state"
                        + " or the actions."
                ] + [end.message].compactMap { $0 }
            )
        }
        backtrace = process.relay.backtrace ?? backtrace
        return CrashSite(
            point,
            end.ending,
            message: end.message,
            signal: process.crash,
            executable: executable.lastPathComponent
        )
    }
}
