import HindsightFormat
import HindsightRecording
import HindsightTree

/// Verifying whole states: the first one, those that the recording has, and those after actions whose states were left
/// out or are doubtful.
extension Verification {
    /// Compares today's initial state with the recorded one, and the recorded one with itself, decoded and encoded
    /// today.
    func compareStart() throws {
        // A part that was cut from a recording begins later.
        let isFirst = recording.start.seq == 0 && recording.cutOrigin?.first ?? 0 == 0
        if isFirst, options.start == nil || replayer.form.isCurrent {
            let first = try replayer.recordedState(at: recording.start)
            let today = try replayer.encoding { try replayer.app.typed.encodeInitial(replayer.redactor) }
            let (left, right) = try comparison.aligned(first, today)
            if !right.isEquivalent(to: left) {
                result.initialDifference = Patch(from: left, to: right)
            }
        }
        let state = try replayer.recordedState(at: replayer.start)
        let read = try replayer.state()
        result.redacted = comparison.redacted
        comparison.notePatterns(in: state)
        comparison.notePatterns(in: read)
        let places = try comparison.differingPlaces(state, read, at: NodePath())
        if places.isEmpty { return }
        (recorded, replayed) = (state, read)
        differing = DifferingPlaces(places)
        differingAtStart = differing
        try diverge(after: nil, step: nil, places, as: .initialState)
    }

    /// Compares the whole state that the recording has after an action, if it has one, with the replayed one.
    ///
    /// Costs the whole state. There are about as many bytes of whole states as of changes.
    ///
    /// - Throws: `RecordingError` if the recording contradicts itself: the whole state differs from the result of the
    ///   recorded changes.
    func compareWhole(after record: RecordedAction) throws {
        while let first = wholeStates.first, first < record.seq { wholeStates.removeFirst() }
        guard wholeStates.first == record.seq, !replayer.form.isConverted else { return }
        if replayer.form.migratesStates { return try compareState(after: record, as: .run) }
        let whole = try wholeState(after: record)
        let state = try replayer.state()
        if differing.isEmpty {
            if try comparison.isSame(whole, state) { return }
        } else {
            var places = differing
            if try places.update([NodePath()], whole, state, by: &comparison).isEmpty { return }
        }
        // A position between reducers is read through the changes, not from this whole state.
        let led = try recording.state(at: Recording.Position(seq: record.seq, reducer: recording.reducers.count))
        if let difference = led.firstDifference(from: whole), !led.isEquivalent(to: whole) {
            let (file, reason) = (recording.url.path, "the keyframe there is not what the recorded changes lead to")
            throw RecordingError(.damaged, file: file, seq: record.seq, path: difference.path, reason: reason)
        }
        try compareState(after: record, as: .run)
    }

    private func wholeState(after record: RecordedAction) throws -> Node {
        let position = Recording.Position(seq: record.seq)
        let cursor = try wholeCursor ?? StateCursor(on: recording, at: position)
        if wholeCursor != nil { try cursor.reload(at: position) }
        wholeCursor = cursor
        return cursor.state
    }

    /// Runs an action without exact recorded changes. Compares the state only after the last action of its run.
    ///
    /// - Parameter list: The list of runs in the result.
    func runUncompared(
        _ record: RecordedAction,
        in run: ClosedRange<Int>,
        listedIn list: WritableKeyPath<VerificationResult, [ClosedRange<Int>]>
    ) throws -> ReplayedAction {
        var steps: [ReplayedStep] = []
        // The verification may end within the range; the result lists the part that ran.
        if result[keyPath: list].last?.lowerBound == run.lowerBound { result[keyPath: list].removeLast() }
        result[keyPath: list].append(run.lowerBound...record.seq)
        result.uncompared = record.seq < run.upperBound ? run.lowerBound...record.seq : nil
        while let step = try replayer.runReducer() { steps.append(step) }
        (recorded, replayed) = (nil, nil)
        if record.seq == run.upperBound { try compareState(after: record, as: .run, in: run) }
        return ReplayedAction(recorded: record, steps: steps)
    }

    /// Compares the whole recorded state after an action with the replayed one.
    ///
    /// - Parameter run: The actions whose last state alone is compared.
    /// - Throws: `RecordingError` if the state is a doubtful one that should be exact.
    func compareState(
        after record: RecordedAction,
        as scope: Divergence.Scope,
        in run: ClosedRange<Int>? = nil
    ) throws {
        if recording.hasOpenDoubt(after: record.seq) {
            let reason = "its states are said to be doubtful, and no keyframe follows the last of them"
            throw RecordingError(.damaged, file: recording.url.path, seq: record.seq, reason: reason)
        }
        let left = try replayer.recordedState(at: Recording.Position(seq: record.seq))
        let right = try replayer.state()
        comparison.notePatterns(in: left)
        comparison.notePatterns(in: right)
        (recorded, replayed) = (left, right)
        let new = try update([NodePath()])
        if !new.isEmpty { try diverge(after: record, step: nil, new, as: scope, in: run) }
    }
}
