extension Node {
    /// The canonical JSON text: one line without spaces, and one text for each node.
    ///
    /// Characters that could control a terminal, or reorder or break a line, are escaped: controls, U+007F to U+009F,
    /// line and paragraph separators, direction marks and U+FEFF. Costs one pass.
    public var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }

    /// The first characters of the text, for messages.
    var brief: String {
        let text = json
        let scalars = text.unicodeScalars
        return scalars.count <= 60 ? text : String(String.UnicodeScalarView(scalars.prefix(59))) + "…"
    }
}

/// Writes canonical JSON into bytes.
struct JSONWriter {
    /// The text so far, in UTF-8.
    var bytes: [UInt8] = []
    /// The bytes that operations insert, minus those that they remove.
    var growth = 0

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes a whole node.
    mutating func write(_ node: Node) {
        switch node {
        case .null: write(ascii: "null")
        case .bool(let value): write(ascii: value ? "true" : "false")
        case .int(let value): write(int: value)
        case .number(let literal): bytes.append(contentsOf: literal.utf8)
        case .string(let string): write(string: string)
        case .data(let data): write(data: data)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            var isFirst = true
            for member in members {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                write(string: JSONWriter.writtenKey(of: member, among: members))
                bytes.append(UInt8(ascii: ":"))
                write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// A member's key as it is written, escaped as ``JSONTag`` says.
    static func writtenKey(of member: Node.Member, among members: [Node.Member]) -> String {
        members.count == 1 && JSONTag.isReserved(member.key) ? "$" + member.key : member.key
    }

    /// Writes ASCII text without escaping.
    mutating func write(ascii text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(int value: Int) {
        var rest = value.magnitude
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        if rest < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest))
            return
        }
        // From the last digit to the first. The greatest magnitude has twenty.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits.initializeElement(at: start, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
                rest = quotient
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    mutating func write(data: [UInt8]) {
        write(ascii: "{\"$data\":\"")
        Base64.encode(data, into: &bytes)
        write(ascii: "\"}")
    }
}
