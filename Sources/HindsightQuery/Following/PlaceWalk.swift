import HindsightFormat
import HindsightRecording
import HindsightTree

/// Follows places of a state back through time, from change to change.
final class PlaceWalk {
    let tree: PlaceTree
    private let steps: StepsBackward

    /// - Parameters:
    ///   - state: The state at the position with which the steps begin.
    ///   - paths: The places to follow.
    init(_ steps: StepsBackward, from state: Node, following paths: [NodePath], asWholes followsWholes: Bool) {
        self.steps = steps
        tree = PlaceTree(of: state, following: paths, asWholes: followsWholes)
    }

    /// The changes of followed places by one step, the last first.
    struct Step {
        var step: StepsBackward.Step
        var changes: [(leaf: Int, change: PlaceTree.Change)]
        /// Where the first followed place was after it.
        var path: NodePath
    }

    /// Goes to the next change of a followed place.
    ///
    /// - Returns: `nil` if there are none back to the start.
    func next() throws(RecordingError) -> Step? {
        var elements = PlaceTree.ChangedElements()
        var action: Int?
        while !tree.isEmpty {
            // Only a walk that follows one whole place uses the path. For many leaves, computing it is slow.
            let path = tree.followsWholes ? tree.path(ofLeaf: 0) : NodePath()
            let next = try steps.next { operation in
                if action != steps.seq { (elements, action) = ([:], steps.seq) }
                return tree.isTouched(by: operation, &elements)
            }
            guard let step = next else { return nil }
            try tree.undo(step.operations) { () throws(RecordingError) in try steps.state(before: step) }
            if !tree.changes.isEmpty { return Step(step: step, changes: tree.changes, path: path) }
        }
        return nil
    }
}
