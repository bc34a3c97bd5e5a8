import HindsightSupport
import HindsightTree

/// The text that a search looks for, and the values that have it.
struct TextPattern {
    private let text: ByteNeedle
    /// The number in the form of ``canonical(_:)``, if the text is one.
    private let number: [UInt8]?
    /// What JSON text has at least one of if a value or a name in it matches; empty if it may have anything.
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
        if !needles.isEmpty, let number { needles += Self.beginnings(of: number) }
        self.needles = needles.map(ByteNeedle.init)
    }

    /// Whether a value or a name in a JSON text may match. `false` is certain.
    func mayOccur(in json: UnsafeBufferPointer<UInt8>) -> Bool {
        needles.isEmpty || needles.contains { json.contains($0) }
    }

    /// The bytes of the text.
    var bytes: [UInt8] { text.bytes }

    // MARK: Values

    /// Whether a string contains the text, or a number is the same number as the text: 1.5 is 1.50, and 50 is 5e1, which
    /// is how a decimal without a fraction may be written. `false` for any other value.
    func matches(_ node: Node) -> Bool {
        switch node {
        case .string(let string): matches(string)
        case .int(let value): number.map { $0 == Array(String(value).utf8) } ?? false
        case .number(let literal): number.map { $0 == Self.canonical(literal) } ?? false
        case .null, .bool, .data, .array, .object: false
        }
    }

    /// Whether a string or a name contains the text. Scalars are compared.
    func matches(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { $0.contains(text) }
    }

    /// The literal as people write it, without zeros at the end of its fraction.
    private static func canonical(_ literal: String) -> [UInt8] {
        // The needles have no exponents that begin with zeros.
        var bytes = Array((literal.contains("e0") ? literal : DecimalText.plain(literal)).utf8)
        guard bytes.contains(UInt8(ascii: ".")), !bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return bytes
        }
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return bytes
    }

    /// One of these is in every literal of a number: `1500`, `150e1`, `15e2` for 1500.
    private static func beginnings(of number: [UInt8]) -> [[UInt8]] {
        var beginnings = [number]
        guard !number.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
            return beginnings
        }
        var rest = number
        while rest.count > 1, rest.last == UInt8(ascii: "0") {
            rest.removeLast()
            beginnings.append(rest + Array("e\(number.count - rest.count)".utf8))
        }
        return beginnings
    }

    private static func number(_ text: String) -> [UInt8]? {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first
        else { return nil }
        do {
            switch try Node(json: text) {
            case .int, .number: return canonical(text)
            default: return nil
            }
        } catch {
            // It is a text, such as 12-a.
            return nil
        }
    }
}
