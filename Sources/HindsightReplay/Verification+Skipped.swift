import HindsightRecording
import HindsightTree

/// How actions are verified whose states the recorder had left out.
extension Verification {
    /// Runs an action of which only the reducers know what it did; compares the state after the last of its run.
    func runUncompared(_ record: ActionRecord, in run: ClosedRange<Int>) throws -> ReplayedAction {
        if result.skipped.last != run { result.skipped.append(run) }
        var steps: [ReplayedStep] = []
        while let step = try replayer.runReducer() { steps.append(step) }
        recorded = nil
        if record.seq == run.upperBound { try compareState(after: record) }
        return ReplayedAction(record: record, steps: steps)
    }

    private func compareState(after record: ActionRecord) throws {
        let expected = try redaction.masked(try recording.state(at: Position(seq: record.seq)))
        let got = try redaction.masked(try replayer.state())
        guard let difference = expected.firstDifference(from: got) else { return }
        if expected.isEquivalent(to: got) { return }
        result.divergence = Divergence(
            action: record,
            reducer: nil,
            reducerName: nil,
            path: difference.path,
            expected: difference.left,
            got: difference.right,
            difference: Patch(from: expected, to: got),
            inputWasRecorded: false,
            isRepeatable: true,
            cause: .none,
            redacted: try redaction.inputs(of: record)
        )
    }
}
