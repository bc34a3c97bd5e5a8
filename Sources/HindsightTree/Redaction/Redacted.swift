/// A field that recordings do not show.
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
/// Wherever it stands in a state or an action, recordings hold what ``Redactable/redacted()`` gives in its place; so do
/// patches, logs and whatever else is made with ``NodeEncoder`` or ``ChangeFinder``. For all others it is the value:
/// `JSONEncoder` writes it and reads it as if the wrapper were not there, and two are equal when their values are. Printed,
/// it is `[redacted]`.
///
/// What reducers make of the value and keep elsewhere is not hidden.
@propertyWrapper
public struct Redacted<Value: Redactable> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Hides a value where no property wrapper can stand, such as in an enum's payload.
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

/// An encoder whose output may be seen by others: fields that are ``Redacted`` write what stands for them into it.
protocol RedactingEncoder {
    /// Says that such a field stands where the encoder does.
    func noteRedactedField()
}

// A field without a value is left out, as the one without the wrapper would be. These are found by the compiler where it
// writes a type's own encode(to:) and init(from:).

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
