extension Node {
    /// The JSON text on several lines, indented by `indent` spaces a level, without a line break at the end.
    ///
    /// Empty containers and data stay on one line. The text reads back as the same node.
    public func prettyJSON(indent: Int = 2) -> String {
        var writer = JSONWriter()
        writer.writePretty(self, step: max(indent, 0), level: 0)
        return writer.text
    }

    /// The same for people: decimals have no exponent, `20` for `2e1`. The text loses the scale.
    package func plainJSON(indent: Int = 2) -> String { withPlainNumbers.prettyJSON(indent: indent) }

    /// The same on one line.
    package var plainJSONLine: String { withPlainNumbers.json }

    private var withPlainNumbers: Node {
        switch self {
        case .number(let literal): .number(DecimalText.plain(literal))
        case .array(let elements): .array(elements.map(\.withPlainNumbers))
        case .object(let members): .object(members.map { Member($0.key, $0.value.withPlainNumbers) })
        default: self
        }
    }
}

extension JSONWriter {
    fileprivate mutating func writePretty(_ node: Node, step: Int, level: Int) {
        switch node {
        case .array(let elements) where !elements.isEmpty:
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                breakLine(step * (level + 1))
                writePretty(element, step: step, level: level + 1)
            }
            breakLine(step * level)
            bytes.append(UInt8(ascii: "]"))
        case .object(let members) where !members.isEmpty:
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                breakLine(step * (level + 1))
                write(string: JSONWriter.writtenKey(of: member, among: members))
                write(ascii: ": ")
                writePretty(member.value, step: step, level: level + 1)
            }
            breakLine(step * level)
            bytes.append(UInt8(ascii: "}"))
        default:
            write(node)
        }
    }

    private mutating func breakLine(_ indent: Int) {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
    }
}
