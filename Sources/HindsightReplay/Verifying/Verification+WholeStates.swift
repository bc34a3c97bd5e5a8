import HindsightFormat
import HindsightRecording
import HindsightTree

/// Verifying whole states, and actions whose states were left out or are doubtful.
extension Verification {
    /// Compares the whole state that the recording has after an action, if it has one, with the replayed one.
    ///
    /// Costs the whole state. There are about as many bytes of whole states as of changes.
    ///
    /// - Throws: `RecordingError` if the recording contradicts itself: the whole state differs from the result of the
    ///   recorded changes.
    func compareWhole(after record: RecordedAction) throws {
        wholeStates = wholeStates.drop { $0 < record.seq }
        guard wholeStates.first == record.seq else { return }
        let whole = try recording.state(at: Recording.Position(seq: record.seq))
        if try redaction.masked(whole).isEquivalent(to: redaction.masked(replayer.state())) { return }
        // A position between reducers is read through the changes, not from this whole state.
        let led = try recording.state(at: Recording.Position(seq: record.seq, reducer: recording.reducers.count))
        if let difference = led.firstDifference(from: whole), !led.isEquivalent(to: whole) {
            throw RecordingError.contradiction(recording.url.path, seq: record.seq, path: difference.path)
        }
        try compareState(after: record)
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
        recorded = nil
        if record.seq == run.upperBound { try compareState(after: record, in: run) }
        return ReplayedAction(recorded: record, steps: steps)
    }

    /// - Parameter run: The actions whose last state alone is compared.
    private func compareState(after record: RecordedAction, in run: ClosedRange<Int>? = nil) throws {
        let expected = try redaction.masked(try replayer.recordedState(at: Recording.Position(seq: record.seq)))
        let actual = try redaction.masked(try replayer.state())
        guard let difference = expected.firstDifference(from: actual) else { return }
        if expected.isEquivalent(to: actual) { return }
        result.divergence = Divergence(
            action: record,
            reducer: nil,
            reducerName: nil,
            path: difference.path,
            expected: difference.left,
            actual: difference.right,
            difference: Patch(from: expected, to: actual),
            inputWasRecorded: false,
            isRepeatable: true,
            cause: .other,
            redacted: try redaction.inputs(of: record)
        )
        result.divergence?.actions = run
    }
}
