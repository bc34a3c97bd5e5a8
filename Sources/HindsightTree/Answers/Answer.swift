/// The answer to a question, or a part of one: the facts that `--json` prints, without prose.
///
/// Its stored properties are the members of its JSON, in order. A member that is `nil` is left out; ``Nullable`` writes
/// `null` instead. ``Shape`` describes the JSON from the type alone.
package protocol Answer: Codable, Sendable {
    /// Facts about members that their names do not tell, by name: `["at": "ns since 1970"]`.
    static var notes: [String: String] { get }
}

extension Answer {
    package static var notes: [String: String] { [:] }
}

/// A member that is `null` in JSON if there is no value.
@propertyWrapper
package struct Nullable<Value: Codable & Sendable>: Codable, Sendable {
    /// The value of the member.
    package var wrappedValue: Value?

    /// Creates a member.
    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Reads a value, or `nil` from null.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    /// Writes the value, or null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension Nullable: Equatable where Value: Equatable {}
extension Nullable: Hashable where Value: Hashable {}

/// Two answers as one object: the members of the first, then those of the second.
package struct Joined<First: Codable & Sendable, Second: Codable & Sendable>: Answer {
    package let first: First
    package let second: Second

    package static var notes: [String: String] {
        [First.self as? any Answer.Type, Second.self as? any Answer.Type].compactMap { $0?.notes }
            .reduce(into: [:]) { all, notes in all.merge(notes) { $1 } }
    }

    package init(_ first: First, _ second: Second) {
        (self.first, self.second) = (first, second)
    }

    package init(from decoder: any Decoder) throws {
        (first, second) = (try First(from: decoder), try Second(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}

extension Node {
    /// The JSON of an answer.
    ///
    /// - Throws: ``TreeError``, as ``NodeEncoder`` does.
    package init(answer: some Encodable) throws(TreeError) { self = try NodeEncoder().encode(answer) }
}
