import HindsightRecording
import HindsightTree

/// What the reducers changed before the recorded process ended in an action, as the app's reducers have computed it.
///
/// A recording has no state after the position before that action. Questions that take computed steps answer for the
/// positions after them, too.
package struct ComputedSteps: Sendable {
    /// The number of the action.
    package let seq: Int
    /// The changes of the reducers that returned, from the first.
    package let steps: [RecordedStep]
    /// The states after each of them.
    private let states: [Node]

    /// - Parameter state: The state before the action.
    /// - Throws: A `TreeError` if a patch does not fit the state before it.
    package init(_ steps: [RecordedStep], of seq: Int, from state: Node) throws(TreeError) {
        (self.seq, self.steps) = (seq, steps)
        var (state, states) = (state, [Node]())
        for step in steps {
            try step.patch?.apply(to: &state)
            states.append(state)
        }
        self.states = states
    }

    /// The last position: after the last reducer that returned; before the first one if none did.
    package var last: Recording.Position { Recording.Position(seq: seq, reducer: steps.count) }

    /// The state after one of the reducers; `nil` at any other position.
    package func state(at position: Recording.Position) -> Node? { index(at: position).map { states[$0] } }

    /// The changes of the reducer that leads to a position; `nil` if they are not among the computed ones.
    package func step(at position: Recording.Position) -> RecordedStep? { index(at: position).map { steps[$0] } }

    /// Whether there is something at a path after one of the reducers.
    package func has(_ path: NodePath) -> Bool { states.contains { $0[path] != nil } }

    /// The changes up to a position, the first ones first, with the positions after them.
    func steps(upTo position: Recording.Position) -> [(position: Recording.Position, operations: [Patch.Operation])] {
        guard let index = index(at: position) else { return [] }
        return (0...index).map { index in
            (Recording.Position(seq: seq, reducer: index + 1), steps[index].patch?.operations ?? [])
        }
    }

    /// The position before the first of the steps that lead to a position; `nil` if none of them does.
    func firstRecorded(before position: Recording.Position) -> Recording.Position? {
        index(at: position).map { _ in Recording.Position(seq: seq, reducer: 0) }
    }

    private func index(at position: Recording.Position) -> Int? {
        guard position.seq == seq, let reducer = position.reducer, steps.indices.contains(reducer - 1) else {
            return nil
        }
        return reducer - 1
    }
}

extension Recording {
    /// The state at a position, recorded or computed.
    func state(at position: Position, _ computed: ComputedSteps?) throws(RecordingError) -> Node {
        if let state = computed?.state(at: position) { return state }
        return try state(at: position)
    }
}
