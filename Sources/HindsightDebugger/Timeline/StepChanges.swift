import HindsightQuery
import HindsightTree

/// What led to a position: the changes of one reducer, or of all reducers of an action.
package struct StepChanges: Sendable {
    /// The actions: several for a run of actions whose states were not recorded.
    package let actions: ClosedRange<Int>
    /// The changes of each reducer, in order. Reducer 0 is time travel, or a run of actions.
    package let steps: [RecordedStep]

    /// All operations, in order.
    package var operations: [Patch.Operation] { steps.flatMap { $0.patch?.operations ?? [] } }
}

extension Timeline {
    /// What led to a position; `nil` if it was not recorded. Empty at the start, and before the first reducer of an
    /// action.
    func changes(at position: Recording.Position) throws(RecordingError) -> StepChanges? {
        let seq = position.seq
        guard seq > first.seq, position.reducer != 0 else { return StepChanges(actions: seq...seq, steps: []) }
        if let run = recording.skippedRun(with: seq) {
            guard seq == run.upperBound, let patch = try changes(across: run) else { return nil }
            return StepChanges(
                actions: run,
                steps: [RecordedStep(reducer: 0, durationInNanoseconds: 0, patch: patch.isEmpty ? nil : patch)]
            )
        }
        if let step = computed?.step(at: position) { return StepChanges(actions: seq...seq, steps: [step]) }
        guard recording.absence(ofChangesIn: seq) == nil else { return nil }
        var steps = try recording.steps(of: seq)
        if let reducer = position.reducer { steps.removeAll { $0.reducer != reducer && $0.reducer != 0 } }
        return StepChanges(actions: seq...seq, steps: steps)
    }

    private func changes(across run: ClosedRange<Int>) throws(RecordingError) -> Patch? {
        if let patch = try recording.changes(across: run) { return patch }
        let last = Recording.Position(seq: run.upperBound)
        guard let old = try state(beforeStepAt: last), let new = try state(at: last) else { return nil }
        return Patch(from: old, to: new)
    }
}

/// The places that operations have changed, to mark values and the containers around them.
struct ChangedPlaces {
    private var changed: Set<NodePath> = []
    private var around: Set<NodePath> = []

    init(_ operations: [Patch.Operation]) {
        for operation in operations {
            if case .splice(let path, let at, _, let insert) = operation {
                for index in insert.indices { add(path.appending(String(at &+ index))) }
                if insert.isEmpty { add(path, isWhole: false) }
            } else {
                add(operation.path)
            }
        }
    }

    private mutating func add(_ path: NodePath, isWhole: Bool = true) {
        if isWhole { changed.insert(path) } else { around.insert(path) }
        around.formUnion(path.ancestors)
    }

    /// Whether a value, or something in it, was changed. Costs the depth of the path.
    func contain(_ path: NodePath) -> Bool {
        if changed.isEmpty && around.isEmpty { return false }
        if around.contains(path) { return true }
        return changed.contains(path) || path.ancestors.contains(where: changed.contains)
    }
}
