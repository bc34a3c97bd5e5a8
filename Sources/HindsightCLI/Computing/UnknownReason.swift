import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightTree

/// Why a tool computes no states of a recording.
enum ComputingObstacle: Equatable {
    /// `--recorded` was given.
    case notWanted
    /// The recording is being followed: what it computes would have to be computed again with each look.
    case following
    /// It does not have the app's reducers.
    case otherApp
    /// Its reducers are not those that were recorded.
    case otherReducers
    /// It is a part of another program, which a reducer might end.
    case noProcess
}

/// What some actions changed, and that is not known.
struct UnknownChanges {
    var actions: ClosedRange<Int>
    let reason: UnknownReason
}

/// Why something is neither recorded nor computed.
struct UnknownReason {
    let absence: Absence
    let obstacle: ComputingObstacle?
    let failure: StateComputation.Failure?

    /// Whether the same may be said of both.
    func isSame(as other: UnknownReason) -> Bool {
        let isAlike =
            switch (absence, other.absence) {
            case (.skipped, .skipped), (.notYet, .notYet), (.lost, .lost), (.unfinished, .unfinished): true
            default: false
            }
        return isAlike && failure == other.failure
    }

    /// Why it was not recorded, as a clause.
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

    /// Why it is not computed, and what to do, as a sentence.
    func remedy(in recording: Recording, _ tool: Tool) -> String {
        if absence == .notYet { return "Ask again in a moment." }
        if let failure { return remedy(after: failure, in: recording, tool) }
        if case .unfinished(let seq, _) = absence, recording.lastBeforeCrash.seq < seq {
            // No reducer of it returned.
            return lastState(in: recording, tool)
        }
        switch obstacle {
        case .notWanted: return "Leave out --recorded to compute it."
        case .following where !tool.apps.contains { $0.name == recording.app.name }:
            let app = quote(brief(recording.app.name))
            return "The tool of the app \(app) computes it, by its command log."
        case .following:
            return ShellQuoting.command(tool.name, "log", tool.quoted(recording)) + " computes it."
        case .otherApp:
            let app = quote(brief(recording.app.name))
            return "The tool of the app \(app) computes it: run this command with that tool."
        case .otherReducers:
            return
                "This build has other reducers than those that were recorded; the build that recorded it computes it."
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
        case .crashed(let point, let message):
            let said = message.map { ": \($0)" } ?? ""
            return "The app crashed \(CrashReport.place(of: point, in: recording)), as it was computed\(said)."
                + " \(given(point, recording, tool))"
        case .exited(let point):
            return "The app ended the process \(CrashReport.place(of: point, in: recording)), as it was computed."
                + " \(given(point, recording, tool))"
        case .stalled(let point):
            return "The app did not return within \(Int(StateComputation.longestStep)) s"
                + " \(CrashReport.place(of: point, in: recording)), as it was computed. \(given(point, recording, tool))"
        case .failed(let words):
            return "It cannot be computed: \(words)"
        }
    }

    /// The same for programs: `log`, `show`.
    func json(in recording: Recording, _ tool: Tool) -> Node {
        ["cause": .string(cause(in: recording)), "remedy": .string(remedy(in: recording, tool))]
    }

    /// Where the state is that a reducer was given.
    private func given(_ point: ReplayPoint, _ recording: Recording, _ tool: Tool) -> String {
        let before = Recording.Position(seq: point.seq, reducer: max(0, point.reducer - 1))
        return "What it was given: \(Self.jump(recording, before, tool))."
    }

    private static func jump(_ recording: Recording, _ position: Recording.Position, _ tool: Tool) -> String {
        ShellQuoting.command(tool.name, "jump", tool.quoted(recording), "\(position)")
    }
}
