import HindsightTree

/// A part of a state, kept up to date while patches are applied or undone.
struct StatePart {
    /// Where it is.
    let path: NodePath
    /// What is there; `nil` if nothing is.
    private(set) var node: Node?
    /// The operations that were applied inside the node, until another one changed it as a whole.
    private var run = PatchRun()

    init(path: NodePath, node: Node? = nil) { (self.path, self.node) = (path, node) }

    /// Whether an operation changes something in the part, if it does not move the part.
    func isTouched(by operation: Patch.Operation) -> Bool {
        if path.contains(operation.path) { return true }
        switch operation {
        // The elements that a splice moves come after the part, and nothing is inside of a text or data.
        case .splice, .edit: return false
        case .add, .remove, .replace: return operation.path.contains(path)
        }
    }

    /// Applies an operation as far as it touches the part. Other elements of arrays around the part must not move.
    ///
    /// - Throws: A `TreeError` if it does not fit.
    mutating func apply(_ operation: Patch.Operation) throws(TreeError) {
        guard isTouched(by: operation) else { return }
        let place = operation.path
        if path.contains(place) { return try applyInside(operation.dropping(path.components.count)) }
        // What replaces everything around the part has the new value, or none.
        let inside = NodePath(Array(path.components[place.components.count...]))
        run = PatchRun()
        switch operation {
        case .add(_, let value, _): node = value[inside]
        case .replace(_, _, let new): node = new[inside]
        case .remove, .splice, .edit: node = nil
        }
    }

    private mutating func applyInside(_ operation: Patch.Operation) throws(TreeError) {
        if operation.path.isRoot {
            run = PatchRun()
            switch operation {
            case .add(_, let value, _):
                node = value
                return
            case .remove:
                node = nil
                return
            case .replace(_, let old, let new) where node == old:
                node = new
                return
            case .replace, .splice, .edit: break
            }
        }
        guard var present = node.take() else {
            throw TreeError(.badPatch, at: operation.path, "the patch does not fit: nothing is there")
        }
        defer { node = present }
        try run.apply(operation, to: &present)
    }
}
