/// A field whose value recordings do not contain.
///
/// ```swift
/// struct Login: Codable, Sendable {
///     var name = ""
///     @Redacted var password = ""
/// }
///
/// enum Action: Codable, Sendable {
///     case logIn(name: String, password: Redacted<String>)
/// }
/// ```
///
/// Anywhere in a state or an action, ``NodeEncoder`` and ``ChangeFinder`` write the result of ``Redactable/redacted()``
/// instead of the value, so recordings, patches and logs contain that. Other code sees the value: `JSONEncoder` writes
/// and reads it as if the wrapper were not there, and two fields are equal if their values are. A printed field is
/// `[redacted]`.
///
/// What reducers derive from the value and store elsewhere is not redacted.
@propertyWrapper
public struct Redacted<Value: Redactable> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Wraps a value where Swift allows no property wrapper, such as in an enum's payload.
    public init(_ value: Value) { wrappedValue = value }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Placeholder.text }
    public var debugDescription: String { Placeholder.text }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Redacted: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let encoder = encoder as? any RedactingEncoder else { return try container.encode(wrappedValue) }
        encoder.noteRedactedField()
        try container.encode(wrappedValue.redacted())
    }
}

extension Redacted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
}

/// An encoder to which ``Redacted`` fields write their placeholders.
protocol RedactingEncoder {
    /// Notes that a redacted field is at the encoder's path.
    func noteRedactedField()
}

// A field that is `nil` is left out, as it is without the wrapper. The compiler picks these overloads where it
// synthesizes encode(to:) and init(from:).

extension KeyedEncodingContainer {
    public mutating func encode<Value: Encodable & Redactable>(_ value: Redacted<Value?>, forKey key: Key) throws {
        guard let value = value.wrappedValue else { return }
        try encode(Redacted(value), forKey: key)
    }
}

extension KeyedDecodingContainer {
    public func decode<Value: Decodable & Redactable>(
        _ type: Redacted<Value?>.Type,
        forKey key: Key
    ) throws -> Redacted<Value?> {
        Redacted(try decodeIfPresent(Value.self, forKey: key))
    }
}
