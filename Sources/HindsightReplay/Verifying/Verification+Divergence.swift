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
    ///   - steps: What today's reducers did in the action, if states are compared.
    /// - Throws: ``ReplayError`` with the code `undecodableState` or `renamedField` at the first divergence of a kind, if
    ///   the recorded state does not fit today's state type.
    func diverge(
        after record: RecordedAction?,
        step: ReplayedStep?,
        _ new: [NodePath],
        as scope: Divergence.Scope,
        in run: ClosedRange<Int>? = nil,
        steps: [ReplayedStep] = []
    ) throws {
        guard let recorded, let replayed, let place = new.first else { return }
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
        let isNew = result.cause(for: key) == nil
        if isNew, let record { try checkForm(of: recorded, after: record, at: first) }
        var isRepeatable = true
        let cause: Divergence.Cause
        if let known = result.cause(for: key) {
            (cause, isRepeatable) = (known, known != .random)
        } else if scope == .reducer, let step {
            isRepeatable = try replayer.isRepeatable(step)
            cause = try self.cause(of: first, record, isRepeatable: isRepeatable, redacted)
        } else if scope == .action {
            let isReordered = result.reducers?.isReordered == true
            let unknown: Divergence.Cause = redacted.isEmpty ? isReordered ? .order : .other : .redaction
            cause = key.apparent == .other ? unknown : key.apparent
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
        if let record {
            divergence.parts = max(1, replayer.parts.count)
            if isNew, scope == .action, step == nil {
                let today = steps.last { step in
                    step.patch.operations.contains { $0.path.contains(first.path) || first.path.contains($0.path) }
                }
                divergence.writers = Divergence.Writers(
                    recorded: try recordedWriter(of: first.path, in: record),
                    today: today?.name
                )
            }
        }
        result.add(divergence, under: key)
    }

    /// Checks that a recorded state fits today's types: otherwise the reducers are not the cause of a difference.
    private func checkForm(of recorded: Node, after record: RecordedAction, at difference: NodeDifference) throws {
        let position = Recording.Position(seq: record.seq)
        let state = replayer.form.isConverted ? try replayer.migratedState(at: position) : recorded
        do {
            try replayer.app.checkDecodes(state)
        } catch {
            // A placeholder need not decode.
            let hidden = try RedactionMask(comparison.redacted)
            if let path = (error as? TreeError)?.path, hidden.mayHide(at: path) { return }
            throw replayer.undecodable(state, at: position, error)
        }
        guard let value = difference.right else { return }
        if let suspect = try replayer.form.suspect(at: difference.path, with: value, in: state) {
            throw MigrationLine(recording, replayer.app).failure(for: suspect, inState: state, position)
        }
    }

    /// The reducer that was the last to change a place in a recorded action; `nil` if none did, or if it is not known.
    /// Costs the recorded state after each reducer that changed it.
    private func recordedWriter(of path: NodePath, in record: RecordedAction) throws -> String? {
        let start = Recording.Position(seq: record.seq - 1)
        guard start >= recording.start, recording.absence(at: start) == nil,
            recording.absence(ofChangesIn: record.seq) == nil
        else { return nil }
        var before = try replayer.recordedState(at: start)[path]
        var writer: String?
        for step in try checkedSteps(of: record) where step.patch?.isEmpty == false {
            let position = Recording.Position(seq: record.seq, reducer: step.reducer)
            let after = try replayer.recordedState(at: position)[path]
            if after != before { writer = recording.name(ofReducer: step.reducer) }
            before = after
        }
        return writer
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
