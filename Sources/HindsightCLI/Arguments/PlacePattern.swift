import HindsightTree

extension Patch.Operation {
    /// The place that `log` shows: the element, if a splice inserts, removes or replaces one; its array, if several.
    var place: NodePath {
        if case .splice(let path, let at, let removed, let inserted) = self, max(removed.count, inserted.count) == 1 {
            return path.appending(String(at))
        }
        return path
    }
}

/// The pattern of `--path`: one place in a state, or many, with `*` for one name and `**` for any number of names.
///
/// Unlike in a redaction, an index names one element.
struct PlacePattern: Equatable {
    private enum Component: Equatable {
        case name(String)
        case any
        case anyDepth
    }

    /// The given path.
    let path: NodePath
    private let components: [Component]
    /// Whether the pattern has wildcards.
    let isOpen: Bool

    init(_ path: NodePath) {
        self.path = path
        isOpen = path.components.contains { $0 == "*" || $0 == "**" }
        components = path.components.map {
            switch $0 {
            case "*": .any
            case "**": .anyDepth
            default: .name($0)
            }
        }
    }

    /// Whether an operation changes one of the places, something inside it, or all around it.
    func isTouched(by operation: Patch.Operation) -> Bool {
        let changed = operation.place
        if !isOpen { return changed.contains(path) || path.contains(changed) }
        var reached = start
        for name in changed.components {
            if isMatched(reached) { return true }
            reached = step(reached, name)
        }
        if reached.isEmpty { return false }
        // `**` may match anywhere inside an added or removed value.
        return isMatched(reached) || isMatched(within: operation, at: changed, reached)
    }

    /// Whether one of the places is in the values that an operation adds or removes.
    private func isMatched(within operation: Patch.Operation, at changed: NodePath, _ reached: Set<Int>) -> Bool {
        if case .splice(let path, let at, let remove, let insert) = operation {
            if changed != path { return (remove + insert).contains { isMatched(in: $0, reached) } }
            return [remove, insert].contains { elements in
                elements.enumerated().contains { isMatched(in: $0.element, step(reached, String(at &+ $0.offset))) }
            }
        }
        // An edit changes a part of a string or data, which has no places inside.
        let change = operation.change
        return [change.old, change.new].contains { $0.map { isMatched(in: $0, reached) } ?? false }
    }

    /// Whether one of the places is in a state.
    func isMatched(in state: Node) -> Bool { isMatched(in: state, start) }

    private func isMatched(in node: Node, _ reached: Set<Int>) -> Bool {
        var isFound = false
        walk(node, reached, []) { _, _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// The values at the places, with their paths, in the state's order. Does not look for places inside places.
    func places(in state: Node) -> [(path: NodePath, value: Node)] {
        var places: [(NodePath, Node)] = []
        walk(state, start, []) { path, value in
            places.append((path, value))
            return true
        }
        return places
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
        switch node {
        case .object(let members):
            return members.allSatisfy { walk($0.value, step(reached, $0.key), path + [$0.key], found) }
        case .array(let elements):
            return elements.enumerated().allSatisfy {
                let name = String($0.offset)
                return walk($0.element, step(reached, name), path + [name], found)
            }
        default:
            return true
        }
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
            case .any:
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
