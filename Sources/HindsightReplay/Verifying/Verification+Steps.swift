import HindsightRecording
import HindsightTree

/// Running an action and comparing its changes with the recorded ones.
extension Verification {
    /// The recorded steps of an action.
    ///
    /// - Throws: `RecordingError` if their numbers do not increase, or name no reducer: such a step would not be
    ///   compared.
    func checkedSteps(of record: RecordedAction) throws -> [RecordedStep] {
        let steps = try replayer.parsedSteps()
        var last = 0
        for step in steps {
            guard step.reducer > last, step.reducer <= recording.reducers.count else {
                let reason = "the numbers of its steps do not match its reducers"
                throw recording.damaged(reason, seq: record.seq, reducer: step.reducer)
            }
            last = step.reducer
        }
        return steps
    }

    /// Runs the action, and compares the changes of each reducer.
    func runComparingSteps(of record: RecordedAction) throws -> [ReplayedStep] {
        let count = result.divergenceCount
        var steps: [ReplayedStep] = []
        steps.reserveCapacity(replayer.app.reducers.count)
        // As long as today's steps have the recorded text, that is not parsed.
        var matcher = recorded == nil ? replayer.recordedSteps?.matcher : nil
        var parsed: [RecordedStep]?
        while let step = try replayer.runReducer() {
            steps.append(step)
            result.steps += 1
            try noteUnstable(step, in: record)
            if parsed == nil, matcher?.matchNext(step.patch) == true { continue }
            let recordedSteps = try parsed ?? checkedSteps(of: record)
            parsed = recordedSteps
            let expected = recordedSteps.first { $0.reducer == step.reducer }?.patch ?? Patch()
            if recorded == nil, try isSame(expected, step.patch) { continue }
            let new = try places(changedBy: expected, step.patch, record.seq, reducer: step.reducer)
            if !replayer.form.isCurrent, new.isEmpty {
                return steps + (try runComparingStates(of: record))
            }
            if new.isEmpty || result.divergenceCount > count { continue }
            try diverge(after: record, step: step, new, as: .reducer)
            if options.afterDivergence != .chained { break }
        }
        // Steps without a counterpart may be damage.
        if parsed == nil, matcher?.isAtEnd != true { _ = try checkedSteps(of: record) }
        return steps
    }

    /// Runs the action, and compares the states after it.
    func runComparingStates(of record: RecordedAction) throws -> [ReplayedStep] {
        let recordedSteps = try checkedSteps(of: record)
        var steps: [ReplayedStep] = []
        steps.reserveCapacity(replayer.app.reducers.count)
        while let step = try replayer.runReducer() {
            steps.append(step)
            result.steps += 1
            try noteUnstable(step, in: record)
        }
        let new: [NodePath]
        if replayer.form.isConverted {
            recorded = try recordedState(at: record.seq, reducer: nil)
            replayed = try replayer.state()
            new = try update([NodePath()])
        } else if replayer.form.migratesStates {
            let before = try recorded ?? recordedState(at: record.seq, reducer: 0)
            recorded = before
            let after = try recordedState(at: record.seq, reducer: nil)
            let actual = Patch(steps.flatMap(\.patch.operations))
            new = try places(changedBy: Patch(from: before, to: after), actual, record.seq, reducer: nil)
            // It shares what did not change with the next one, which makes their comparison cheap.
            if !replayer.form.isConverted { recorded = after }
        } else {
            if recorded == nil, Self.haveSameOperations(recordedSteps, steps) { return steps }
            let expected = Patch(recordedSteps.flatMap { $0.patch?.operations ?? [] })
            let actual = Patch(steps.flatMap(\.patch.operations))
            if recorded == nil, try isSame(expected, actual) { return steps }
            new = try places(changedBy: expected, actual, record.seq, reducer: nil)
        }
        if new.isEmpty { return steps }
        let step = try differingStep(recordedSteps, steps, at: new)
        try diverge(after: record, step: step, new, as: .action, steps: steps)
        return steps
    }

    /// Whether both have the same operations, whichever reducers made them.
    private static func haveSameOperations(_ recorded: [RecordedStep], _ today: [ReplayedStep]) -> Bool {
        let operations = recorded.lazy.compactMap(\.patch).flatMap(\.operations)
        return operations.elementsEqual(today.lazy.flatMap(\.patch.operations))
    }

    /// Whether two patches are the same except for what is not compared.
    private func isSame(_ expected: Patch, _ actual: Patch) throws -> Bool {
        if expected == actual { return true }
        return try comparison.isSame(expected, actual)
    }

