/// The form of data, for which JSON has none.
///
/// Data is an object with the only key `$data`. So that each node has a text of its own, an object whose only key is
/// `$data` is written with one more `$`, `$$data`. So is one whose only key is `$$data`, and so on. No other key
/// changes.
enum JSONTag {
    static let data = "$data"

    /// Whether an object with this only key is written with one more `$`.
    static func isReserved(_ key: String) -> Bool {
        let bytes = key.utf8
        guard bytes.first == UInt8(ascii: "$") else { return false }
        return bytes.drop { $0 == UInt8(ascii: "$") }.elementsEqual("data".utf8)
    }

    /// Whether a node is an object whose key is escaped.
    static func isEscaped(_ node: Node) -> Bool {
        guard case .object(let members) = node, members.count == 1 else { return false }
        return isReserved(members[0].key)
    }
}
