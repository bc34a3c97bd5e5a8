/// A state, an action, or a part of one that is not `Codable`, for a recorder.
///
/// ```swift
/// let recorder = Recorder<Described<AppState>, Described<AppAction>>.start(to: url, app: AppInfo(name: "shop"))
///
/// recorder.record(Described(action), in: &state) { state in reduce(&state, action) }
/// ```
///
/// Where only a part is not `Codable`, wrap that part, and the rest stays as it is:
///
/// ```swift
/// enum AppAction: Codable {
///     case add(String)
///     case confirm(Described<() -> Void>)
/// }
/// ```
///
/// A recording has what reflection shows of the value: stored properties by name, enums by case and payload, class
/// instances marked as such. What is `Encodable` inside of it is encoded. Such a recording can be read, asked and
/// compared. Nothing can be decoded from a description. An action that has one is not replayed: a replay goes on with the
/// recorded state after it. Nothing is replayed if the whole state is one, and no replay can begin or go on with a state
/// that has one. `hindsight check` and `hindsight info` list the types that lack `Codable`. A value that is `Codable` after
/// all is encoded as it is.
///
/// **Threads.** The value need not be `Sendable`: it is described on the thread that dispatches. No other thread may change
/// an instance that it refers to meanwhile. The recorder may release the value on a thread of its own.
///
/// **Redaction.** Patterns match the names in the description. A property whose name begins with `_` has its name without it.
/// What fails to encode itself is omitted if a pattern may match inside of it.
///
/// **Cost.** If the state may have a description, each action encodes the whole state at least twice, and once more for each
/// step. A part costs 4 to 8 µs an action.
public struct Described<Value>: Codable, @unchecked Sendable {
    /// The value.
    public var value: Value

    /// Wraps a value.
    public init(_ value: Value) { self.value = value }

    /// Decodes a value that is `Codable` after all.
    ///
    /// - Throws: An error if it is not.
    public init(from decoder: any Decoder) throws {
        guard let type = Value.self as? any Decodable.Type, let value = try type.init(from: decoder) as? Value else {
            throw UndecodableDescription(type: ValueDescription.name(of: Value.self))
        }
        self.value = value
    }

    /// Encodes the value, or its description.
    public func encode(to encoder: any Encoder) throws {
        if Value.self is any Codable.Type, let value = value as? any Encodable { return try value.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(ValueDescription(of: value).node)
    }
}

extension Described: LeafCoding {
    func leafNode(in session: CodingSession) throws -> Node {
        // It may refer to something that changes while its bits stay the same.
        session.sawInstance = true
        if Value.self is any Codable.Type, let value = value as? any Encodable {
            return try session.node(forAny: value)
        }
        return session.describe(value)
    }
}

/// A description was to be decoded.
package struct UndecodableDescription: Error, CustomStringConvertible {
    let type: String
    package var description: String { "\(type) is not Codable, and a description cannot be decoded" }
}

/// An object that no description looks into.
package protocol Undescribed: AnyObject {}

/// ``Described`` of any type.
package protocol DescribedValue {
    /// The types that keep the wrapped type from being `Codable`; empty if it is.
    static var typesWithoutCoding: [String] { get }
    /// The wrapped value.
    var described: Any { get }
    /// Wraps a value; `nil` if it has another type.
    static func wrapping(_ value: Any) -> Self?
}

extension Described: DescribedValue {
    package static var typesWithoutCoding: [String] { ValueDescription.typesWithoutCoding(in: Value.self) }
    package var described: Any { value }
    package static func wrapping(_ value: Any) -> Described? { (value as? Value).map(Described.init) }
}
