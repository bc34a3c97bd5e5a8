import TestSupport

@testable import HindsightTree

/// Nodes of all kinds, with many edge cases.
extension Seeded {
    mutating func node(depth: Int = 4) -> Node {
        switch below(depth > 0 ? 11 : 7) {
        case 0: return .null
        case 1: return .bool(once(in: 2))
        case 2: return .int(pick([0, 1, -1, 42, .min, .max, Int(truncatingIfNeeded: next())]))
        case 3: return .number(pick(Self.literals))
        case 4, 5: return .string(text())
        case 6: return .data((0..<below(40)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case 7, 8: return .array((0..<below(6)).map { _ in node(depth: depth - 1) })
        default: return object(depth: depth)
        }
    }

    mutating func text() -> String {
        var text = ""
        for _ in 0..<below(once(in: 10) ? 200 : 8) { text += pick(Self.pieces) }
        return text
    }

    private mutating func object(depth: Int) -> Node {
        var members: [Node.Member] = []
        for _ in 0..<below(once(in: 20) ? 60 : 5) {
            let key = once(in: 2) ? pick(Self.keys) : text()
            if members.index(ofKey: key) == nil { members.append(.init(key, node(depth: depth - 1))) }
        }
        if once(in: 3) { members = members.sortedByKey() }
        return .object(members)
    }

    /// A node that differs from another one in a few places.
    mutating func changed(_ node: Node, depth: Int = 2) -> Node {
        switch node {
        case .array(var elements):
            for _ in 0..<below(3) {
                let index = below(elements.count + 1)
                switch below(3) {
                case 0: elements.insert(self.node(depth: depth), at: index)
                case 1 where index < elements.count: elements.remove(at: index)
                default: if index < elements.count { elements[index] = changed(elements[index], depth: depth) }
                }
            }
            return .array(elements)
        case .object(var members):
            for _ in 0..<below(3) {
                let index = below(members.count + 1)
                let key = pick(Self.keys)
                switch below(5) {
                case 0 where members.index(ofKey: key) == nil:
                    members.insert(.init(key, self.node(depth: depth)), at: index)
                case 1 where index < members.count: members.remove(at: index)
                case 2 where once(in: 3): members.shuffle(using: &self)
                default:
                    if index < members.count { members[index].value = changed(members[index].value, depth: depth) }
                }
            }
            return .object(members)
        case .string(let text) where !once(in: 4):
            var scalars = Array(text.unicodeScalars)
            for _ in 0..<below(3) {
                let index = below(scalars.count + 1)
                if once(in: 2) {
                    scalars.insert(contentsOf: self.text().unicodeScalars, at: index)
                } else {
                    scalars.removeSubrange(index..<min(index + below(5), scalars.count))
                }
            }
            return .string(String(String.UnicodeScalarView(scalars)))
        case .data(var bytes):
            bytes.insert(UInt8(truncatingIfNeeded: next()), at: below(bytes.count + 1))
            return .data(bytes)
        default:
            return once(in: 2) ? node : self.node(depth: depth)
        }
    }

    static let literals = [
        "-0", "0.0", "-0.0", "12.50", "1.0", "1.00", "1e5", "1E+5", "1e-7", "1e400", "18446744073709551615",
        "-9223372036854775809", "9223372036854775808", "0.1", "3.141592653589793",
        "170141183460469231731687303715884105727",
    ]
    static let keys = [
        "a", "b", "c", "$data", "$$data", "$$$data", "$some", "$$some", "$", "$$", "", "a/b", "~", "~0", "~1", "é",
        "e\u{301}", "\u{0}", "0", "-", "path", "old", "op", "data", "$datax", "a long key of more than fifteen bytes",
    ]
    static let pieces = [
        "a", "b", "hello ", "\n", "\t", "\"", "\\", "/", "é", "e\u{301}", "\u{0}", "\u{1B}[31m", "\u{7F}", "\u{85}",
        "漢字",
        "👩‍👩‍👧", "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{FFFE}", "\u{61C}", "\u{10FFFF}", "the quick brown fox ",
        "a line of text that is not short\n",
    ]
}
