extension [Node.Member] {
    /// The place of the member `key`.
    ///
    /// Costs the logarithm of the number of members where they are sorted by key and `key` is among them; otherwise a
    /// comparison a member.
    func index(ofKey key: String) -> Int? {
        if count > 16 {
            // What a search by halves finds is right whatever the order is; only what it misses proves nothing.
            let place = sortedPlace(ofKey: key)
            if place < count, self[place].key.hasSameScalars(as: key) { return place }
        }
        return firstIndex { $0.key.hasSameScalars(as: key) }
    }

    /// The first place whose key is not before `key`, where members are sorted by key.
    func sortedPlace(ofKey key: String) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key.precedesByScalars(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether each key comes after the one before it.
    var isSortedByKey: Bool {
        indices.dropFirst().allSatisfy { self[$0 - 1].key.precedesByScalars(self[$0].key) }
    }

    /// The members sorted by key, by UTF-8 bytes.
    func sortedByKey() -> [Node.Member] {
        sorted { $0.key.precedesByScalars($1.key) }
    }
}
