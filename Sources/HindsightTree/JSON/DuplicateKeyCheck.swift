/// Finds a key that an object has twice, without hashing every key.
struct DuplicateKeyCheck {
    /// A Bloom filter of the keys so far.
    private var seen: UInt64 = 0
    private static let few = 32

    /// Whether `key` is new, for the first few members. ``repeatedKey(in:)`` checks the others.
    @inline(__always)
    mutating func isNew(_ key: String, among members: [Node.Member]) -> Bool {
        guard members.count < Self.few else { return true }
        let bytes = key.utf8
        var kind = bytes.count
        if let first = bytes.first, let last = bytes.last { kind += Int(first) &* 7 &+ Int(last) &* 31 }
        let bit: UInt64 = 1 << UInt64(kind & 63)
        defer { seen |= bit }
        return seen & bit == 0 || !members.contains { $0.key.hasSameScalars(as: key) }
    }

    func repeatedKey(in members: [Node.Member]) -> String? {
        guard members.count > Self.few, !members.isSortedByKey else { return nil }
        let keys = members.map(\.key).sorted { $0.precedesByScalars($1) }
        return keys.indices.dropFirst().first { keys[$0].hasSameScalars(as: keys[$0 - 1]) }.map { keys[$0] }
    }
}
