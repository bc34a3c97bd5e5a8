/// Hands a node to a value's `init(from:)`.
final class NodeSource: Decoder {
    let node: Node
    let session: CodingSession
    /// The way from the decoded value to this node, where it is in a nested container.
    let nesting: [PathStep]

    init(node: Node, session: CodingSession, nesting: [PathStep] = []) {
        self.node = node
        self.session = session
        self.nesting = nesting
    }

    var codingPath: [any CodingKey] { session.path + nesting }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedSource(source: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedSource(source: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleSource(source: self)
    }

    func nested(_ step: PathStep, _ node: Node) -> NodeSource {
        NodeSource(node: node, session: session, nesting: nesting + [step])
    }

    func mismatch(_ expected: String) -> DecodingError {
        session.mismatch(Any.self, expected, found: node, nesting: nesting)
    }

    func missing(_ step: PathStep, _ reason: String) -> DecodingError {
        .keyNotFound(step, .init(codingPath: session.path + nesting, debugDescription: reason))
    }
}

struct KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: NodeSource
    let members: [Node.Member]
    var codingPath: [any CodingKey] { source.codingPath }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

    init(source: NodeSource) throws {
        guard let members = source.node.unescapedMembers else { throw source.mismatch("an object") }
        self.source = source
        self.members = members
    }

    private func find(_ name: String) -> Node? {
        members.first { $0.key.hasSameScalars(as: name) }?.value
    }

    private func need(_ key: Key) throws -> Node {
        if let node = find(key.stringValue) { return node }
        throw source.missing(.key(key.stringValue), "the field \"\(key.stringValue)\" is missing")
    }

    private func read<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        let node = try need(key)
        return try source.session.descend(source.nesting, .key(key.stringValue)) {
            try source.session.value(type, from: node)
        }
    }

    private func readPresent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        guard let node = find(key.stringValue) else { return nil }
        return try source.session.descend(source.nesting, .key(key.stringValue)) {
            try source.session.presentValue(type, from: node)
        }
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        if case .null = try need(key) { true } else { false }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(type, key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try read(type, key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try readPresent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try readPresent(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try readPresent(type, key) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try readPresent(type, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try KeyedSource<Nested>(source: source.nested(.key(key.stringValue), try need(key))))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedSource(source: source.nested(.key(key.stringValue), try need(key)))
    }

    func superDecoder() throws -> any Decoder { source.nested(.key("super"), find("super") ?? .null) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        source.nested(.key(key.stringValue), find(key.stringValue) ?? .null)
    }
}

struct UnkeyedSource: UnkeyedDecodingContainer {
    let source: NodeSource
    let elements: [Node]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { source.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(source: NodeSource) throws {
        guard case .array(let elements) = source.node else { throw source.mismatch("an array") }
        self.source = source
        self.elements = elements
    }

    private func peek() throws -> Node {
        if !isAtEnd { return elements[currentIndex] }
        throw source.missing(.index(currentIndex), "expected more than \(elements.count) elements")
    }

    private mutating func read<T: Decodable>(_ type: T.Type) throws -> T {
        let node = try peek()
        let value = try source.session.descend(source.nesting, .index(currentIndex)) {
            try source.session.value(type, from: node)
        }
        currentIndex += 1
        return value
    }

    private mutating func next() throws -> NodeSource {
        let inner = source.nested(.index(currentIndex), try peek())
        currentIndex += 1
        return inner
    }

    mutating func decodeNil() throws -> Bool {
        guard case .null = try peek() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try read(type) }
    mutating func decode(_ type: String.Type) throws -> String { try read(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try read(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try read(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try read(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try read(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try read(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try read(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try read(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try read(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try read(type) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        KeyedDecodingContainer(try KeyedSource<Nested>(source: try next()))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedSource(source: try next())
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}

struct SingleSource: SingleValueDecodingContainer {
    let source: NodeSource
    var codingPath: [any CodingKey] { source.codingPath }

    private func read<T: Decodable>(_ type: T.Type) throws -> T {
        guard let last = source.nesting.last else { return try source.session.value(type, from: source.node) }
        return try source.session.descend(Array(source.nesting.dropLast()), last) {
            try source.session.value(type, from: source.node)
        }
    }

    func decodeNil() -> Bool {
        if case .null = source.node { true } else { false }
    }

    func decode(_ type: Bool.Type) throws -> Bool { try read(type) }
    func decode(_ type: String.Type) throws -> String { try read(type) }
    func decode(_ type: Double.Type) throws -> Double { try read(type) }
    func decode(_ type: Float.Type) throws -> Float { try read(type) }
    func decode(_ type: Int.Type) throws -> Int { try read(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try read(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try read(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try read(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try read(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try read(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try read(type) }
}
