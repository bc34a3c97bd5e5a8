import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Why a tool computes no states of a recording.
enum ComputingObstacle: Equatable {
    /// `--recorded` was given.
    case notWanted
    /// The recording is being followed, so the tool would compute the same states again and again.
    case following
    /// The states are descriptions of types that are not `Codable`.
    case describedStates
    /// The tool does not have the app's reducers.
    case otherApp
    /// The tool runs as a whole what the recording has as steps.
    case wholeSteps
    /// The tool's reducers differ from the recorded ones.
    case otherReducers
    /// The tool is a part of another program, which a reducer might end.
    case noProcess
}

/// Actions whose changes are unknown, and why.
struct UnknownChanges {
    var actions: ClosedRange<Int>
    let reason: UnknownReason
}

/// Why states or changes are neither recorded nor computed.
struct UnknownReason {
    let absence: Absence
    let obstacle: ComputingObstacle?
    let failure: StateComputation.Failure?

    /// Whether the text for both is the same.
    func isSame(as other: UnknownReason) -> Bool {
        let isAlike =
            switch (absence, other.absence) {
            case (.skipped, .skipped), (.notYet, .notYet), (.lost, .lost), (.unfinished, .unfinished): true
            default: false
            }
        return isAlike && failure == other.failure
    }

    /// Why the changes were not recorded, as a clause.
    func cause(in recording: Recording) -> String {
        switch absence {
        case .skipped: "the recorder was behind and left it out"
        case .notYet: "it is being recorded now"
        case .lost where recording.stopReason != nil: "the recorder stopped before it was written"
        case .lost: "the process ended before it was written"
        case .unfinished(_, let reducer):
            "the process ended in \(reducer.map(recording.place(ofReducer:)) ?? "it")"
        }
    }

    /// Why the changes are not computed, and what to do, as a sentence.
    func remedy(in recording: Recording, _ tool: Tool) -> String {
        if absence == .notYet { return "Ask again in a moment." }
        if let failure { return remedy(after: failure, in: recording, tool) }
        if case .unfinished(let seq, _) = absence, recording.lastBeforeCrash.seq < seq {
            // No reducer of the action returned.
            return lastState(in: recording, tool)
        }
        switch obstacle {
        case .notWanted: return "Leave out --recorded to compute it."
        case .following where !tool.apps.contains { $0.name == recording.app.name }:
            let app = quote(brief(recording.app.name))
            return "The tool of the app \(app) computes it with the command log."
        case .following:
            return ShellQuoting.command(tool.name, "log", tool.quoted(recording)) + " computes it."
        case .describedStates:
            return "It cannot be computed: the states are descriptions of types that are not Codable."
        case .otherApp:
            let app = quote(brief(recording.app.name))
            return "The tool of the app \(app) computes it: run this command with that tool."
        case .wholeSteps:
            let jump = ShellQuoting.command(tool.name, "jump", tool.quoted(recording), "P", "--replayed")
            return "This build runs the steps as a whole: \(jump) computes the state after an action P."
        case .otherReducers:
            return
                "This build's reducers differ from the recorded ones; the build that recorded it computes it."
        case .noProcess:
            return "The command-line tool of the app computes it."
        case nil:
            return lastState(in: recording, tool)
        }
    }

    private func lastState(in recording: Recording, _ tool: Tool) -> String {
        let last = recording.lastBeforeCrash
        return "The last state before that: \(Self.jump(recording, last, tool))."
    }

    private func remedy(
        after failure: StateComputation.Failure,
        in recording: Recording,
        _ tool: Tool
    ) -> String {
        switch failure {
        case .ended(let point, let ending, let message):
            let place = CrashReport.place(of: point, recording.reducers)
            let said = message.map { ": \($0)" } ?? ""
            let before = Recording.Position(seq: point.seq, reducer: max(0, point.reducer - 1))
            return "The app \(CrashReport.verb(ending)) \(place) during the computation\(said)."
                + " Its input: \(Self.jump(recording, before, tool))."
        case .failed(let words):
            return "It cannot be computed: \(words)"
        }
    }

    /// The same for programs: `log`, `show`.
    func facts(in recording: Recording, _ tool: Tool) -> Facts {
        Facts(cause: cause(in: recording), remedy: remedy(in: recording, tool))
    }

    struct Facts: Answer {
        let cause: String
        let remedy: String
    }

    private static func jump(_ recording: Recording, _ position: Recording.Position, _ tool: Tool) -> String {
        ShellQuoting.command(tool.name, "jump", tool.quoted(recording), "\(position)")
    }
}
