/// Leaves hidden places out of nodes and patches, so that two of them can be compared in all else.
package struct RedactionMask: Sendable {
    private let automaton: PathAutomaton

    /// - Throws: ``PatternError``.
    package init(_ patterns: [String]) throws(PatternError) {
        automaton = try PathAutomaton(patterns.map { ($0, nil) })
    }

    /// Whether a place is hidden or lies below one that is.
    package func hides(_ path: NodePath) -> Bool { automaton.isHidden(state(at: path)) }

    /// The patterns of some whose places all lie below those of others.
    package func covered(of patterns: [String]) -> [String] {
        patterns.filter { PathPattern($0).map(automaton.covers) ?? false }
    }

    private func state(at path: NodePath) -> Int {
        path.components.reduce(automaton.start) { automaton.step(from: $0, toName: $1) }
    }

    /// The places of a node that are hidden, in its order. Costs a walk over what patterns may meet.
    package func hiddenPlaces(in node: Node) -> [NodePath] {
        var places: [NodePath] = []
        gather(node, automaton.start, NodePath(), &places)
        return places
    }

    private func gather(_ node: Node, _ state: Int, _ path: NodePath, _ places: inout [NodePath]) {
        if state == PathAutomaton.dead { return }
        if automaton.isHidden(state) {
            places.append(path)
            return
        }
        for (name, value) in node.children {
            gather(value, automaton.step(from: state, toName: name), path.appending(name), &places)
        }
    }

    /// A node without what is hidden: members are gone, elements are null. `path` is where it stands.
    package func masked(_ node: Node, at path: NodePath = NodePath()) -> Node { masked(node, state(at: path)) }

    private func masked(_ node: Node, _ state: Int) -> Node {
        if state == PathAutomaton.dead { return node }
        if automaton.isHidden(state) { return .null }
        switch node {
        case .array(let elements):
            return .array(
                elements.enumerated().map { masked($1, automaton.step(from: state, toName: String($0))) }
            )
        case .object(let members):
            return .object(
                members.compactMap { member in
                    let state = automaton.step(from: state, toName: member.key)
                    return automaton.isHidden(state) ? nil : Node.Member(member.key, masked(member.value, state))
                }
            )
        default:
            return node
        }
    }

    /// The operations of a patch that change something else than what is hidden, their values without what is.
    ///
    /// It may not apply any more: it is for comparing with another one.
    package func masked(_ patch: Patch) -> Patch {
        if automaton.start == PathAutomaton.dead { return patch }
        return Patch(patch.operations.compactMap(masked))
    }

    private func masked(_ operation: Patch.Operation) -> Patch.Operation? {
        let state = state(at: operation.path)
        if state == PathAutomaton.dead { return operation }
        if automaton.isHidden(state) { return nil }
        switch operation {
        case .add(let path, let value, _):
            // Where it stands among the members depends on those that are hidden.
            return .add(path: path, value: masked(value, state), at: nil)
        case .remove(let path, let old, _):
            return .remove(path: path, old: masked(old, state), at: nil)
        case .replace(let path, let old, let new):
            let (old, new) = (masked(old, state), masked(new, state))
            return old == new ? nil : .replace(path: path, old: old, new: new)
        case .splice(let path, let at, let remove, let insert):
            func masked(_ elements: [Node]) -> [Node] {
                elements.map { self.masked($0, automaton.step(from: state, toName: "0")) }
            }
            return .splice(path: path, at: at, remove: masked(remove), insert: masked(insert))
        case .edit:
            return operation
        }
    }
}

extension Node {
    fileprivate var children: [(name: String, value: Node)] {
        switch self {
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .object(let members): members.map { ($0.key, $0.value) }
        default: []
        }
    }
}
