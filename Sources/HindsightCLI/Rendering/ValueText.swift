import HindsightReplay
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
    var maxStringLength = 60

    func text(of node: Node) -> String { text(of: node, isStored: false) }

    /// The texts of two different values, of which one may be missing.
    ///
    /// Long strings with a common beginning, and long data, are shown from shortly before their difference. If containers are
    /// truncated before theirs, it is shown alone, with its path: `… /items/12/title: "Milk"`. Numbers that differ only in
    /// their scale are shown as they are stored.
    func texts(of old: Node?, _ new: Node?) -> (String, String) {
        guard let old, let new else { return (old.map(text) ?? "nothing", new.map(text) ?? "nothing") }
        switch (old, new) {
        case (.string(let old), .string(let new)):
            if let texts = tails(old, new) { return texts }
        case (.data(let old), .data(let new)):
            let common = zip(old, new).prefix { $0 == $1 }.count
            if common >= Self.shownBytes { return (Self.data(old, from: common - 2), Self.data(new, from: common - 2)) }
        default: break
        }
        if let difference = hiddenDifference(old, new) {
            let path = "… \(escape(difference.path.description)): "
            let texts = texts(of: difference.left, difference.right)
            return (path + texts.0, path + texts.1)
        }
        let texts = (text(of: old), text(of: new))
        return texts.0 == texts.1 ? (text(of: old, isStored: true), text(of: new, isStored: true)) : texts
    }

    /// The first place inside of two containers that differs, if both are truncated before it.
    func hiddenDifference(_ old: Node, _ new: Node) -> NodeDifference? {
        for isStored in [false, true]
        where text(of: old, isStored: isStored, hasCounts: false) != text(of: new, isStored: isStored, hasCounts: false)
        {
            return nil
        }
        guard let difference = old.firstDifference(from: new), !difference.path.isRoot else { return nil }
        return difference
    }

    /// Two long strings from shortly before their difference; `nil` if that is near their beginnings.
    private func tails(_ old: String, _ new: String) -> (String, String)? {
        let longest = min(maxStringLength, max(12, budget))
        guard Terminal.isLimit(longest), max(old.utf8.count, new.utf8.count) > longest else { return nil }
        let common = zip(old.unicodeScalars, new.unicodeScalars).prefix { $0 == $1 }.count
        guard common > longest / 2 else { return nil }
        func tail(_ text: String) -> String {
            let start = text.unicodeScalars.index(text.startIndex, offsetBy: common - min(8, longest / 4))
            return "\"…" + Self.string(String(text.unicodeScalars[start...]), longest: longest).dropFirst()
        }
        return (tail(old), tail(new))
    }

    /// - Parameters:
    ///   - isStored: Whether numbers are written as they are stored.
    ///   - hasCounts: Whether the missing parts are counted.
    private func text(of node: Node, isStored: Bool, hasCounts: Bool = true) -> String {
        var writer = Writer(budget, maxStringLength)
        (writer.showsStoredNumbers, writer.hasCounts) = (isStored, hasCounts)
        writer.write(node, depth: 0)
        return writer.text
    }

    /// An object's members as an argument list: `id: 3, "x"`. A key `_0` is the payload without a label.
    func argumentList(_ members: [Node.Member]) -> String {
        var writer = Writer(budget, maxStringLength)
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
    static func string(_ text: String, longest: Int, hasCount: Bool = true) -> String {
        // The count would be longer than 16 bytes.
        guard let (start, missing) = text.cut(to: longest), missing > 16 else { return quote(text) }
        return quote(start).dropLast() + (hasCount ? "…\" (+\(Quantities.counted(missing, "byte")))" : "…\"")
    }

    private static let shownBytes = 8

    /// The first bytes in hexadecimal, or those from an offset on: `<1,204 bytes: 00ff…>`.
    static func data(_ bytes: [UInt8], from start: Int = 0) -> String {
        let rest = bytes.dropFirst(start)
        let shown = rest.prefix(shownBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let place = start > 0 ? ", from \(Quantities.grouped(start))" : ""
        let count = Quantities.counted(bytes.count, "byte")
        return "<\(count)\(place)\(rest.isEmpty ? "" : ": ")\(shown)\(rest.count > shownBytes ? "…" : "")>"
    }
}

private struct Writer {
    /// The depth below which containers are only counted.
    private static let deepest = 6

    var text = ""
    private var left: Int
    private let maxStringLength: Int
    private let maxKeyLength: Int
    private let maxNumberLength: Int
    private let deepest: Int
    var showsStoredNumbers = false
    var hasCounts = true

    init(_ budget: Int, _ maxStringLength: Int) {
        let isLimited = Terminal.isLimit(budget)
        left = budget
        self.maxStringLength = isLimited ? maxStringLength : .max
        maxKeyLength = isLimited ? 40 : .max
        maxNumberLength = isLimited ? 60 : .max
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
            put(text.utf8.count > maxNumberLength ? "\(escape(String(text.prefix(40))))…" : escape(text))
        // Without quotes, to distinguish it from a string of the app.
        case .string("[redacted]"): put("[redacted]")
        case .string(let value):
            put(ValueText.string(value, longest: min(maxStringLength, max(12, left)), hasCount: hasCounts))
        case .data(let bytes): put(ValueText.data(bytes))
        case .array(let elements):
            if depth >= deepest, !elements.isEmpty {
                put("[…\(hasCounts ? "\(elements.count)" : "")]")
            } else {
                put("[")
                writeList(elements) { $0.write($1, depth: depth + 1) }
                put("]")
            }
        case .object(let members):
            if depth < deepest, let (name, payload) = node.enumCase(isPayload: isPayload) {
                put("." + ValueText.key(name, longest: maxKeyLength))
                guard !payload.isEmpty else { return }
                put("(")
                writeMembers(payload, depth: depth, hidingPositions: true)
                put(")")
            } else if depth >= deepest, !members.isEmpty {
                put("{…\(hasCounts ? "\(members.count)" : "")}")
            } else {
                put("{")
                writeMembers(members, depth: depth, hidingPositions: false)
                put("}")
            }
        }
    }

    mutating func writeMembers(_ members: [Node.Member], depth: Int, hidingPositions: Bool) {
        writeList(members) { writer, member in
            let isPayload = hidingPositions && member.key.isPayloadPosition
            if !isPayload { writer.put(ValueText.key(member.key, longest: writer.maxKeyLength) + ": ") }
            writer.write(member.value, depth: depth + 1, isPayload: isPayload)
        }
    }

    /// Writes parts with commas between them, as long as the budget lasts, and counts the others.
    private mutating func writeList<Part>(_ parts: [Part], _ writePart: (inout Writer, Part) -> Void) {
        for (index, part) in parts.enumerated() {
            let separator = index > 0 ? ", " : ""
            guard left > 0 else {
                return put("\(separator)…" + (hasCounts ? " +\(Quantities.grouped(parts.count - index))" : ""))
            }
            put(separator)
            writePart(&self, part)
        }
    }
}