    /// Applies patches to the kept states, and compares the places that they change.
    ///
    /// - Returns: The places that differ now and did not before; none if the patches are the same, since then the
    ///   reducers did the same.
    private func places(
        changedBy expected: Patch,
        _ actual: Patch,
        _ seq: Int,
        reducer: Int?
    ) throws -> [NodePath] {
        let isSame = try !comparison.namesElements && isSame(expected, actual)
        if recorded == nil {
            recorded = try recordedState(at: seq, reducer: (reducer ?? 1) - 1)
        }
        do {
            try recorded?.apply(expected)
        } catch {
            throw recording.damaged(seq: seq, reducer: reducer, cause: error)
        }
        try follow(actual)
        if isSame, differing.isEmpty { return [] }
        let touched = DifferingPlaces.places(
            touchedBy: expected.operations + actual.operations,
            in: [recorded, replayed].compactMap { $0 }
        )
        let new = try update(touched)
        return isSame ? [] : new
    }

    /// Applies today's patch to the replayed state, or reads that state, if it is not kept.
    private func follow(_ patch: Patch) throws {
        do {
            guard replayed != nil else { return replayed = try replayer.state() }
            try replayed?.apply(patch)
        } catch is TreeError {
            replayed = try replayer.state()
        }
    }

    /// Compares the kept states at some places.
    ///
    /// - Returns: The places that differ now and did not before.
    func update(_ touched: [NodePath]) throws -> [NodePath] {
        guard let recorded, let replayed else { return [] }
        inputDiffered = !differing.isEmpty
        let before = differing
        let new = try differing.update(touched, recorded, replayed, by: &comparison)
        guard !new.isEmpty, try learnForm(from: recorded) else { return new }
        differing = before
        guard let recorded = self.recorded else { return [] }
        return try differing.update(touched, recorded, replayed, by: &comparison)
    }

    /// Notes what only a later recorded state has: elements that were added later may have fields that today's types do
    /// not read, or values that they read as other ones.
    ///
    /// - Returns: Whether there are some. The states are to be compared again.
    private func learnForm(from state: Node) throws -> Bool {
        let wasConverted = replayer.form.isConverted
        guard replayer.findForm(in: state, canConvert: options.level != .steps) else { return false }
        try comparison.noteUnread(of: replayer.form)
        result.noteUnshared(replayer.form.unshared)
        result.conversions = replayer.form.conversions
        if replayer.form.isConverted, !wasConverted {
            // Recorded changes no longer lead from one such state to the next.
            result.level = .states
            recorded = try replayer.app.typed.reencoded(state, replayer.redactor)
        }
        return true
    }

    /// The recorded state in today's form. `reducer` 0 is the state before the action.
    private func recordedState(at seq: Int, reducer: Int?) throws -> Node {
        try replayer.recordedState(at: Recording.Position(seq: seq, reducer: reducer))
    }

    /// The first of today's steps that differs from the step of the same reducer in the recording, if the steps before
    /// it agree and it touches a place that differs.
    private func differingStep(
        _ recordedSteps: [RecordedStep],
        _ steps: [ReplayedStep],
        at places: [NodePath]
    ) throws -> ReplayedStep? {
        guard replayer.form.isCurrent else { return nil }
        var rest = recordedSteps.filter { !($0.patch?.isEmpty ?? true) }[...]
        for step in steps {
            let number = numbers[step.reducer - 1]
            let expected = rest.first.flatMap { $0.reducer == number ? $0.patch : nil } ?? Patch()
            if step.patch.isEmpty, expected.isEmpty { continue }
            if !expected.isEmpty, try isSame(expected, step.patch) {
                rest.removeFirst()
                continue
            }
            // If an earlier recorded step has no counterpart here, or a reducer was added, none can be told.
            guard let number, expected.isEmpty ? rest.first.map({ $0.reducer > number }) ?? true : true else {
                return nil
            }
            return places.contains { expected.touches($0) || step.patch.touches($0) } ? step : nil
        }
        return nil
    }
}

extension Patch {
    /// Whether an operation is at a place, inside it or around it.
    func touches(_ place: NodePath) -> Bool { operations.contains { $0.touches(place) } }
}

extension Patch.Operation {
    /// Whether it is at a place, inside it or around it.
    func touches(_ place: NodePath) -> Bool { path.contains(place) || place.contains(path) }
}

extension Node {
    mutating func apply(_ patch: Patch) throws {
        try patch.apply(to: &self)
    }
}
