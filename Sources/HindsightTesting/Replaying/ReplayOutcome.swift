import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightView

/// What a replay of a recording showed, as texts for a test.
struct ReplayOutcome {
    /// The result; `nil` if the recording could not be replayed.
    private(set) var result: VerificationResult?
    /// Why the test fails; `nil` if it does not.
    private(set) var failure: String?
    /// What was not compared; `nil` if everything was.
    private(set) var warning: String?
    /// The change from the recorded state to today's at the first divergence.
    private(set) var difference: String?
    /// The action of the first divergence, or in which a reducer ended the process; `nil` if there is none.
    private(set) var failingAction: Int?
    /// The first divergence, for a page; `nil` if there is none.
    private(set) var divergence: PageDivergence?
    /// Whether a reducer ended the process that replayed. This process must not run it.
    private(set) var isFatal = false

    /// Replays a recording, on Linux in a fork first.
    init(of recording: URL, by app: ReplayableApp, options: VerificationOptions) {
        let name = escape(recording.lastPathComponent)
        do {
            var (last, hasRunRest) = (Int.max, false)
            // Comes before the recording is opened: in a fork, SQLite would use this process's locks on it.
            switch ForkedReplay(recording: recording, app: app, options: options).run() {
            case .matched(let result):
                self.result = result
                return
            case .finished:
                hasRunRest = true
            case .unknown:
                break
            case .terminated(let termination):
                isFatal = true
                let file = try Recording(at: recording)
                failure = "\(name): \(try termination.text(in: file, replayedBy: app))\n\(Self.commands(file, nil))"
                guard let point = termination.point else { return }
                (last, hasRunRest) = (point.seq - 1, true)
                failingAction = point.seq
            }
            let file = try Recording(at: recording)
            let verification = try Verification(of: file, by: app, options: options)
            var seq = file.start.seq
            while seq < last, let action = try verification.next() { seq = action.recorded.seq }
            let result = verification.result
            self.result = result
            if !result.matches {
                describe(result, file, name)
            } else if last == .max {
                var lastRun = try result.lastRunnable(in: file)
                if !hasRunRest {
                    // Only a fork may run the action in which the recorded process ended.
                    lastRun = min(lastRun, file.lastFinished)
                    try runUncompared(file, app, from: file.end, to: lastRun)
                }
                report(result, file, name, lastRun)
            }
        } catch {
            failure = "\(error)"
        }
    }

    /// A divergence: where it is, both values, the likely cause, and the commands that show more.
    private mutating func describe(_ result: VerificationResult, _ recording: Recording, _ name: String) {
        var lines: [String] = []
        if let failure { lines.append(failure) }
        guard let divergence = result.divergence else {
            failure = (lines + ["\(name): the recording and this replay differ."]).joined(separator: "\n")
            return
        }
        let seq = divergence.action?.seq ?? recording.start.seq
        failingAction = seq
        self.divergence = PageDivergence(
            number: seq,
            reducer: divergence.reducer,
            path: divergence.path,
            text: divergence.description
        )
        lines.append("\(name): \(escape(divergence.description))")
        let change = PatchLines()
        if let expected = divergence.expected { lines.append("  recorded: \(change.text(of: expected))") }
        if let actual = divergence.actual { lines.append("  today:    \(change.text(of: actual))") }
        difference = PatchLines(maxLines: 10_000, maxValueLength: 10_000).text(of: divergence.difference)
        lines.append("The state then differs so (-: recorded, +: today):")
        lines.append(change.text(of: divergence.difference))
        if let writers = divergence.writers { lines.append("The reducer is not known: \(escape("\(writers)")).") }
        if let explanation = divergence.explanation { lines.append(explanation) }
        lines += classes(of: result)
        lines.append(Self.commands(recording, divergence.action?.seq))
        failure = lines.joined(separator: "\n")
    }

    /// If there are several divergences, their classes with counts.
    private func classes(of result: VerificationResult) -> [String] {
        guard result.divergenceCount > 1 else { return [] }
        let classes = result.classes
        var lines = ["In all, \(result.divergenceCount) divergences:"]
        for kind in classes.prefix(10) {
            let reducer = kind.reducerName.map { ", reducer \(escape($0))" } ?? ""
            let place = kind.path.isRoot ? "the state" : escape(kind.path.description)
            lines.append("  \(kind.count) of \(escape(kind.actionType ?? "the initial state"))\(reducer): \(place)")
        }
        if classes.count > 10 { lines.append("  and \(classes.count - 10) more kinds") }
        return lines
    }

    /// The commands that show more, quoted for the shell.
    private static func commands(_ recording: Recording, _ seq: Int?) -> String {
        let file = ShellQuoting.quote(recording.url.path)
        let verify = "Run it again with your app's tool: swift package hindsight verify \(file)"
        guard let seq, seq > recording.start.seq else { return verify }
        return "See what was recorded: swift package hindsight diff \(file) \(seq - 1) \(seq)\n\(verify)"
    }

