import HindsightTree

/// A node on one line, as Swift would write it: `{id: 3, title: "Milk", done: false}`.
///
/// Long things are cut, with a count of what is missing; what is cut costs nothing. The text is harmless on a terminal.
struct ValueText {
    /// Roughly how many characters the line may have.
    var budget = 80
    /// How many characters of one string are shown.
    var longestString = 60

    func text(of node: Node) -> String {
        var writer = Writer(left: budget, longestString: longestString)
        writer.write(node, depth: 0)
        return writer.text
    }

    /// An object's members as an argument list: `id: 3, "x"`. A key `_0` is the payload without a label.
    func argumentList(_ members: [Node.Member]) -> String {
        var writer = Writer(left: budget, longestString: longestString)
        writer.writeMembers(members, depth: 0, hidingPositions: true)
        return writer.text
    }

    /// A member's name as it stands in front of a value: as it is where it looks like a name, quoted elsewhere.
    static func key(_ key: String) -> String {
        let isPlain =
            !key.isEmpty && key.utf8.count <= 40
            && key.unicodeScalars.allSatisfy {
                $0 == "_" || $0 == "-" || $0 == "$" || $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
        return isPlain ? escape(key) : string(key, longest: 40)
    }

    /// A string in quotes, cut with a count of the bytes left out.
    static func string(_ text: String, longest: Int) -> String {
        let all = text.unicodeScalars
        // Bytes are counted without walking the text, so a string that is short enough in bytes is short.
        guard text.utf8.count > longest,
            let end = all.index(all.startIndex, offsetBy: longest, limitedBy: all.endIndex),
            end < all.endIndex
        else { return quote(text) }
        let missing = text.utf8.distance(from: end, to: text.utf8.endIndex)
        // Leaving out less than what says so would only hide something.
        guard missing > 16 else { return quote(text) }
        return quote(String(all[..<end])).dropLast() + "…\" (+\(Quantities.counted(missing, "byte")))"
    }

    /// The first bytes in hexadecimal: `<1,204 bytes: 00ff…>`.
    static func data(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let more = bytes.count > 8 ? "…" : ""
        return "<\(Quantities.counted(bytes.count, "byte"))\(bytes.isEmpty ? "" : ": ")\(shown)\(more)>"
    }
}

private struct Writer {
    /// Containers nested deeper than this are only counted.
    static let deepest = 6

    var text = ""
    var left: Int
    let longestString: Int

    mutating func put(_ piece: String) {
        text += piece
        left -= piece.count
    }

    mutating func write(_ node: Node, depth: Int) {
        switch node {
        case .null: put("nil")
        case .bool(let value): put(value ? "true" : "false")
        case .int(let value): put(String(value))
        case .number(let literal):
            put(literal.utf8.count > 60 ? "\(escape(String(literal.prefix(40))))…" : escape(literal))
        // Without quotes, so that it is seen to be no text of the app.
        case .string("[redacted]"): put("[redacted]")
        case .string(let value): put(ValueText.string(value, longest: min(longestString, max(12, left))))
        case .data(let bytes): put(ValueText.data(bytes))
        case .array(let elements): writeElements(elements, depth: depth)
        case .object(let members):
            if depth >= Writer.deepest, !members.isEmpty {
                put("{…\(members.count)}")
            } else {
                put("{")
                writeMembers(members, depth: depth, hidingPositions: false)
                put("}")
            }
        }
    }

    private mutating func writeElements(_ elements: [Node], depth: Int) {
        if depth >= Writer.deepest, !elements.isEmpty {
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
            if !(hidingPositions && isPosition(member.key)) { put(ValueText.key(member.key) + ": ") }
            write(member.value, depth: depth + 1)
        }
    }

    /// Swift's key for a payload without a label: `_0`, `_1` and so on.
    private func isPosition(_ key: String) -> Bool {
        let bytes = key.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "_")
            && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
