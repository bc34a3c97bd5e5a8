extension Patch {
    /// Finds the operations that lead from `old` to `new`. ``apply(to:)`` then gives a node with exactly the same JSON
    /// text.
    ///
    /// Members are added, removed and changed one by one if those that stay keep their order. Elements of arrays that
    /// came or went are a splice. If as many came as went, they are compared pair by pair. Long strings and data are
    /// edited.
    ///
    /// Costs a few walks over what differs, within a fixed bound.
    ///
    /// - Parameter ignoringMemberOrder: Whether the result need only be equivalent to `new`
    ///   (``Node/isEquivalent(to:)``), so that another order of members is no difference.
    package init(from old: Node, to new: Node, ignoringMemberOrder: Bool = false) {
        var diff = NodeDiff(ignoresOrder: ignoringMemberOrder)
        diff.compare(old, new)
        self.init(diff.operations)
    }
}

/// Finds the operations that lead from one node to another.
struct NodeDiff {
    let ignoresOrder: Bool
    private(set) var operations: [Patch.Operation] = []
    /// The path of the comparison, as it is after the operations so far.
    private var path: [String] = []

    init(ignoresOrder: Bool) {
        self.ignoresOrder = ignoresOrder
    }

    mutating func compare(_ old: Node, _ new: Node) {
        switch (old, new) {
        case (.string(let old), .string(let new)):
            operations += Patch.Operation.changes(at: NodePath(path), from: old, to: new)
        case (.data(let old), .data(let new)):
            operations += Patch.Operation.changes(at: NodePath(path), from: old, to: new)
        case (.array(let old), .array(let new)):
            compare(old, new)
        case (.object(let oldMembers), .object(let newMembers)):
            if !compare(oldMembers, newMembers) { replace(old, new) }
        default:
            if !isSame(old, new) { replace(old, new) }
        }
    }

    private func isSame(_ left: Node, _ right: Node) -> Bool {
        ignoresOrder ? left.isEquivalent(to: right) : left == right
    }

    private mutating func replace(_ old: Node, _ new: Node) {
        operations.append(.replace(path: NodePath(path), old: old, new: new))
    }

    private mutating func compare(_ old: Node, _ new: Node, at name: String) {
        // What both share is not walked: nearly all of a state and the next one.
        if isBitwiseEqual(old, new) { return }
        path.append(name)
        compare(old, new)
        path.removeLast()
    }

    // MARK: Arrays

    private mutating func compare(_ old: [Node], _ new: [Node]) {
        // One element each needs no alignment, which would compare nested lists of one again at each level.
        if old.count == 1, new.count == 1 { return compare(old[0], new[0], at: "0") }
        for hunk in hunks(old, new) {
            if hunk.old.count == hunk.new.count {
                for (oldIndex, newIndex) in zip(hunk.old, hunk.new) {
                    compare(old[oldIndex], new[newIndex], at: String(newIndex))
                }
            } else {
                operations.append(
                    .splice(
                        path: NodePath(path),
                        at: hunk.new.lowerBound,
                        remove: Array(old[hunk.old]),
                        insert: Array(new[hunk.new])
                    )
                )
            }
        }
    }

    func hunks(_ old: [Node], _ new: [Node]) -> [Hunk] {
        let (prefix, suffix) = Alignment.commonEnds(old.count, new.count) { isSame(old[$0], new[$1]) }
        let oldRest = old[prefix..<(old.count - suffix)]
        let newRest = new[prefix..<(new.count - suffix)]
        if oldRest.isEmpty && newRest.isEmpty { return [] }
        if oldRest.isEmpty || newRest.isEmpty || (oldRest.count == 1 && newRest.count == 1) {
            return [Hunk(old: oldRest.indices, new: newRest.indices)]
        }
        // Hashes tell quickly that two elements differ, however late they do.
        let oldHashes = oldRest.map(hash)
        let newHashes = newRest.map(hash)
        return Alignment.hunks(oldRest.count, newRest.count) {
            oldHashes[$0] == newHashes[$1] && isSame(old[prefix + $0], new[prefix + $1])
        }
        .map { $0.moved(prefix, prefix) }
    }

    private func hash(_ node: Node) -> Int {
        var hasher = Hasher()
        if ignoresOrder { node.hashEquivalently(into: &hasher) } else { node.hash(into: &hasher) }
        return hasher.finalize()
    }

    // MARK: Objects

    /// Compares member by member. Returns `false` if the objects share no key, or share keys in another order.
    private mutating func compare(_ old: [Node.Member], _ new: [Node.Member]) -> Bool {
        if old.count == new.count, zip(old, new).allSatisfy({ $0.key.hasSameScalars(as: $1.key) }) {
            for (old, new) in zip(old, new) { compare(old.value, new.value, at: old.key) }
            return true
        }
        let oldPlaces = Dictionary(old.enumerated().map { (ScalarKey($1.key), $0) }) { first, _ in first }
        let matches = new.map { oldPlaces[ScalarKey($0.key)] }
        let common = matches.compactMap { $0 }
        guard !common.isEmpty else { return false }
        guard ignoresOrder || zip(common, common.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }

        var isKept = [Bool](repeating: false, count: old.count)
        for place in common { isKept[place] = true }
        for place in old.indices.reversed() where !isKept[place] {
            let path = NodePath(path + [old[place].key])
            operations.append(.remove(path: path, old: old[place].value, at: place))
        }
        var count = common.count
        for (place, member) in new.enumerated() where matches[place] == nil {
            let path = NodePath(path + [member.key])
            operations.append(.add(path: path, value: member.value, at: min(place, count)))
            count += 1
        }
        for (member, match) in zip(new, matches) {
            if let match { compare(old[match].value, member.value, at: member.key) }
        }
        return true
    }
}
