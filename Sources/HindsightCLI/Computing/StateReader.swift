import Foundation
import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Reads the states and the changes of a recording. Computes those that were not recorded if this tool has the app's
/// reducers; otherwise says why they are unknown. All commands that read use it.
///
/// Reducers run in a separate process, a ``StateComputation``. If you request actions in ascending order, one process
/// computes all of them.
final class StateReader {
    let recording: Recording
    /// The requested changes that are neither recorded nor computed, in the order of the requests.
    private(set) var unknown: [UnknownChanges] = []
    /// Whether computed changes are shown.
    var showsComputed = false
    /// The doubtful states that are shown.
    private(set) var shownDoubts: [Recording.DoubtfulStates] = []
    private let tool: Tool
    private let executable: URL?
    /// Why this tool computes nothing; `nil` if it can.
    let obstacle: ComputingObstacle?
    /// The running computation, and the position where it began.
    private var computation: (base: Recording.Position, source: StateComputation)?
    /// The last action of the computation.
    private var current: (seq: Int, steps: [RecordedStep])?
    /// The state before ``current``.
    private var computedState: Node?
    private let states: LazyStateCursor
    /// The last action of each failed computation, by the position where it began, and why it failed.
    private var failures: [Recording.Position: (last: Int, failure: StateComputation.Failure)] = [:]

    /// - Parameter refusal: Why nothing may be computed; `nil` to compute.
    init(of recording: Recording, _ tool: Tool, computingNothing refusal: ComputingObstacle? = nil) {
        self.recording = recording
        states = LazyStateCursor(on: recording)
        self.tool = tool
        let app = tool.apps.first { $0.name == recording.app.name }
        executable = tool.isProcess ? Bundle.main.executablePath.map { URL(filePath: $0) } : nil
        obstacle =
            if let refusal {
                refusal
            } else if !recording.typesOfDescribedStates.isEmpty {
                .describedStates
            } else if tool.runsWhole(recording) {
                .wholeSteps
            } else if let app {
                app.reducers != recording.reducers ? .otherReducers : executable == nil ? .noProcess : nil
            } else { .otherApp }
    }

    /// Whether an unrecorded state that can be computed will be.
    var computes: Bool { obstacle == nil }

    // MARK: Changes

    /// The changes of an action.
    ///
    /// - Parameter recorded: Its recorded steps.
    func changes(of action: RecordedAction, recorded: [RecordedStep]) -> Changes {
        if let recorded = recordedSteps(recorded) { return .recorded(recorded) }
        guard let absence = recording.absence(ofChangesIn: action.seq) else {
            let words = "recorders always write this, so the file may be damaged; doctor examines it."
            return unknown(action.seq, .lost, .failed(words))
        }
        if absence == .notYet || obstacle != nil { return unknown(action.seq, absence, nil) }
        // If the process ended in the first reducer, there is nothing to compute.
        guard action.seq <= recording.lastBeforeCrash.seq else { return unknown(action.seq, absence, nil) }
        guard let steps = computedSteps(of: action.seq, absence) else {
            return unknown(action.seq, absence, failures[recording.lastRecorded(before: action.seq)]?.failure)
        }
        return steps.count == recording.reducers.count ? .computed(steps) : .computedPart(steps)
    }

    /// The recorded steps of an action; `nil` if they were not written.
    func recordedSteps(_ steps: [RecordedStep]) -> [RecordedStep]? {
        // Each reducer has its step, unless the states were not written.
        steps.isEmpty && !recording.reducers.isEmpty ? nil : steps
    }

    /// Notes that doubtful states are shown.
    func show(_ doubt: Recording.DoubtfulStates?) {
        if let doubt, shownDoubts.last != doubt { shownDoubts.append(doubt) }
    }

    /// Counts an action as unknown if its computed part does not answer the question.
    func markUnknown(_ seq: Int) {
        guard unknown.last?.actions.upperBound != seq, let absence = recording.absence(ofChangesIn: seq) else { return }
        _ = unknown(seq, absence, nil)
    }

    private func unknown(_ seq: Int, _ absence: Absence, _ failure: StateComputation.Failure?) -> Changes {
        let reason = UnknownReason(absence: absence, obstacle: obstacle, failure: failure)
        if let last = unknown.last, last.actions.upperBound + 1 == seq, last.reason.isSame(as: reason) {
            unknown[unknown.count - 1].actions = last.actions.lowerBound...seq
        } else {
            unknown.append(UnknownChanges(actions: seq...seq, reason: reason))
        }
        return .unknown(reason)
    }

