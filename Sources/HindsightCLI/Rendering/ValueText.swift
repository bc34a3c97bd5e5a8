import HindsightSupport
import HindsightTree

/// Formats a node on one line in Swift notation: `{id: 3, title: "Milk", done: false}`.
///
/// Long values are truncated, with a count of the missing part. The text is escaped. With a budget of
/// ``Terminal/unlimited``, only data is truncated.
struct ValueText {
    /// The approximate number of characters.
    var budget = 80
    /// The number of characters to show of a string.
    var longestString = 60

    func text(of node: Node) -> String {
        var writer = Writer(budget, longestString)
        writer.write(node, depth: 0)
        return writer.text
    }

    /// The texts of two different values, of which one may be missing.
    ///
    /// Long strings with a common beginning are shown from shortly before their difference. If the texts are the same
    /// otherwise, as for decimals with different scales, numbers are shown as they are stored.
    func texts(of old: Node?, _ new: Node?) -> (String, String) {
        guard let old, let new else { return (old.map(text) ?? "nothing", new.map(text) ?? "nothing") }
        if case .string(let old) = old, case .string(let new) = new, let texts = tails(old, new) { return texts }
        let texts = (text(of: old), text(of: new))
        return texts.0 == texts.1 ? (stored(old), stored(new)) : texts
    }

    /// Two long strings from shortly before their difference; `nil` if that is near their beginnings.
    private func tails(_ old: String, _ new: String) -> (String, String)? {
        let longest = min(longestString, max(12, budget))
        guard Terminal.isLimit(longest), max(old.utf8.count, new.utf8.count) > longest else { return nil }
        let common = zip(old.unicodeScalars, new.unicodeScalars).prefix { $0 == $1 }.count
        guard common > longest / 2 else { return nil }
        func tail(_ text: String) -> String {
            let start = text.unicodeScalars.index(text.startIndex, offsetBy: common - min(8, longest / 4))
            return "\"…" + Self.string(String(text.unicodeScalars[start...]), longest: longest).dropFirst()
        }
        return (tail(old), tail(new))
    }

    private func stored(_ node: Node) -> String {
        var writer = Writer(budget, longestString)
        writer.showsStoredNumbers = true
        writer.write(node, depth: 0)
        return writer.text
    }

    /// An object's members as an argument list: `id: 3, "x"`. A key `_0` is the payload without a label.
    func argumentList(_ members: [Node.Member]) -> String {
        var writer = Writer(budget, longestString)
        writer.writeMembers(members, depth: 0, hidingPositions: true)
        return writer.text
    }

    /// A member's name before a value: quoted, unless it looks like a name.
    static func key(_ key: String, longest: Int = 40) -> String {
        let isPlain =
            !key.isEmpty && key.utf8.count <= longest
            && key.unicodeScalars.allSatisfy {
                $0 == "_" || $0 == "-" || $0 == "$" || $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
        return isPlain ? escape(key) : string(key, longest: longest)
    }

    /// A string in quotes, truncated with a count of the missing bytes.
    static func string(_ text: String, longest: Int) -> String {
        // The count would be longer than 16 bytes.
        guard let (start, missing) = text.cut(to: longest), missing > 16 else { return quote(text) }
        return quote(start).dropLast() + "…\" (+\(Quantities.counted(missing, "byte")))"
    }

    /// The first bytes in hexadecimal: `<1,204 bytes: 00ff…>`.
    static func data(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let more = bytes.count > 8 ? "…" : ""
        return "<\(Quantities.counted(bytes.count, "byte"))\(bytes.isEmpty ? "" : ": ")\(shown)\(more)>"
    }
}

private struct Writer {
    /// The depth below which containers are only counted.
    private static let deepest = 6

    var text = ""
    private var left: Int
    private let longestString: Int
    private let longestKey: Int
    private let longestNumber: Int
    private let deepest: Int
    var showsStoredNumbers = false

    init(_ budget: Int, _ longestString: Int) {
        let isLimited = Terminal.isLimit(budget)
        left = budget
        self.longestString = isLimited ? longestString : .max
        longestKey = isLimited ? 40 : .max
        longestNumber = isLimited ? 60 : .max
        deepest = isLimited ? Self.deepest : TreeLimits.depth
    }

    mutating func put(_ piece: String) {
        text += piece
        left -= piece.count
    }

    /// - Parameter isPayload: Whether this is an enum's payload without a label.
    mutating func write(_ node: Node, depth: Int, isPayload: Bool = false) {
        switch node {
        case .null: put("nil")
        case .bool(let value): put(value ? "true" : "false")
        case .int(let value): put(String(value))
        case .number(let literal):
            let text = showsStoredNumbers ? literal : DecimalText.plain(literal)
            put(text.utf8.count > longestNumber ? "\(escape(String(text.prefix(40))))…" : escape(text))
        // Without quotes, to distinguish it from a string of the app.
        case .string("[redacted]"): put("[redacted]")
        case .string(let value): put(ValueText.string(value, longest: min(longestString, max(12, left))))
        case .data(let bytes): put(ValueText.data(bytes))
        case .array(let elements): writeElements(elements, depth: depth)
        case .object(let members):
            if depth < deepest, let (name, payload) = node.enumCase(isPayload: isPayload) {
                put("." + ValueText.key(name, longest: longestKey))
                guard !payload.isEmpty else { return }
                put("(")
                writeMembers(payload, depth: depth, hidingPositions: true)
                put(")")
            } else if depth >= deepest, !members.isEmpty {
                put("{…\(members.count)}")
            } else {
                put("{")
                writeMembers(members, depth: depth, hidingPositions: false)
                put("}")
            }
        }
    }

    private mutating func writeElements(_ elements: [Node], depth: Int) {
        if depth >= deepest, !elements.isEmpty {
            put("[…\(elements.count)]")
            return
        }
        put("[")
        for (index, element) in elements.enumerated() {
            if left <= 0 {
                put("\(index > 0 ? ", " : "")… +\(Quantities.grouped(elements.count - index))")
                break
            }
            if index > 0 { put(", ") }
            write(element, depth: depth + 1)
        }
        put("]")
    }

    mutating func writeMembers(_ members: [Node.Member], depth: Int, hidingPositions: Bool) {
        for (index, member) in members.enumerated() {
            if left <= 0 {
                put("\(index > 0 ? ", " : "")… +\(Quantities.grouped(members.count - index))")
                break
            }
            if index > 0 { put(", ") }
            let isPayload = hidingPositions && member.key.isPayloadPosition
            if !isPayload { put(ValueText.key(member.key, longest: longestKey) + ": ") }
            write(member.value, depth: depth + 1, isPayload: isPayload)
        }
    }
}
