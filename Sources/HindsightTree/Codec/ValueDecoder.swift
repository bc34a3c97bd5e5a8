/// The decoder that a value's `init(from:)` reads its node from.
final class ValueDecoder: Decoder {
    let node: Node
    let session: CodingSession
    /// The path from the decoded value to this node, if it is in a nested container.
    let nesting: [PathStep]

    init(node: Node, session: CodingSession, nesting: [PathStep] = []) {
        self.node = node
        self.session = session
        self.nesting = nesting
    }

    var codingPath: [any CodingKey] { session.path + nesting }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedNodeContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedNodeContainer(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleNodeContainer(decoder: self)
    }

    func nested(_ step: PathStep, _ node: Node) -> ValueDecoder {
        ValueDecoder(node: node, session: session, nesting: nesting + [step])
    }

    /// Whether a member that has the form of a leaf can be read at once: it is not too deep, and no error that the app
    /// has caught is kept.
    var canReadLeaf: Bool { session.failedAt == nil && session.path.count + nesting.count < TreeLimits.depth }

    func mismatch(_ expected: String) -> DecodingError {
        session.mismatch(Any.self, expected, found: node, nesting: nesting)
    }

    func missing(_ step: PathStep, _ reason: String) -> DecodingError {
        .keyNotFound(step, .init(codingPath: session.path + nesting, debugDescription: reason))
    }
}

extension [Node.Member] {
    /// The value of the first member with a name. Not part of the generic container, whose code is not specialized.
    fileprivate func value(named name: String) -> Node? {
        for member in self where member.key.hasSameScalars(as: name) { return member.value }
        return nil
    }
}

struct KeyedNodeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let members: [Node.Member]
    var codingPath: [any CodingKey] { decoder.codingPath }
    // A loop: code that is not specialized for `Key` runs several times longer through `compactMap`.
    var allKeys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(members.count)
        for member in members {
            if let key = Key(stringValue: member.key) { keys.append(key) }
        }
        return keys
    }

    init(decoder: ValueDecoder) throws {
        guard let members = decoder.node.unescapedMembers else { throw decoder.mismatch("an object") }
        self.decoder = decoder
        self.members = members
    }

    private func find(_ name: String) -> Node? { members.value(named: name) }

    private func need(_ key: Key) throws -> Node {
        if let node = find(key.stringValue) { return node }
        throw decoder.missing(.key(key.stringValue), "the field \"\(key.stringValue)\" is missing")
    }

    private func read<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        let node = try need(key)
        return try decoder.session.descend(decoder.nesting, .key(key.stringValue)) {
            try decoder.session.value(type, from: node)
        }
    }

    private func readPresent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        guard let node = find(key.stringValue) else { return nil }
        return try decoder.session.descend(decoder.nesting, .key(key.stringValue)) {
            try decoder.session.presentValue(type, from: node)
        }
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        if case .null = try need(key) { true } else { false }
    }

    // Written out for speed: the compiler specializes no generic function of a container with generic keys. The most
    // frequent leaves are read at once.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        if case .bool(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try read(type, key)
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        if case .string(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try read(type, key)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        if case .int(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try read(type, key)
    }
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

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        if case .bool(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try readPresent(type, key)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        if case .string(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try readPresent(type, key)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try readPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        if case .int(let value)? = find(key.stringValue), decoder.canReadLeaf { return value }
        return try readPresent(type, key)
    }
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
        KeyedDecodingContainer(
            try KeyedNodeContainer<Nested>(decoder: decoder.nested(.key(key.stringValue), try need(key)))
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedNodeContainer(decoder: decoder.nested(.key(key.stringValue), try need(key)))
    }

    func superDecoder() throws -> any Decoder { decoder.nested(.key("super"), find("super") ?? .null) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder.nested(.key(key.stringValue), find(key.stringValue) ?? .null)
    }
}

struct UnkeyedNodeContainer: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [Node]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(decoder: ValueDecoder) throws {
        guard case .array(let elements) = decoder.node else { throw decoder.mismatch("an array") }
        self.decoder = decoder
        self.elements = elements
    }

    private func peek() throws -> Node {
        if !isAtEnd { return elements[currentIndex] }
        throw decoder.missing(.index(currentIndex), "expected more than \(elements.count) elements")
    }

    private mutating func read<T: Decodable>(_ type: T.Type) throws -> T {
        let node = try peek()
        let value = try decoder.session.descend(decoder.nesting, .index(currentIndex)) {
            try decoder.session.value(type, from: node)
        }
        currentIndex += 1
        return value
    }

    private mutating func next() throws -> ValueDecoder {
        let inner = decoder.nested(.index(currentIndex), try peek())
        currentIndex += 1
        return inner
    }

    mutating func decodeNil() throws -> Bool {
        guard case .null = try peek() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try read(type) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        KeyedDecodingContainer(try KeyedNodeContainer<Nested>(decoder: try next()))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedNodeContainer(decoder: try next())
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}

struct SingleNodeContainer: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    private func read<T: Decodable>(_ type: T.Type) throws -> T {
        guard let last = decoder.nesting.last else { return try decoder.session.value(type, from: decoder.node) }
        return try decoder.session.descend(Array(decoder.nesting.dropLast()), last) {
            try decoder.session.value(type, from: decoder.node)
        }
    }

    func decodeNil() -> Bool {
        if case .null = decoder.node { true } else { false }
    }

    func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try read(type) }
}
