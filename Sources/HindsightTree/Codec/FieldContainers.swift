// The containers through which a value's `encode(to:)` writes to a ``FieldEncoder``.

struct KeyedFieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let fields: FieldEncoder
    var codingPath: [any CodingKey] { fields.codingPath }

    // Written out for speed: the compiler specializes no generic function of a container with generic keys.
    func encodeNil(forKey key: Key) throws { fields.append(key.stringValue, .node(.null)) }
    func encode(_ value: Bool, forKey key: Key) throws { fields.append(key.stringValue, .node(.bool(value))) }
    func encode(_ value: String, forKey key: Key) throws { fields.append(key.stringValue, .node(.string(value))) }
    func encode(_ value: Double, forKey key: Key) throws { fields.append(key.stringValue, .double(value)) }
    func encode(_ value: Float, forKey key: Key) throws { fields.append(key.stringValue, .float(value)) }
    func encode(_ value: Int, forKey key: Key) throws { fields.append(key.stringValue, .node(.int(value))) }
    func encode(_ value: Int8, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int16, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int32, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int64, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt8, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt16, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt32, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt64, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: Int128, forKey key: Key) throws { fields.append(key.stringValue, .node(Node(integer: value))) }
    func encode(_ value: UInt128, forKey key: Key) throws {
        fields.append(key.stringValue, .node(Node(integer: value)))
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try fields.append(.key(key.stringValue), encoding: value)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return }
        try fields.append(.key(key.stringValue), present: value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            KeyedFieldContainer<Nested>(fields: fields.nested(.key(key.stringValue), keyedBy: Nested.self))
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedFieldContainer(fields: fields.nested(.key(key.stringValue), as: .unkeyed), isSingle: false)
    }

    func superEncoder() -> any Encoder { fields.nested(.key("super"), as: .none) }
    func superEncoder(forKey key: Key) -> any Encoder { fields.nested(.key(key.stringValue), as: .none) }
}

/// The unkeyed and the single value container: both take values without keys.
struct UnkeyedFieldContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let fields: FieldEncoder
    let isSingle: Bool
    var codingPath: [any CodingKey] { fields.codingPath }
    var count: Int { fields.items.count }

    func encodeNil() throws { fields.append("", .node(.null)) }
    func encode(_ value: Bool) throws { fields.append("", .node(.bool(value))) }
    func encode(_ value: String) throws { fields.append("", .node(.string(value))) }
    func encode(_ value: Double) throws { fields.append("", .double(value)) }
    func encode(_ value: Float) throws { fields.append("", .float(value)) }
    func encode(_ value: Int) throws { fields.append("", .node(.int(value))) }
    func encode(_ value: Int128) throws { fields.append("", .node(Node(integer: value))) }
    func encode(_ value: UInt128) throws { fields.append("", .node(Node(integer: value))) }
    func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws { fields.append("", .node(Node(integer: value))) }

    func encode<T: Encodable>(_ value: T) throws {
        if isSingle {
            try fields.appendSingle(value)
        } else {
            try fields.append(.index(count), encoding: value)
        }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(KeyedFieldContainer<Nested>(fields: fields.nested(.index(count), keyedBy: Nested.self)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedFieldContainer(fields: fields.nested(.index(count), as: .unkeyed), isSingle: false)
    }

    func superEncoder() -> any Encoder { fields.nested(.index(count), as: .none) }
}
