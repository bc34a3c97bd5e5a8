import HindsightFormat
import HindsightRecording
import HindsightTree

/// Describing a divergence.
extension Verification {
    /// Adds a divergence to the result.
    ///
    /// - Parameters:
    ///   - record: The action; `nil` for the initial state.
    ///   - step: The reducer's step, if it is known. For the scope `reducer`, it is the last that has run.
    ///   - new: The places that differ now and did not before.
    ///   - run: The actions whose last state alone is compared.
    /// - Throws: ``ReplayError`` with the code `undecodableState` at the first divergence, if today's state type cannot
    ///   read the recorded state.
    func diverge(
        after record: RecordedAction?,
        step: ReplayedStep?,
        _ new: [NodePath],
        as scope: Divergence.Scope,
        in run: ClosedRange<Int>? = nil
    ) throws {
        guard let recorded, let replayed, let place = new.first else { return }
        if result.matches, let record, recording.redaction.states.isEmpty {
            // If today's type cannot have the recorded state, the reducers are not the cause.
            try replayer.checkDecodes(recorded, at: Recording.Position(seq: record.seq))
        }
        let (left, right) = try comparison.aligned(
            recorded,
            replayed,
            differing: differing,
            new: DifferingPlaces(new)
        )
        let first =
            left.firstDifference(from: right)
            ?? NodeDifference(path: place, left: recorded[place], right: replayed[place])
        let redacted = try record.map { try comparison.inputs(of: $0) } ?? recording.redaction.states
        let key = DivergenceClasses.Key(
            actionType: record?.type,
            reducerName: step?.name,
            path: first.path.generalized,
            apparent: Divergence.Cause(
                expected: first.left,
                actual: first.right,
                recordedAt: record?.nanosecondsSinceEpoch,
                isRepeatable: true,
                isRedacted: false
            )
        )
        var isRepeatable = true
        let cause: Divergence.Cause
        if let known = result.cause(for: key) {
            (cause, isRepeatable) = (known, known != .random)
        } else if scope == .reducer, let step {
            isRepeatable = try replayer.isRepeatable(step)
            cause = try self.cause(of: first, record, isRepeatable: isRepeatable, redacted)
        } else if scope == .action {
            cause = key.apparent == .other && !redacted.isEmpty ? .redaction : key.apparent
        } else {
            cause = scope == .initialState ? .initialState : .other
        }
        var divergence = Divergence(
            scope: scope,
            action: record,
            reducer: step?.reducer,
            reducerName: step?.name,
            path: first.path,
            expected: first.left,
            actual: first.right,
            difference: Patch(from: left, to: right, ignoringMemberOrder: inputDiffered),
            inputWasRecorded: scope != .run && scope != .end && !inputDiffered,
            isRepeatable: isRepeatable,
            actions: run,
            cause: cause,
            redacted: redacted
        )
        if record != nil { divergence.parts = max(1, replayer.parts.count) }
        result.add(divergence, under: key)
    }

    private func cause(
        of difference: NodeDifference,
        _ record: RecordedAction?,
        isRepeatable: Bool,
        _ redacted: [String]
    ) throws -> Divergence.Cause {
        let cause = Divergence.Cause(
            expected: difference.left,
            actual: difference.right,
            recordedAt: record?.nanosecondsSinceEpoch,
            isRepeatable: isRepeatable,
            isRedacted: !redacted.isEmpty
        )
        return try cause == .other && replayer.dependsOnOrder() ? .unordered : cause
    }
}
