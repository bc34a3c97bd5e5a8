import HindsightTree

/// Shortens long values of a recording, so that one of them does not fill many pages.
enum ModelContextValue {
    /// The most bytes of JSON of a value that stays whole.
    static let most = 400
    /// The bytes that are shown of a longer text, and how many of them stand before a difference.
    private static let (shown, before) = (100, 30)
    /// The depth up to which only the long parts of a value are shortened.
    private static let deepest = 4

    /// The members of commands' JSON that hold a value of any kind, each with the members that it is compared with.
    private static let members = [
        "action": [], "old": ["new", "value"], "new": ["old"], "value": ["old"], "expected": ["got"],
        "got": ["expected"],
        "recorded": ["changed"], "changed": ["recorded"], "remove": ["insert"], "insert": ["remove"],
    ]

    /// An object of a command's JSON with its values and all other long texts shortened.
    static func shortened(in node: Node) -> Node {
        switch node {
        case .array(let elements):
            return .array(elements.map(shortened(in:)))
        case .object(let all):
            return .object(
                all.map { member in
                    guard let others = members[member.key], isValue(member, in: node) else {
                        return Node.Member(member.key, shortened(in: member.value))
                    }
                    let other = others.lazy.compactMap { node[$0] }.first
                    return Node.Member(member.key, shortened(member.value, besides: other))
                }
            )
        default:
            return shortened(node)
        }
    }

    /// Whether a member that may hold a value does: `part` has lines of a log in `action`, and `log` paths in
    /// `changed`; `whatif` has values in `recorded` and `changed`, or patches.
    private static func isValue(_ member: Node.Member, in object: Node) -> Bool {
        switch member.key {
        case "action": member.value["seq"] == nil
        case "recorded", "changed":
            object["recorded"] != nil && object["changed"] != nil && member.value[0]?["op"] == nil
        default: true
        }
    }

    private static func shortened(_ node: Node, besides other: Node? = nil, depth: Int = 0) -> Node {
        let bytes = node.json.utf8.count
        guard bytes > most else { return node }
        var whole: Node?
        switch node {
        case .string(let text):
            return part(of: Array(text.utf8), besides: other)
        case .array(let elements) where depth < deepest:
            whole = .array(elements.map { shortened($0, depth: depth + 1) })
        case .object(let members) where depth < deepest:
            whole = .object(members.map { Node.Member($0.key, shortened($0.value, depth: depth + 1)) })
        default:
            break
        }
        if let whole, whole.json.utf8.count <= most { return whole }
        let (kind, count) = size(of: node)
        return ["shortened": .string(kind), "count": .int(count), "bytes": .int(bytes)]
    }

    /// The part of a long text shortly before its first difference from another one.
    private static func part(of text: [UInt8], besides other: Node?) -> Node {
        var from = 0
        if case .string(let other)? = other { from = zip(text, other.utf8).prefix { $0 == $1 }.count }
        from = boundary(from - before, in: text)
        let part = text[from..<boundary(from + shown, in: text)]
        return [
            "shortened": "string", "bytes": .int(text.count), "at": .int(from),
            "part": .string(String(decoding: part, as: UTF8.self)),
        ]
    }

    /// The last offset up to `offset` at which a scalar begins.
    static func boundary(_ offset: Int, in text: [UInt8]) -> Int {
        var offset = min(max(0, offset), text.count)
        while offset > 0, offset < text.count, text[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    /// What a long value is, and the number of its elements, members or bytes.
    static func size(of node: Node) -> (kind: String, count: Int) {
        switch node {
        case .array(let elements): ("array", elements.count)
        case .object(let members): ("object", members.count)
        case .string(let text): ("string", text.utf8.count)
        case .data(let bytes): ("data", bytes.count)
        default: ("number", node.json.utf8.count)
        }
    }
}