    private func computedSteps(of seq: Int, _ absence: Absence) -> [RecordedStep]? {
        let base = recording.lastRecorded(before: seq)
        if let failed = failures[base], seq > failed.last { return nil }
        if computation?.base != base || current.map({ $0.seq > seq }) ?? false {
            var end = recording.lastBeforeCrash
            // The state after the range was recorded, so nothing after it needs computing.
            if case .skipped(let run) = absence, run.upperBound <= recording.end.seq {
                end = min(end, Recording.Position(seq: run.upperBound))
            }
            guard start(from: base, to: end) else { return nil }
        }
        guard let source = computation?.source else { return nil }
        while current?.seq ?? base.seq < seq {
            guard let action = source.next() else {
                failures[base] = (current?.seq ?? base.seq, source.failure ?? .failed("there are no more actions"))
                return nil
            }
            advanceState()
            current = action
            if action.steps.count < recording.reducers.count, let failure = source.failure {
                // The rest of this action is unknown, so its changes would be incomplete.
                failures[base] = (action.seq - 1, failure)
                return nil
            }
        }
        return current?.seq == seq ? current?.steps : nil
    }

    private func start(from base: Recording.Position, to end: Recording.Position) -> Bool {
        computation = nil
        current = nil
        guard let executable else { return false }
        do {
            computedState = try recording.state(at: base)
            let source = try StateComputation(of: recording, by: executable, from: base, to: end) { [tool, recording] in
                tool.console.progress("Running for \(Int($1)) s: \(CrashReport.place(of: $0, recording.reducers))")
            }
            computation = (base, source)
            return true
        } catch {
            failures[base] = (base.seq, .failed("no process can be started: \(Messages.lines(of: error).first ?? "")"))
            return false
        }
    }

    /// Takes the state before the present action to that before the next.
    private func advanceState() {
        // The first action of a computation begins at its base.
        guard let current, var state = computedState.take() else { return }
        do {
            for step in current.steps { try step.patch?.apply(to: &state) }
            computedState = state
        } catch {
            // Without it, the values before the next actions are not known.
            computedState = nil
        }
    }

    // MARK: States

    /// The state before an action, after its changes were asked for; `nil` if it is neither recorded nor computed. Costs
    /// the changes since the last call, or those from a keyframe.
    func state(before seq: Int) throws -> Node? {
        let position = Recording.Position(seq: seq - 1)
        return try states.knownState(at: position) ?? (current?.seq == seq ? computedState : nil)
    }

    /// The position that a text names. `end` is the last one whose state is recorded, or computed by this tool.
    func position(_ text: String) throws -> Recording.Position {
        let mayCompute = computes && recording.ending != .open(live: true)
        if !mayCompute, text == "end" || text.hasSuffix("%") {
            do {
                return try recording.position(text)
            } catch {
                guard error.isComputable else { throw error }
                let reason = UnknownReason(absence: .lost, obstacle: obstacle, failure: nil)
                let lines = Messages.lines(of: tool.namedAsGiven(error))
                throw Failure(.usage, lines: lines + [reason.remedy(in: recording, tool)])
            }
        }
        do {
            // A position without a recorded state fails later, with advice.
            return try recording.position(text, knownOnly: false)
        } catch {
            guard error.code == .positionOutOfRange else { throw error }
            // Throws the same error with the recorded positions, because this tool computes no others.
            guard mayCompute else { return try recording.position(text) }
            guard let positions = computingPositions else { throw error }
            throw Failure(.usage, lines: Messages.lines(of: tool.namedAsGiven(error)).prefix(1) + [positions])
        }
    }

    /// Prints a note if `end`, or a percentage, refers to an earlier position than the last of the app, because its
    /// process ended before its last states were written, and this tool does not compute them.
    func noteEarlyEnd(at text: String) {
        guard text == "end" || text.hasSuffix("%"), !computes, recording.ending != .open(live: true),
            recording.end.seq < recording.lastFinished
        else { return }
        let reason = UnknownReason(absence: .lost, obstacle: obstacle, failure: nil)
        tool.console.note(
            "\(tool.shown(recording)) has the states up to action \(recording.end) of \(recording.lastFinished): "
                + "\(escape(text)) refers to these. \(reason.remedy(in: recording, tool))"
        )
    }

    /// The positions that are recorded, and the others that this tool computes; `nil` if it computes none.
    private var computingPositions: String? {
        let computable = recording.computablePositions
        guard computes, !computable.isEmpty else { return nil }
        return "\(recordedPositions) This tool computes: \(Quantities.list(computable, most: 12))."
    }

