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
        var redacted = try record.map { try comparison.inputs(of: $0) } ?? recording.redaction.states
        func apparentCause(isRepeatable: Bool) -> Divergence.Cause {
            Divergence.Cause(
                expected: first.left,
                actual: first.right,
                recordedAt: record?.nanosecondsSinceEpoch,
                isRepeatable: isRepeatable
            )
        }
        let key = DivergenceClasses.Key(
            actionType: record?.type,
            reducerName: step?.name,
            path: first.path.generalized,
            apparent: apparentCause(isRepeatable: true)
        )
        let known = result.found.example(for: key)
        if known == nil, let record { try checkForm(of: recorded, after: record, at: first) }
        var isRepeatable = true
        var cause: Divergence.Cause
        if let known {
            (cause, isRepeatable) = (known.cause, known.isRepeatable)
            if known.redacted.isEmpty { redacted = [] }
        } else {
            cause = scope == .initialState ? .initialState : scope == .action ? key.apparent : .other
            if scope == .reducer, let step {
                isRepeatable = try replayer.isRepeatable(step)
                cause = apparentCause(isRepeatable: isRepeatable)
                if cause == .other, try replayer.isUnstable(at: first.path) { cause = .unordered }
            }
            if cause == .other, !redacted.isEmpty, scope == .reducer || scope == .action, let record {
                let count = scope == .reducer ? step?.reducer : nil
                switch try dependsOnPlaceholders(first, after: record, reducers: count) {
                case true?: cause = .redaction
                case false?: redacted = []
                case nil: break
                }
            }
            if cause == .other, scope == .action, result.reducers?.isReordered == true { cause = .order }
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
            if known == nil, scope == .action, step == nil {
                divergence.writers = Divergence.Writers(
                    recorded: try recordedWriter(of: first.path, in: record),
                    today: steps.last { $0.patch.touches(first.path) }?.name
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

    /// Whether today's value at a place changes if the action runs on other placeholders for redacted values.
    ///
    /// Costs a few times the whole state.
    ///
    /// - Parameter reducers: The number of reducers to run; `nil` for all.
    /// - Returns: `nil` if this could not be tried, because no other placeholder decodes, or the input is not known.
    private func dependsOnPlaceholders(
        _ difference: NodeDifference,
        after record: RecordedAction,
        reducers: Int?
    ) throws -> Bool? {
        guard !inputDiffered, replayer.parts.count == 1 else { return nil }
        let before = try replayer.recordedState(at: Recording.Position(seq: record.seq - 1))
        let masks = try comparison.redactionMasks()
        replayer.watch?(ReplayPoint(seq: record.seq, reducer: 0, phase: .retrying))
        func result(_ state: Node, _ action: Node) -> Node? {
            let count = reducers ?? replayer.app.reducers.count
            // Not every placeholder is a value of the app's type.
            return (try? replayer.machine.result(ofFirst: count, on: state, action)).map { masks.states.masked($0) }
        }
        let action = replayer.parts[0]
        guard let usual = result(before, action) else { return nil }
        // A random value would seem to depend on the placeholders.
        for _ in 0..<3 {
            guard let again = result(before, action), !difference.differs(in: again, from: usual) else { return nil }
        }
        var (all, tried): (Set<String>, Set<String>) = ([], [])
        for number in 0..<Node.otherPlaceholderCount {
            let state = Self.replacing(masks.states, in: before, number)
            let payload = Self.replacing(masks.actions, in: action, number)
            // A value that does not decode in one of the two is no obstacle in the other one.
            for (state, payload) in [(state, payload), (nil, payload), (state, nil)] where (state ?? payload) != nil {
                let parts = [state.map { _ in "state" }, payload.map { _ in "action" }].compactMap { $0 }
                all.formUnion(parts)
                guard let other = result(state ?? before, payload ?? action) else { continue }
                if difference.differs(in: other, from: usual) { return true }
                tried.formUnion(parts)
            }
        }
        return all.isSubset(of: tried) ? false : nil
    }

    /// A node with other placeholders for what is hidden; `nil` if it has no placeholders.
    private static func replacing(_ mask: RedactionMask, in node: Node, _ number: Int) -> Node? {
        var hasOthers = false
        let replaced = mask.replacing(node) { placeholder in
            let other = placeholder.otherPlaceholder(number)
            if other != placeholder { hasOthers = true }
            return other
        }
        return hasOthers ? replaced : nil
    }
}

extension NodeDifference {
    /// Whether another result has another value at the place, or, if only one of the two values exists, a key beside
    /// it that `usual` does not have: such a key may itself be derived.
    fileprivate func differs(in other: Node, from usual: Node) -> Bool {
        if other[path] != usual[path] { return true }
        guard left == nil || right == nil, let name = path.components.last else { return false }
        let parent = NodePath(Array(path.components.dropLast()))
        guard case .object(let members)? = other[parent] else { return false }
        return members.contains { !$0.key.hasSameScalars(as: name) && usual[parent]?[$0.key] == nil }
    }
}
