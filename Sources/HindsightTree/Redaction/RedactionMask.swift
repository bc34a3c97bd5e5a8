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

    /// Whether a value at the path, inside it or around it may be hidden.
    package func mayHide(at path: NodePath) -> Bool { state(at: path) != PathAutomaton.dead }

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

    /// A node without what is hidden: members are removed, elements become null.
    package func masked(_ node: Node) -> Node { masked(node, automaton.start) }

    private func masked(_ node: Node, _ state: Int) -> Node {
        if automaton.isHidden(state) { return .null }
        return pruned(node, state) { masked($0, $1) }
    }

    /// A node without hidden members. Elements keep their values.
    private func pruned(_ node: Node, _ state: Int) -> Node {
        if automaton.isHidden(state) { return node }
        return pruned(node, state) { pruned($0, $1) }
    }

    private func pruned(_ node: Node, _ state: Int, _ part: (Node, Int) -> Node) -> Node {
        if state == PathAutomaton.dead { return node }
        switch node {
        case .array(let elements):
            return .array(elements.enumerated().map { part($1, automaton.step(from: state, toName: String($0))) })
        case .object(let members):
            return .object(
                members.compactMap { member in
                    let state = automaton.step(from: state, toName: member.key)
                    return automaton.isHidden(state) ? nil : Node.Member(member.key, part(member.value, state))
                }
            )
        default:
            return node
        }
    }

    /// A node with null in place of what is hidden. `path` is the path of the node.
    package func blanked(_ node: Node, at path: NodePath) -> Node { replacing(node, state(at: path)) { _ in .null } }

    /// A node with other values in place of what is hidden.
    package func replacing(_ node: Node, with other: (Node) -> Node) -> Node {
        replacing(node, automaton.start, with: other)
    }

    private func replacing(_ node: Node, _ state: Int, with other: (Node) -> Node) -> Node {
        if state == PathAutomaton.dead { return node }
        if automaton.isHidden(state) { return other(node) }
        func part(_ name: String, _ node: Node) -> Node {
            replacing(node, automaton.step(from: state, toName: name), with: other)
        }
        switch node {
        case .array(let elements): return .array(elements.enumerated().map { part(String($0), $1) })
        case .object(let members): return .object(members.map { Node.Member($0.key, part($0.key, $0.value)) })
        default: return node
        }
    }

    /// Whether a state has values, and all of them are hidden.
    package func hidesAll(of node: Node) -> Bool {
        if automaton.isHidden(automaton.start) { return true }
        guard case .object(let members) = node, !members.isEmpty else { return false }
        return members.allSatisfy { automaton.isHidden(automaton.step(from: automaton.start, toName: $0.key)) }
    }

    /// Two states without what is hidden, to show how they differ: hidden members are removed, and a hidden element of
    /// `right` becomes that of `left` with its index. A hidden element that only one of them has stays as it is, because
    /// the counts differ.
    package func aligned(_ left: Node, _ right: Node) -> (Node, Node) { aligned(left, right, automaton.start) }

    private func aligned(_ left: Node, _ right: Node, _ state: Int) -> (Node, Node) {
        if state == PathAutomaton.dead { return (left, right) }
        if automaton.isHidden(state) { return (left, left) }
        switch (left, right) {
        case (.array(var left), .array(var right)):
            for index in 0..<max(left.count, right.count) {
                let state = automaton.step(from: state, toName: String(index))
                if index < left.count, index < right.count {
                    (left[index], right[index]) = aligned(left[index], right[index], state)
                } else if index < left.count {
                    left[index] = pruned(left[index], state)
                } else {
                    right[index] = pruned(right[index], state)
                }
            }
            return (.array(left), .array(right))
        case (.object(let left), .object(let right)):
            let there = Dictionary(right.map { (ScalarKey($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            var values: [ScalarKey: Node] = [:]
            var kept: [Node.Member] = []
            for member in left {
                let state = automaton.step(from: state, toName: member.key)
                if automaton.isHidden(state) { continue }
                let key = ScalarKey(member.key)
                guard let value = there[key] else {
                    kept.append(Node.Member(member.key, pruned(member.value, state)))
                    continue
                }
                let (one, other) = aligned(member.value, value, state)
                kept.append(Node.Member(member.key, one))
                values[key] = other
            }
            let others = right.compactMap { member -> Node.Member? in
                let state = automaton.step(from: state, toName: member.key)
                if automaton.isHidden(state) { return nil }
                return Node.Member(member.key, values[ScalarKey(member.key)] ?? pruned(member.value, state))
            }
            return (.object(kept), .object(others))
        default:
            return (pruned(left, state), pruned(right, state))
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