    private var recordedPositions: String {
        "Recorded positions: \(Quantities.list(recording.recordedPositions, most: 12))."
    }

    /// The state at a position, and whether it was computed.
    ///
    /// - Throws: ``Failure`` if the state is unknown.
    func state(at position: Recording.Position) throws -> (state: Node, isComputed: Bool) {
        guard let absence = recording.absence(at: position) else { return (try recording.state(at: position), false) }
        guard absence != .notYet, obstacle == nil, position <= recording.lastBeforeCrash || position.reducer == 0 else {
            throw refusal(position, absence, nil)
        }
        let base = recording.lastRecorded(before: position.reducer == nil ? position.seq + 1 : position.seq)
        guard start(from: base, to: position), let source = computation?.source else {
            throw refusal(position, absence, failures[base]?.failure)
        }
        defer { computation = nil }
        var state = try recording.state(at: base)
        while let (_, steps) = source.next() {
            for step in steps { try step.patch?.apply(to: &state) }
        }
        if let failure = source.failure { throw refusal(position, absence, failure) }
        return (state, true)
    }

    /// The state at a position, with a note if it was computed, or is doubtful.
    ///
    /// - Parameter text: The position as the user gave it, which may refer to an earlier one than the app's last.
    /// - Throws: ``Failure`` if the state is unknown.
    func notedState(at position: Recording.Position, given text: String = "") throws -> Node {
        noteEarlyEnd(at: text)
        let (state, isComputed) = try state(at: position)
        if isComputed { noteComputed("\(position)") } else { noteDoubt(at: position) }
        return state
    }

    /// What the reducers did before the recorded process ended in an action, and why that is not known; neither if it
    /// did not end in one.
    func stepsBeforeCrash() throws -> (steps: ComputedSteps?, reason: UnknownReason?) {
        guard case .crashed(let seq, _) = recording.ending else { return (nil, nil) }
        defer { tool.console.clearProgress() }
        switch changes(of: try recording.action(seq), recorded: []) {
        case .recorded: return (nil, nil)
        case .unknown(let reason): return (nil, reason)
        case .computed(let steps), .computedPart(let steps):
            guard let state = try state(before: seq) else { return (nil, nil) }
            return (try ComputedSteps(steps, of: seq, from: state), nil)
        }
    }

    /// Prints a note that a state was computed, not recorded.
    func noteComputed(_ position: String) {
        tool.console.note(
            "\(escape(position)) of \(tool.shown(recording)) is \(ActionLine.computedNote(for: recording))."
        )
    }

    /// Prints a note if a state is doubtful.
    func noteDoubt(at position: Recording.Position) {
        guard let states = recording.doubtfulStates(at: position) else { return }
        tool.console.note(
            "\(position) of \(tool.shown(recording)) is doubtful: \(recording.clause(about: states))."
        )
    }

    /// The failure for an unknown state, with advice.
    private func refusal(
        _ position: Recording.Position,
        _ absence: Absence,
        _ failure: StateComputation.Failure?
    ) -> Failure {
        let reason = UnknownReason(absence: absence, obstacle: obstacle, failure: failure)
        var lines: [String] = []
        do {
            _ = try recording.position(position.description)
        } catch {
            lines = Messages.lines(of: error)
        }
        let isCrash = if case .ended? = failure { true } else { false }
        // If the computation failed, the positions that this tool computes are unknown.
        if lines.count > 1, let positions = failure == nil ? computingPositions : recordedPositions {
            lines[1] = positions
        }
        return Failure(isCrash ? .crash : .usage, lines: lines.prefix(2) + [reason.remedy(in: recording, tool)])
    }
}

/// The changes of an action.
enum Changes {
    case recorded([RecordedStep])
    /// Computed by this build's reducers.
    case computed([RecordedStep])
    /// The same, of an action that never finished, up to the reducer in which its process ended.
    case computedPart([RecordedStep])
    case unknown(UnknownReason)

    var steps: [RecordedStep]? {
        switch self {
        case .recorded(let steps), .computed(let steps), .computedPart(let steps): steps
        case .unknown: nil
        }
    }

    var isComputed: Bool {
        switch self {
        case .computed, .computedPart: true
        case .recorded, .unknown: false
        }
    }

    /// Whether the changes are complete.
    var isWhole: Bool {
        switch self {
        case .recorded, .computed: true
        case .computedPart, .unknown: false
        }
    }
}
