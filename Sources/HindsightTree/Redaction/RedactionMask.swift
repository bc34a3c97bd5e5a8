/// Removes what is hidden from nodes and patches, to compare two of them in all else.
package struct RedactionMask: Sendable {
    private let automaton: PathAutomaton

    /// - Parameters:
    ///   - patterns: Patterns as for redaction: a number matches any number.
    ///   - exact: Patterns in which a number matches only itself. A mask with such numbers fits nodes, and no patches,
    ///     whose operations move elements.
    /// - Throws: ``PatternError``.
    package init(_ patterns: [String], exact: [String] = []) throws(PatternError) {
        automaton = try PathAutomaton(patterns.map { ($0, nil) }, exact: exact)
    }

    /// Whether a pattern names one element of an array, or a key that is a number.
    package static func hasNumbers(_ pattern: String) -> Bool { PathPattern(pattern)?.hasNumbers ?? false }

    /// Whether the value at a path is hidden.
    package func hides(_ path: NodePath) -> Bool { automaton.isHidden(state(at: path)) }

    /// Those of the given patterns that can only match what this mask hides.
    package func covered(of patterns: [String]) -> [String] {
        patterns.filter { PathPattern($0).map(automaton.covers) ?? false }
    }

    private func state(at path: NodePath) -> Int {
        path.components.reduce(automaton.start) { automaton.step(from: $0, toName: $1) }
    }

    /// The hidden paths of a node, in its order. Costs a walk over what patterns may match. `path` is the path of the
    /// node.
    package func hiddenPaths(in node: Node, at path: NodePath = NodePath()) -> [NodePath] {
        var paths: [NodePath] = []
        gather(node, state(at: path), path, &paths)
        return paths
    }

    private func gather(_ node: Node, _ state: Int, _ path: NodePath, _ paths: inout [NodePath]) {
        if state == PathAutomaton.dead { return }
        if automaton.isHidden(state) {
            paths.append(path)
            return
        }
        for (name, value) in node.children {
            gather(value, automaton.step(from: state, toName: name), path.appending(name), &paths)
        }
    }

    /// A node without what is hidden: members are removed, elements become null. `path` is the path of the node.
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

    /// A patch without what is hidden, to compare with another one. It may not apply any more.
    package func masked(_ patch: Patch) -> Patch {
        if automaton.start == PathAutomaton.dead { return patch }
        return Patch(patch.operations.compactMap(masked))
    }

    private func masked(_ operation: Patch.Operation) -> Patch.Operation? {
        let state = state(at: operation.path)
        if state == PathAutomaton.dead { return operation }
        if automaton.isHidden(state) { return nil }
        if operation.kind == .edit { return operation }
        var change = operation.change
        change.old = change.old.map { masked($0, state) }
        change.new = change.new.map { masked($0, state) }
        if operation.kind == .replace, change.old == change.new { return nil }
        // The index of a member depends on the hidden members.
        if operation.kind != .splice { change.at = nil }
        return Patch.Operation(operation.kind, at: operation.path, change)
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
