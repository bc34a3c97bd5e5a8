/// How data, which JSON has no form for, is told from objects.
///
/// Data is an object with the one member `$data`. So that every node has a text of its own, an object whose only key is
/// `$data` is written with one `$` more, `$$data`; so is one whose only key is `$$data`, and so on. No other key is
/// touched.
enum JSONTag {
    static let data = "$data"

    /// Whether an object with this key alone is written with one `$` more.
    static func isReserved(_ key: String) -> Bool {
        let bytes = key.utf8
        guard bytes.first == UInt8(ascii: "$") else { return false }
        return bytes.drop { $0 == UInt8(ascii: "$") }.elementsEqual("data".utf8)
    }

    /// Whether this is an object that is written with another key than it has.
    static func isEscaped(_ node: Node) -> Bool {
        guard case .object(let members) = node, members.count == 1 else { return false }
        return isReserved(members[0].key)
    }
}