    /// Notes what was not compared.
    ///
    /// - Parameter lastRun: The last action that has run.
    private mutating func report(
        _ result: VerificationResult,
        _ recording: Recording,
        _ name: String,
        _ lastRun: Int
    ) {
        if result.comparedNothing, let reason = result.emptiness {
            failure = "\(name): nothing was compared, because \(reason)."
            return
        }
        guard let remarks = remarks(on: result, of: recording, lastRun) else { return }
        let text = "\(name): \(remarks)"
        guard result.comparedNothing else {
            warning = text
            return
        }
        failure =
            "\(text) Record the session again and close its recorder, so that there are states to compare."
    }
}

/// What was not compared, as a sentence; `nil` if everything was.
///
/// - Parameter lastRun: The last action that has run.
private func remarks(on result: VerificationResult, of recording: Recording, _ lastRun: Int) -> String? {
    var remarks: [String] = []
    if let unknown = result.unknown, unknown.lowerBound <= lastRun {
        let run = unknown.lowerBound...min(unknown.upperBound, lastRun)
        remarks.append("\(run.asActions): run, but their states were not recorded")
    }
    if let unknown = result.unknown, unknown.upperBound > lastRun {
        let rest = lastRun + 1...unknown.upperBound
        remarks.append("\(rest.asActions): not run, because action \(lastRun + 1) was not recorded as a value")
    }
    for run in result.skipped {
        let what = run == result.uncompared ? "not compared" : "compared only after the last"
        remarks.append("\(run.asActions): run, but \(what), because the recorder left out their states")
    }
    for run in result.doubtful where run != result.uncompared {
        remarks.append(
            "\(run.asActions): run, but compared only after the last, because their recorded states are doubtful"
        )
    }
    if !result.gaps.isEmpty {
        remarks.append("not recorded as values, so not run: \(result.gaps.map(String.init).joined(separator: ", "))")
    }
    if let unfinished = result.unfinished {
        let what = unfinished <= lastRun ? "run, but its state was not recorded" : "not run"
        remarks.append("action \(unfinished), in which the recorded process ended: \(what)")
    }
    if let lost = recording.lost {
        remarks.append("\(lost.asActions): begun, but in no file")
    } else if recording.lacksJournal {
        remarks.append("actions after \(recording.actionCount), because the recording's journal is missing or damaged")
    }
    func paths(_ patterns: [String]) -> String {
        let more = patterns.count > 5 ? " and \(patterns.count - 5) more" : ""
        return patterns.prefix(5).map { escape($0) }.joined(separator: ", ") + more
    }
    if !result.unshared.isEmpty {
        let canAccept = result.migrations.isEmpty && result.conversions.isEmpty
        let advice = canAccept ? ", until HINDSIGHT_RECORD=all gives it today's states" : ""
        remarks.append("\(paths(result.unshared)): only in the recording or only in today's types\(advice)")
    }
    if !result.redacted.isEmpty { remarks.append("\(paths(result.redacted)): redacted") }
    if let difference = result.initialDifference {
        let places = paths(difference.operations.map(\.path.description))
        remarks.append(
            "today's initial state, which differs at \(places), because the replay began on the recorded one"
        )
    }
    let unstable = result.unstable.prefix(5).map { " " + escape("\($0)") }.joined()
    let misspelt = result.unusedPatterns.map { "\($0) matches no place of the recording." }.joined(separator: " ")
    guard !remarks.isEmpty else { return misspelt.isEmpty ? nil : misspelt }
    return "compared \(result.actions) of \(recording.actionCount) actions. Not compared: "
        + remarks.joined(separator: "; ") + "." + unstable + (misspelt.isEmpty ? "" : " \(misspelt)")
}

extension VerificationResult {
    /// The last action that can run without a recorded state, from the end of the known states on: the one before the
    /// first that was not recorded as a value.
    func lastRunnable(in recording: Recording) throws -> Int {
        let known = recording.end.seq
        let last = unfinished ?? unknown?.upperBound ?? known
        return try (known..<last).first { try recording.action($0 + 1).replayable == nil } ?? last
    }
}

/// Runs the actions after a position, and compares nothing. If there are none, it costs nothing.
///
/// - Parameters:
///   - last: The last action to run.
///   - runningUnfinished: Whether to run the action in which the recorded process ended, too.
func runUncompared(
    _ recording: Recording,
    _ app: ReplayableApp,
    from start: Recording.Position,
    to last: Int = .max,
    runningUnfinished: Bool = false,
    watch: ((ReplayPoint) -> Void)? = nil
) throws {
    guard last > start.seq else { return }
    let replayer = try Replayer(of: recording, by: app, from: start, runningUnfinished: runningUnfinished)
    replayer.watch = watch
    while let seq = replayer.nextSeq, seq <= last { _ = try replayer.next() }
}
