/// A state or an action that is not `Codable`, for a recorder.
///
/// ```swift
/// let recorder = Recorder<Described<AppState>, Described<AppAction>>.start(to: url, app: AppInfo(name: "shop"))
///
/// recorder.record(Described(action), in: &state) { state in reduce(&state, action) }
/// ```
///
/// A recording has what reflection shows of the value: stored properties by name, enums by case and payload, class
/// instances marked as such. What is `Encodable` inside of it is encoded. Such a recording can be read, asked and
/// compared. It cannot be replayed, since no value can be made of a description; `hindsight check` lists the types that
/// lack `Codable`. A value that is `Codable` after all is encoded as it is, and can be replayed.
///
/// **Sendable.** The value need not be: each one is described on the thread that dispatches.
///
/// **Cost.** Each action describes the whole state, about a microsecond for each part of it.
public struct Described<Value>: Codable, @unchecked Sendable {
    /// The value.
    public var value: Value

    /// Wraps a value.
    public init(_ value: Value) { self.value = value }

    /// Decodes a value that is `Codable` after all.
    ///
    /// - Throws: `DecodingError` if it is not.
    public init(from decoder: any Decoder) throws {
        guard let type = Value.self as? any Decodable.Type, let value = try type.init(from: decoder) as? Value else {
            let reason = "\(Value.self) is not Codable, and a description cannot be decoded."
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
        }
        self.value = value
    }

    /// Encodes the value, or its description.
    public func encode(to encoder: any Encoder) throws {
        if let value = value as? any Encodable { return try value.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(ValueDescription(of: value).node)
    }
}

extension Described: LeafCoding {
    func leafNode(in session: CodingSession) throws -> Node {
        guard let value = value as? any Encodable else { return session.redacted(ValueDescription(of: value).node) }
        return try session.node(forAny: value)
    }
}

/// ``Described`` of any type.
package protocol DescribedValue {
    /// The types that keep the wrapped type from being `Codable`; empty if it is.
    static var typesWithoutCoding: [String] { get }
    /// The wrapped value.
    var described: Any { get }
    /// The wrapped value as it is recorded.
    func description(redactor: Redactor?) -> ValueDescription
}

extension Described: DescribedValue {
    package static var typesWithoutCoding: [String] { ValueDescription.typesWithoutCoding(in: Value.self) }
    package var described: Any { value }
    package func description(redactor: Redactor?) -> ValueDescription {
        ValueDescription(of: value, redactor: redactor)
    }
}
