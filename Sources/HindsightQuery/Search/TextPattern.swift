import HindsightTree

/// The text that a search looks for, and the values that have it.
struct TextPattern {
    private let text: ByteNeedle
    /// The text, if it is a number.
    private let number: String?
    /// What JSON text has at least one of if a value or a name in it matches, and is no number with an exponent; empty if
    /// it may have anything.
    private let needles: [ByteNeedle]

    /// - Parameter text: Must not be empty.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.text = ByteNeedle(bytes)
        number = Self.number(text)
        // In JSON, and in the paths of operations, these bytes may be written in more than one way.
        let runs = bytes.split { $0 < 0x20 || #""\/~"#.utf8.contains($0) }
        // All other bytes may only be escaped as `\u`.
        var needles = runs.max { $0.count < $1.count }.map { [Array($0), Array(#"\u"#.utf8)] } ?? []
        if !needles.isEmpty, let number { needles.append(Self.digits(of: number)) }
        self.needles = needles.map(ByteNeedle.init)
    }

    /// Whether a value or a name in a JSON text may match. `false` is certain.
    func mayOccur(in json: UnsafeBufferPointer<UInt8>) -> Bool {
        needles.isEmpty || needles.contains { json.contains($0) } || number != nil && json.mayHaveExponent
    }

    /// The bytes of the text.
    var bytes: [UInt8] { text.bytes }

    // MARK: Values

    /// Whether a string contains the text, or a number has the same value as the text: 1.5 is 1.50, 50 is 5e1 and 5E1, and
    /// 0 is -0. `false` for any other value.
    func matches(_ node: Node) -> Bool {
        switch node {
        case .string(let string): matches(string)
        case .int(let value): isNumber(String(value))
        case .number(let literal): isNumber(literal)
        case .null, .bool, .data, .array, .object: false
        }
    }

    /// Whether a string or a name contains the text. Scalars are compared.
    func matches(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { $0.contains(text) }
    }

    private func isNumber(_ literal: String) -> Bool {
        number.map { Node.order(ofNumber: $0, literal) == 0 } ?? false
    }

    /// Bytes that are in every literal of a number without an exponent: `12.5` for -12.50.
    private static func digits(of number: String) -> [UInt8] {
        let plain = DecimalText.plain(number.lowercased()).drop { $0 == "-" }
        var bytes = Array(plain.utf8)
        // Wherever the point may be, the first digit that counts is there.
        if bytes.contains(UInt8(ascii: "e")) {
            return [bytes.first { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 } ?? UInt8(ascii: "0")]
        }
        guard bytes.contains(UInt8(ascii: ".")) else { return bytes }
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return bytes
    }

    private static func number(_ text: String) -> String? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || digits ~= first,
            let last = text.utf8.last, digits ~= last
        else { return nil }
        // What is no JSON is a text, such as 12-a.
        switch try? Node(json: text) {
        case .int, .number: return text
        default: return nil
        }
    }
}
