extension Collection {
    /// The elements by a key, in the order in which the keys first come.
    func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        let groups = Dictionary(grouping: self, by: key)
        var seen: Set<Key> = []
        return map(key).filter { seen.insert($0).inserted }.map { ($0, groups[$0] ?? []) }
    }
}
