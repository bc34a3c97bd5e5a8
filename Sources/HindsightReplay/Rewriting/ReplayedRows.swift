import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// What the reducers of a replay did, as a recording has it.
struct ReplayedRows {
    private let app: ReplayableApp
    /// The recorded numbers of the app's reducers.
    private let numbers: [Int?]
    /// The state after the last action.
    private(set) var state: Node

    init(startingAt state: Node, of app: ReplayableApp, since recording: Recording) {
        (self.state, self.app) = (state, app)
        numbers = ReducerChanges(of: app, since: recording).recordedNumbers
    }

    /// Writes an action with what each reducer did in it, and a keyframe if one is due.
    mutating func write(_ action: ReplayedAction, from replayer: Replayer, to tables: NewTables) throws {
        let steps = TimedPatches.write(try steps(of: action, from: replayer))
        let duration = action.recorded.durationInNanoseconds ?? 0
        var row = action.recorded.dispatched
        // The run went on from the recorded state, which no action of the changed log need lead to.
        if let log = replayer.log, action.recorded.isTravel, let text = row.problem,
            let destination = TravelText.destination(in: text), destination > log.kept
        {
            row.problem = text + " (Numbered as before the changes.)"
        }
        try tables.append(row, duration: duration, steps: steps, leadingTo: state)
    }

    /// What each reducer did in an action, with the recorded durations. Moves ``state`` to the one after it.
    ///
    /// - Parameters:
    ///   - action: The action that the replayer has run.
    ///   - replayer: A replayer that reads recorded steps.
    private mutating func steps(of action: ReplayedAction, from replayer: Replayer) throws -> [TimedPatch] {
        guard let run = action.steps else {
            let after = try replayer.state()
            defer { state = after }
            let patch = Patch(from: state, to: after)
            return action.recorded.isTravel ? [TimedPatch(duration: nil, patch: patch)] : atGap(patch)
        }
        for step in run { try state.apply(step.patch) }
        let durations = try replayer.parsedSteps().map { ($0.reducer, $0.durationInNanoseconds) }
        let known = Dictionary(durations, uniquingKeysWith: { first, _ in first })
        return run.map { step in
            TimedPatch(duration: numbers[step.reducer - 1].flatMap { known[$0] } ?? 0, patch: step.patch)
        }
    }

    /// The steps of an action that was not recorded: the last reducer makes the whole change.
    private func atGap(_ patch: Patch) -> [TimedPatch] {
        guard !app.reducers.isEmpty else { return [] }
        let idle = [TimedPatch](repeating: TimedPatch(duration: 0, patch: Patch()), count: app.reducers.count - 1)
        return idle + [TimedPatch(duration: 0, patch: patch)]
    }
}
