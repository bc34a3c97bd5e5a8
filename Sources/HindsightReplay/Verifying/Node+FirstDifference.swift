import HindsightTree

/// A place at which two nodes differ, and both values there.
package struct NodeDifference {
    package var path: NodePath
    package var left: Node?
    package var right: Node?
}

extension Node {
    /// The first place, in this node's order, at which `other` differs; `nil` if both are equivalent.
    ///
    /// The order of members does not count. If two arrays have the same count, the place is inside them. If only the
    /// order of their elements differs, it is that of the arrays. If one has more elements, it is that of the first of
    /// these. Costs one pass over both nodes.
    package func firstDifference(from other: Node, at path: NodePath = NodePath()) -> NodeDifference? {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            return Self.firstDifference(left, right, at: path)
        case (.array(let left), .array(let right)):
            return Self.firstDifference(left, right, at: path)
        default:
            return isEquivalent(to: other) ? nil : NodeDifference(path: path, left: self, right: other)
        }
    }

    private static func firstDifference(_ left: [Member], _ right: [Member], at path: NodePath) -> NodeDifference? {
        for (key, left, right) in left.paired(with: right) {
            let path = path.appending(key)
            guard let left, let right else { return NodeDifference(path: path, left: left, right: right) }
            if let difference = left.firstDifference(from: right, at: path) { return difference }
        }
        return nil
    }

    private static func firstDifference(_ left: [Node], _ right: [Node], at path: NodePath) -> NodeDifference? {
        let common = min(left.count, right.count)
        guard let index = zip(left, right).enumerated().first(where: { !$1.0.isEquivalent(to: $1.1) })?.offset else {
            if left.count == right.count { return nil }
            return NodeDifference(path: path.appending("\(common)"), left: left[at: common], right: right[at: common])
        }
        if left.count == right.count {
            if left.hasSameElements(as: right) {
                return NodeDifference(path: path, left: .array(left), right: .array(right))
            }
            return left[index].firstDifference(from: right[index], at: path.appending("\(index)"))
        }
        // If one run of elements was inserted or removed, one side has no value at its place.
        let suffix = zip(left.reversed(), right.reversed()).prefix { $0.isEquivalent(to: $1) }.count
        let place = path.appending("\(index)")
        var difference = NodeDifference(path: place, left: left[at: index], right: right[at: index])
        if index + suffix >= common {
            if left.count < right.count { difference.left = nil } else { difference.right = nil }
        }
        return difference
    }
}

extension [Node] {
    fileprivate subscript(at index: Int) -> Node? { indices.contains(index) ? self[index] : nil }

    /// Whether both have the same elements, each as often, in any order.
    func hasSameElements(as other: [Node]) -> Bool {
        func counts(_ nodes: [Node]) -> [Node: Int] { nodes.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
        return count == other.count && counts(self) == counts(other)
    }
}
