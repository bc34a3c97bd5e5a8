extension Node {
    /// Reads a JSON text (RFC 8259, strictly) without loss.
    ///
    /// Numbers keep their literal, and objects the order of their members. `{"$data": "base64"}` is ``data(_:)``.
    ///
    /// Costs one pass over the text, and a sort of the keys of large objects whose keys are not sorted.
    ///
    /// - Throws: ``TreeError``, which says what was expected at which byte. A repeated key, half a surrogate pair, and
    ///   containers that are nested more than 8 levels deeper than ``TreeLimits/depth`` are errors too: a patch, and
    ///   the form of data, add levels around a state's values.
    public init(json: String) throws(TreeError) {
        self = try json.withBytes(JSONReader.readNode).get()
    }

    /// Reads a JSON text in UTF-8, as ``init(json:)`` does.
    ///
    /// - Throws: ``TreeError`` as there, also for bytes that are not UTF-8.
    package init(jsonBytes: some Collection<UInt8>) throws(TreeError) {
        let result =
            jsonBytes.withContiguousStorageIfAvailable(JSONReader.readNode)
            ?? Array(jsonBytes).withUnsafeBufferPointer(JSONReader.readNode)
        self = try result.get()
    }
}

/// Reads one JSON text from bytes.
///
/// Sound: each access to `bytes` is behind a check of `at` against `count`, and the buffer outlives the reader, which
/// exists only within ``read(_:_:)``.
struct JSONReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0
    /// The bytes of a string with escapes.
    var scratch: [UInt8] = []
    /// The number of members of the last object.
    private var lastMemberCount = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// A few more than a value may have, for the patch or the tag around it. Messages name the limit for values: a text that
    /// passes here and is deeper than that is refused as a value.
    static let depthLimit = TreeLimits.depth + 8

    /// Reads one text. A result, since the functions that lend the bytes do not rethrow an error with its type.
    fileprivate static func readNode(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<Node, TreeError> {
        Result { () throws(TreeError) in
            try read(bytes) { reader throws(TreeError) in try reader.readValue(depth: 0) }
        }
    }

    /// Reads one text, whose only value `body` reads.
    static func read<Value>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (inout JSONReader) throws(TreeError) -> Value
    ) throws(TreeError) -> Value {
        var reader = JSONReader(bytes)
        reader.skipSpace()
        let value = try body(&reader)
        reader.skipSpace()
        guard reader.at == bytes.count else { throw reader.failure("expected the end of the text after the value") }
        return value
    }

    /// The next byte; `nil` at the end.
    @inline(__always)
    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    @inline(__always)
    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] <= 0x20 {
            switch bytes[at] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): at += 1
            default: return
            }
        }
    }

    mutating func readValue(depth: Int) throws(TreeError) -> Node {
        switch next {
        case UInt8(ascii: "{"): return try readObject(depth: depth)
        case UInt8(ascii: "["): return try readArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try readNumber()
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: throw failure("expected a value")
        }
    }

    private mutating func readWord(_ word: StaticString, _ node: Node) throws(TreeError) -> Node {
        let length = word.utf8CodeUnitCount
        guard bytes.count - at >= length,
            bytes.part(at..<at + length).elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: length))
        else { throw failure("expected \(word)") }
        at += length
        return node
    }

    private mutating func readArray(depth: Int) throws(TreeError) -> Node {
        var elements: [Node] = []
        try readElements(depth: depth) { reader throws(TreeError) in
            elements.append(try reader.readValue(depth: depth + 1))
        }
        return .array(elements)
    }

    /// Reads an array. `body` reads one element a call.
    @inline(__always)
    mutating func readElements(depth: Int = 0, _ body: (inout JSONReader) throws(TreeError) -> Void) throws(TreeError) {
        guard next == UInt8(ascii: "[") else { throw failure("expected an array") }
        try enter(depth)
        if next == UInt8(ascii: "]") {
            at += 1
            return
        }
        while true {
            try body(&self)
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                at += 1
                skipSpace()
            case UInt8(ascii: "]"):
                at += 1
                return
            default:
                throw failure("expected , or ] after an element")
            }
        }
    }

    private mutating func readObject(depth: Int) throws(TreeError) -> Node {
        let start = at
        try enter(depth)
        if next == UInt8(ascii: "}") {
            at += 1
            return .object([])
        }
        var members: [Node.Member] = []
        // The next object is often of the same type as the last.
        members.reserveCapacity(lastMemberCount)
        defer { lastMemberCount = min(members.count, 32) }
        var keys = DuplicateKeyCheck()
        while true {
            guard next == UInt8(ascii: "\"") else { throw failure("expected a key in quotes") }
            let keyStart = at
            let key = try readString()
            guard keys.isNew(key, among: members) else {
                throw failure("the key \(Node.string(key).brief) stands twice in one object", at: keyStart)
            }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw failure("expected : after a key") }
            at += 1
            skipSpace()
            members.append(Node.Member(key, try readValue(depth: depth + 1)))
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                at += 1
                skipSpace()
            case UInt8(ascii: "}"):
                at += 1
                if let twice = keys.repeatedKey(in: members) {
                    throw failure("the key \(Node.string(twice).brief) stands twice in this object", at: start)
                }
                return try untagged(members, start: start)
            default:
                throw failure("expected , or } after a member")
            }
        }
    }

    /// Skips the opening bracket.
    private mutating func enter(_ depth: Int) throws(TreeError) {
        guard depth < Self.depthLimit else {
            throw TreeError(.tooDeep, offset: at, "more than \(TreeLimits.depth) containers stand one inside the other")
        }
        at += 1
        skipSpace()
    }

    /// Removes the escaping that ``JSONTag`` describes.
    private func untagged(_ members: [Node.Member], start: Int) throws(TreeError) -> Node {
        guard members.count == 1, JSONTag.isReserved(members[0].key) else { return .object(members) }
        guard members[0].key.hasSameScalars(as: JSONTag.data) else {
            return .object([Node.Member(String(members[0].key.dropFirst()), members[0].value)])
        }
        guard case .string(let text) = members[0].value, let data = Base64.decode(text) else {
            throw failure("expected base64 in quotes, with padding, as the value of \"$data\"", at: start)
        }
        return .data(data)
    }
}

extension JSONReader {
    /// The error for the byte at `at`.
    func failure(_ expected: String) -> TreeError {
        let found: String
        switch next {
        case nil: found = "the text ends"
        case .some(let byte) where byte > 0x20 && byte < 0x7F: found = "found \(Character(UnicodeScalar(byte)))"
        case .some(let byte): found = "found byte 0x\(String(byte, radix: 16, uppercase: true))"
        }
        return TreeError(.badJSON, offset: at, "\(expected), but \(found)")
    }

    func failure(_ reason: String, at offset: Int) -> TreeError {
        TreeError(.badJSON, offset: offset, reason)
    }
}
