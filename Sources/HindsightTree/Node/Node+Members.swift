import HindsightSupport

extension [Node.Member] {
    /// The index of the member `key`.
    ///
    /// Costs the logarithm of the number of members if they are sorted by key and `key` is among them, otherwise a
    /// comparison a member.
    func index(ofKey key: String) -> Int? {
        if count > 16 {
            // A key that binary search finds is right in any order. One that it misses may still be there.
            let index = sortedIndex(ofKey: key)
            if index < count, self[index].key.hasSameScalars(as: key) { return index }
        }
        return firstIndex { $0.key.hasSameScalars(as: key) }
    }

    /// The index of the first member whose key is not before `key`, if members are sorted by key.
    func sortedIndex(ofKey key: String) -> Int {
        partitioningIndex { !$0.key.precedesByScalars(key) }
    }

    /// Whether each key comes after the one before it.
    var isSortedByKey: Bool {
        indices.dropFirst().allSatisfy { self[$0 - 1].key.precedesByScalars(self[$0].key) }
    }

    /// The values of both objects by key: those of this one, in order, and then those that only the other one has.
    package func paired(with other: [Node.Member]) -> [(key: String, left: Node?, right: Node?)] {
        let there = Dictionary(other.map { (ScalarKey($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        let here = Set(map { ScalarKey($0.key) })
        var pairs: [(key: String, left: Node?, right: Node?)] = []
        for member in self { pairs.append((member.key, member.value, there[ScalarKey(member.key)])) }
        for member in other where !here.contains(ScalarKey(member.key)) {
            pairs.append((member.key, nil, member.value))
        }
        return pairs
    }

    /// The members sorted by key, by UTF-8 bytes.
    func sortedByKey() -> [Node.Member] {
        sorted { $0.key.precedesByScalars($1.key) }
    }
}

extension Node {
    /// Whether it is an object whose members are sorted by key.
    var hasSortedMembers: Bool {
        guard case .object(let members) = self else { return false }
        return members.isSortedByKey
    }
}
