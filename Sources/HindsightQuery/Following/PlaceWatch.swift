import HindsightTree

/// Follows the values at the places that a pattern names, from action to action.
///
/// A place is a path. If elements before it are inserted, it has another value: that counts as a change, as in the history
/// of the place. Costs what the operations touch; for an element that moves, its array.
package struct PlaceWatch {
    /// What an action did to one place.
    package struct Change: Answer {
        package let path: NodePath
        /// The value before the first step that changed it; `nil` if there was none.
        package let old: Node?
        /// The value after the last step that changed it; `nil` if there is none since.
        package fileprivate(set) var new: Node?

        package init(path: NodePath, old: Node?, new: Node?) { (self.path, self.old, self.new) = (path, old, new) }
    }

    package let pattern: PlacePattern
    /// What stays in place above all places of the pattern.
    private var part: StatePart
    /// The action after which ``part`` is that of the state; `nil` if that is not known.
    private var seq: Int?

    package init(_ pattern: PlacePattern) {
        self.pattern = pattern
        let fixed = pattern.path.components.prefix { $0 != "*" && $0 != "**" && Place.index($0) == nil }
        part = StatePart(path: NodePath(Array(fixed)))
    }

    /// Follows an action.
    ///
    /// - Parameters:
    ///   - patches: What its reducers did, in order; `nil` if that is not known.
    ///   - before: Reads the state before the action; `nil` if it is not known. Called only if it is needed.
    /// - Returns: The places that a reducer changed, each once; `nil` if that is not known.
    /// - Throws: A `TreeError` if a patch does not fit, or the errors of `before`.
    package mutating func follow(_ seq: Int, _ patches: [Patch]?, before: () throws -> Node?) throws -> [Change]? {
        let isKnown = self.seq == seq - 1
        self.seq = nil
        guard let patches else { return nil }
        let touches = patches.contains { $0.operations.contains(where: mayTouch) }
        if !isKnown {
            // What is not needed yet is not read.
            guard touches else { return [] }
            guard let state = try before() else { return nil }
            part = StatePart(path: part.path, node: state[part.path])
        }
        var changes: [Change] = []
        // The index of each place in `changes`.
        var known: [NodePath: Int] = [:]
        for patch in patches { try apply(patch, &changes, &known) }
        self.seq = seq
        return changes
    }

    private func mayTouch(_ operation: Patch.Operation) -> Bool { pattern.mayBeTouched(at: operation.region) }

    private mutating func apply(_ patch: Patch, _ changes: inout [Change], _ known: inout [NodePath: Int])
        throws(TreeError)
    {
        let regions = patch.operations.filter(mayTouch).map(\.region)
        let old = regions.isEmpty ? nil : part
        for operation in patch.operations { try part.apply(operation) }
        guard let old else { return }
        for path in paths(changedIn: regions, old) {
            let (before, after) = (old.value(at: path), part.value(at: path))
            if before == after { continue }
            if let index = known[path] {
                changes[index].new = after
            } else {
                known[path] = changes.count
                changes.append(Change(path: path, old: before, new: after))
            }
        }
    }

    /// The places that may differ in some regions of the state, each once.
    private func paths(changedIn regions: [NodePath], _ old: StatePart) -> [NodePath] {
        guard pattern.isOpen else { return [pattern.path] }
        var seen: Set<NodePath> = []
        return regions.flatMap { region in
            let region = region.contains(part.path) ? part.path : region
            return pattern.paths(around: region, in: old.value(at: region))
                + pattern.paths(around: region, in: part.value(at: region))
        }.filter { seen.insert($0).inserted }
    }
}

extension StatePart {
    /// The value at a path of the state; `nil` if there is none in this part, or the path is around it.
    fileprivate func value(at path: NodePath) -> Node? {
        guard self.path.contains(path) else { return nil }
        return node?[NodePath(Array(path.components[self.path.components.count...]))]
    }
}
