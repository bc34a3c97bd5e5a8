/// The three containers through which a value describes itself to a ``Shape``.

struct KeyedShape<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let shape: Shape
    var codingPath: [any CodingKey] { shape.codingPath }

    func encodeNil(forKey key: Key) throws { shape.append(key.stringValue, .node(.null)) }
    func encode(_ value: Bool, forKey key: Key) throws { shape.append(key.stringValue, .node(.bool(value))) }
    func encode(_ value: String, forKey key: Key) throws { shape.append(key.stringValue, .node(.string(value))) }
    func encode(_ value: Double, forKey key: Key) throws { shape.append(key.stringValue, .double(value)) }
    func encode(_ value: Float, forKey key: Key) throws { shape.append(key.stringValue, .node(value.node)) }
    func encode(_ value: Int, forKey key: Key) throws { shape.append(key.stringValue, .node(.int(value))) }
    func encode(_ value: Int8, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int16, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int32, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int64, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt8, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt16, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt32, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt64, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int128, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt128, forKey key: Key) throws { shape.append(key.stringValue, .node(Node(integer: value))) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try shape.append(.key(key.stringValue), encoding: value)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return }
        try shape.append(.key(key.stringValue), present: value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedShape<Nested>(shape: shape.nested(.key(key.stringValue), keyedBy: Nested.self)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedShape(shape: shape.nested(.key(key.stringValue), as: .unkeyed))
    }

    func superEncoder() -> any Encoder { shape.nested(.key("super"), as: .none) }
    func superEncoder(forKey key: Key) -> any Encoder { shape.nested(.key(key.stringValue), as: .none) }
}

struct UnkeyedShape: UnkeyedEncodingContainer {
    let shape: Shape
    var codingPath: [any CodingKey] { shape.codingPath }
    var count: Int { shape.items.count }

    func encodeNil() throws { shape.append("", .node(.null)) }
    func encode(_ value: Bool) throws { shape.append("", .node(.bool(value))) }
    func encode(_ value: String) throws { shape.append("", .node(.string(value))) }
    func encode(_ value: Double) throws { shape.append("", .double(value)) }
    func encode(_ value: Float) throws { shape.append("", .node(value.node)) }
    func encode(_ value: Int) throws { shape.append("", .node(.int(value))) }
    func encode(_ value: Int8) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int16) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int32) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int64) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt8) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt16) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt32) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt64) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int128) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt128) throws { shape.append("", .node(Node(integer: value))) }

    func encode<T: Encodable>(_ value: T) throws {
        try shape.append(.index(count), encoding: value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedShape<Nested>(shape: shape.nested(.index(count), keyedBy: Nested.self)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedShape(shape: shape.nested(.index(count), as: .unkeyed))
    }

    func superEncoder() -> any Encoder { shape.nested(.index(count), as: .none) }
}

struct SingleShape: SingleValueEncodingContainer {
    let shape: Shape
    var codingPath: [any CodingKey] { shape.codingPath }

    func encodeNil() throws { shape.append("", .node(.null)) }
    func encode(_ value: Bool) throws { shape.append("", .node(.bool(value))) }
    func encode(_ value: String) throws { shape.append("", .node(.string(value))) }
    func encode(_ value: Double) throws { shape.append("", .double(value)) }
    func encode(_ value: Float) throws { shape.append("", .node(value.node)) }
    func encode(_ value: Int) throws { shape.append("", .node(.int(value))) }
    func encode(_ value: Int8) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int16) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int32) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int64) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt8) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt16) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt32) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt64) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: Int128) throws { shape.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt128) throws { shape.append("", .node(Node(integer: value))) }

    func encode<T: Encodable>(_ value: T) throws {
        try shape.appendSingle(value)
    }
}
