import HindsightTree

extension Patch.Operation {
    /// The place that `log` shows: the element, if a splice inserts, removes or replaces one; its array, if several.
    package var place: NodePath {
        if case .splice(let path, let at, let removed, let inserted) = self, max(removed.count, inserted.count) == 1 {
            return path.appending(String(at))
        }
        return path
    }
}

/// The pattern of `--path`: one place in a state, or many, with `*` for one name and `**` for any number of names.
///
/// Unlike in a redaction, an index names one element.
package struct PlacePattern: Equatable, Sendable {
    /// The given path.
    package let path: NodePath
    private let components: [PathPattern.Component]
    /// Whether the pattern has wildcards.
    package let isOpen: Bool

    package init(_ path: NodePath) {
        self.path = path
        components = PathPattern(path, isExact: true).components
        isOpen = components.contains(.any) || components.contains(.anyDepth)
    }

    /// Whether something at a path, inside it, or around it may be at one of the places.
    func mayBeTouched(at changed: NodePath) -> Bool {
        if !isOpen { return changed.contains(path) || path.contains(changed) }
        let (reached, match) = match(along: changed)
        return match != nil || !reached.isEmpty
    }

    /// The first of the places along a path, or what of the pattern has matched at its end.
    private func match(along path: NodePath) -> (reached: Set<Int>, match: NodePath?) {
        var reached = start
        for (depth, name) in path.components.enumerated() {
            if isMatched(reached) { return (reached, NodePath(Array(path.components[..<depth]))) }
            reached = step(reached, name)
        }
        return (reached, isMatched(reached) ? path : nil)
    }

    /// The paths of the places around, at, or inside a part of a state.
    func paths(around part: NodePath, in node: Node?) -> [NodePath] {
        let (reached, match) = match(along: part)
        if let match { return [match] }
        var paths: [NodePath] = []
        if let node {
            walk(node, reached, part.components) { path, _ in
                paths.append(path)
                return true
            }
        }
        return paths
    }

    /// Whether one of the places is in a state.
    package func isMatched(in state: Node) -> Bool { !walk(state, start, []) { _, _ in false } }

    /// The values at the places, with their paths, in the state's order. Does not look for places inside places.
    package func places(in state: Node) -> [(path: NodePath, value: Node)] {
        var places: [(NodePath, Node)] = []
        walk(state, start, []) { path, value in
            places.append((path, value))
            return true
        }
        return places
    }

    /// What differs at the places between two states, by the values at each: their operations fit no state together.
    package func differences(from old: Node, to new: Node) -> Patch {
        let (before, after) = (places(in: old), places(in: new))
        let known = Set(before.map(\.path))
        let news = Dictionary(after.map { ($0.path, $0.value) }) { first, _ in first }
        var operations = before.flatMap { path, old -> [Patch.Operation] in
            guard let new = news[path] else { return [.remove(path: path, old: old, at: nil)] }
            return Patch(from: old, to: new).operations.map { $0.prefixed(by: path) }
        }
        operations += after.filter { !known.contains($0.path) }.map { .add(path: $0.path, value: $0.value, at: nil) }
        return Patch(operations)
    }

    /// - Parameter found: Called with each place. Returns whether to continue.
    /// - Returns: Whether the walk reached the end.
    @discardableResult
    private func walk(
        _ node: Node,
        _ reached: Set<Int>,
        _ path: [String],
        _ found: (NodePath, Node) -> Bool
    ) -> Bool {
        if isMatched(reached) { return found(NodePath(path), node) }
        if reached.isEmpty { return true }
        return node.children.allSatisfy { walk($0.value, step(reached, $0.name), path + [$0.name], found) }
    }

    // MARK: The automaton: the numbers of matched components, for all possible matches

    private var start: Set<Int> { closed([0]) }

    private func isMatched(_ reached: Set<Int>) -> Bool { reached.contains(components.count) }

    private func step(_ reached: Set<Int>, _ name: String) -> Set<Int> {
        var next: Set<Int> = []
        for index in reached where index < components.count {
            switch components[index] {
            case .name(let wanted):
                if wanted.utf8.elementsEqual(name.utf8) { next.insert(index + 1) }
            // An exact pattern has names in place of numbers.
            case .any, .number:
                next.insert(index + 1)
            case .anyDepth:
                next.insert(index)
            }
        }
        return next.isEmpty ? next : closed(next)
    }

    /// Adds the states after `**`, which also matches no name.
    private func closed(_ reached: Set<Int>) -> Set<Int> {
        var closed = reached
        for var index in reached {
            while index < components.count, components[index] == .anyDepth {
                index += 1
                closed.insert(index)
            }
        }
        return closed
    }
}
