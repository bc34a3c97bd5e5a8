// The encoder and the containers through which a value's `encode(to:)` writes to a ``JSONStreamWriter``.
//
// They repeat those of ``FieldEncoder``. One set of containers over a protocol of both would call the protocol's
// functions dynamically for each field: the compiler does not specialize containers with generic keys.

struct StreamValueEncoder: Encoder, RedactingEncoder {
    let encoder: JSONStreamEncoder
    let value: JSONStreamWriter.Handle

    var codingPath: [any CodingKey] { encoder.noPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder.container(encoder.stream.pointee.open(value, as: .keyed))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let handle = encoder.stream.pointee.open(value, as: .unkeyed)
        return UnkeyedStreamContainer(encoder: encoder, handle: handle, isSingle: false)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        encoder.stream.pointee.openSingle(value)
        return UnkeyedStreamContainer(encoder: encoder, handle: value, isSingle: true)
    }

    /// Falls back: the redactor needs the field's path, which a stream does not keep.
    func noteRedactedField() { encoder.stream.pointee.fallsBack = true }
}

extension JSONStreamEncoder {
    /// Falls back: the value may write something else depending on its path.
    fileprivate var noPath: [any CodingKey] {
        stream.pointee.fallsBack = true
        return []
    }

    /// Falls back: the stream has no encoders for superclasses.
    fileprivate var noEncoder: any Encoder {
        stream.pointee.fallsBack = true
        return StreamValueEncoder(encoder: self, value: .none)
    }
}

struct KeyedStreamContainer<Key: CodingKey>: KeyedStreamContainerProtocol {
    let encoder: JSONStreamEncoder
    let handle: JSONStreamWriter.Handle
    var codingPath: [any CodingKey] { encoder.noPath }

    @inline(__always)
    private func member(_ key: Key, _ put: (UnsafeMutablePointer<JSONStreamWriter>) -> Void) throws {
        try encoder.stream.pointee.begin(key.stringValue, in: handle)
        put(encoder.stream)
    }

    // Written out for speed: the compiler specializes no generic function of a container with generic keys.
    func encodeNil(forKey key: Key) throws { try member(key) { $0.pointee.put(Node.null) } }
    func encode(_ value: Bool, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: String, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Double, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Float, forKey key: Key) throws { try member(key) { $0.pointee.put(value.node) } }
    func encode(_ value: Int, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Int8, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int128, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.put(value, depth: try encoder.stream.pointee.begin(key.stringValue, in: handle))
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return }
        try encoder.put(present: value, depth: try encoder.stream.pointee.begin(key.stringValue, in: handle))
    }

    private func nested(_ key: Key, isKeyed: Bool) -> JSONStreamWriter.Handle {
        // If it throws, the value falls back.
        guard (try? encoder.stream.pointee.begin(key.stringValue, in: handle)) != nil else { return .none }
        return encoder.stream.pointee.openNested(in: handle, isKeyed: isKeyed)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder.container(nested(key, isKeyed: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedStreamContainer(encoder: encoder, handle: nested(key, isKeyed: false), isSingle: false)
    }

    func superEncoder() -> any Encoder { encoder.noEncoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.noEncoder }
}

/// The unkeyed and the single value container: both take values without keys.
struct UnkeyedStreamContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: JSONStreamEncoder
    let handle: JSONStreamWriter.Handle
    let isSingle: Bool
    var codingPath: [any CodingKey] { encoder.noPath }
    var count: Int { encoder.stream.pointee.count(handle) }

    @inline(__always)
    private func begin() throws -> Int {
        isSingle ? try encoder.stream.pointee.beginSingle(handle) : try encoder.stream.pointee.begin(in: handle)
    }

    @inline(__always)
    private func element(_ put: (UnsafeMutablePointer<JSONStreamWriter>) -> Void) throws {
        _ = try begin()
        put(encoder.stream)
    }

    func encodeNil() throws { try element { $0.pointee.put(Node.null) } }
    func encode(_ value: Bool) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: String) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Double) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Float) throws { try element { $0.pointee.put(value.node) } }
    func encode(_ value: Int) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Int128) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt128) throws { try element { $0.pointee.put(integer: value) } }
    func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws { try element { $0.pointee.put(integer: value) } }

    func encode<T: Encodable>(_ value: T) throws {
        try encoder.put(value, depth: try begin())
    }

    private func nested(isKeyed: Bool) -> JSONStreamWriter.Handle {
        // If it throws, the value falls back.
        guard (try? encoder.stream.pointee.begin(in: handle)) != nil else { return .none }
        return encoder.stream.pointee.openNested(in: handle, isKeyed: isKeyed)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.container(nested(isKeyed: true))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedStreamContainer(encoder: encoder, handle: nested(isKeyed: false), isSingle: false)
    }

    func superEncoder() -> any Encoder { encoder.noEncoder }
}

/// Makes the keyed containers of one type of keys.
///
/// If only the type of the keys is known, the runtime looks up a container's metadata and conformance each time that
/// one is made, at some 700 instructions. A class with the container's type as its parameter has them at hand.
class KeyedContainerFactory<Key: CodingKey> {
    func container(_ encoder: JSONStreamEncoder, _ handle: JSONStreamWriter.Handle) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedStreamContainer(encoder: encoder, handle: handle))
    }
}

final class SpecializedContainerFactory<Container: KeyedStreamContainerProtocol>: KeyedContainerFactory<Container.Key> {
    override func container(
        _ encoder: JSONStreamEncoder,
        _ handle: JSONStreamWriter.Handle
    ) -> KeyedEncodingContainer<Container.Key> {
        KeyedEncodingContainer(Container(encoder: encoder, handle: handle))
    }
}

protocol KeyedStreamContainerProtocol: KeyedEncodingContainerProtocol {
    init(encoder: JSONStreamEncoder, handle: JSONStreamWriter.Handle)
}
