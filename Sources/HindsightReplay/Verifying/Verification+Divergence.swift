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
        var redacted = try record.map { try comparison.inputs(of: $0) } ?? recording.redaction.states
        let key = DivergenceClasses.Key(
            actionType: record?.type,
            reducerName: step?.name,
            path: first.path.generalized,
            apparent: Divergence.Cause(
                expected: first.left,
                actual: first.right,
                recordedAt: record?.nanosecondsSinceEpoch,
                isRepeatable: true
            )
        )
        var isRepeatable = true
        var cause: Divergence.Cause
        if let known = result.example(for: key) {
            (cause, isRepeatable) = (known.cause, known.isRepeatable)
            if known.redacted.isEmpty { redacted = [] }
        } else {
            cause = scope == .initialState ? .initialState : scope == .action ? key.apparent : .other
            if scope == .reducer, let step {
                isRepeatable = try replayer.isRepeatable(step)
                cause = try self.cause(of: first, record, isRepeatable: isRepeatable)
            }
            if cause == .other, !redacted.isEmpty, scope == .reducer || scope == .action, let record {
                let count = scope == .reducer ? step?.reducer : nil
                switch try dependsOnPlaceholders(first, after: record, reducers: count) {
                case true?: cause = .redaction
                case false?: redacted = []
                case nil: break
                }
            }
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
        isRepeatable: Bool
    ) throws -> Divergence.Cause {
        let cause = Divergence.Cause(
            expected: difference.left,
            actual: difference.right,
            recordedAt: record?.nanosecondsSinceEpoch,
            isRepeatable: isRepeatable
        )
        return try cause == .other && replayer.isUnstable(at: difference.path) ? .unordered : cause
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
            do {
                let count = reducers ?? replayer.app.reducers.count
                return masks.states.masked(try replayer.machine.result(ofFirst: count, on: state, action))
            } catch {
                // Not every placeholder is a value of the app's type.
                return nil
            }
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
