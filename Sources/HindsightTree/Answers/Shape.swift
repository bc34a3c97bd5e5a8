/// Describes the JSON of a type in words: `{seq, type, at (ns since 1970), origin (or null), notes [{position, text}]}`.
///
/// It decodes a value of the type from nothing, and notes which members the type asks for. So a type that refers to
/// itself must be a ``ShapeLeaf``.
package enum Shape {
    package static func text<Value: Decodable>(of type: Value.Type) -> String {
        do {
            return try ShapeDecoder.read(type).shape.form
        } catch {
            preconditionFailure("The shape of \(type) cannot be described: \(error)")
        }
    }
}

/// A type whose shape is one word, or whose `init(from:)` does not accept every value.
package protocol ShapeLeaf: Decodable {
    static var sample: Self { get }
    /// Its form as an element of a list: `number`. A form in brackets follows the name of a member, too.
    static var form: String { get }
}

extension Bool: ShapeLeaf {
    package static var sample: Bool { false }
    package static var form: String { "true or false" }
}

extension String: ShapeLeaf {
    package static var sample: String { "" }
    package static var form: String { "text" }
}

extension ShapeLeaf where Self: Numeric {
    package static var sample: Self { 0 }
    package static var form: String { "number" }
}

extension Int: ShapeLeaf {}
extension Int64: ShapeLeaf {}
extension UInt64: ShapeLeaf {}
extension Double: ShapeLeaf {}

extension ClosedRange: ShapeLeaf where Bound == Int {
    package static var sample: ClosedRange<Int> { 0...0 }
    package static var form: String { "[first, last]" }
}

extension Node: ShapeLeaf {
    package static var sample: Node { .null }
    package static var form: String { "value" }
}

extension NodePath: ShapeLeaf {
    package static var sample: NodePath { NodePath() }
    package static var form: String { "path" }
}

extension Patch: ShapeLeaf {
    package static var sample: Patch { Patch() }
    package static var form: String { "[operation]" }
}

/// Gives a type samples, and describes what it asks for.
private final class ShapeDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let notes: [String: String]
    /// The form as an element of a list. One in brackets follows the name of a member, too.
    private(set) var form = ""
    /// What the type itself says about a member.
    private var note: String?
    var isNullable = false
    var mayBeAbsent = false
    private var members: [String] = []
    private(set) var elements: [String] = []

    private init(_ notes: [String: String]) { self.notes = notes }

    static func read<Value: Decodable>(_ type: Value.Type) throws -> (value: Value, shape: ShapeDecoder) {
        let shape = ShapeDecoder((type as? any Answer.Type)?.notes ?? [:])
        if let leaf = type as? any ShapeLeaf.Type, let sample = leaf.sample as? Value {
            shape.form = leaf.form
            return (sample, shape)
        }
        if let choices = (type as? any CaseIterable.Type).map({ all($0) }), let sample = choices.first as? Value {
            let names = choices.map { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\($0)" }
            shape.form = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
            shape.note = shape.form
            return (sample, shape)
        }
        let value = try Value(from: shape)
        if !shape.members.isEmpty { shape.form = "{\(shape.members.joined(separator: ", "))}" }
        if !shape.elements.isEmpty { shape.form = "[\(shape.elements.joined(separator: ", "))]" }
        return (value, shape)
    }

    private static func all<Choice: CaseIterable>(_ type: Choice.Type) -> [Any] { type.allCases.map { $0 } }

    func member<Value: Decodable>(_ type: Value.Type, _ key: any CodingKey) throws -> Value {
        let (value, shape) = try Self.read(type)
        let remarks = [
            notes[key.stringValue] ?? shape.note, mayBeAbsent ? "if any" : nil, shape.isNullable ? "or null" : nil,
        ].compactMap { $0 }
        mayBeAbsent = false
        var member = key.stringValue
        if shape.form.hasPrefix("[") || shape.form.hasPrefix("{") { member += " " + shape.form }
        if !remarks.isEmpty { member += " (\(remarks.joined(separator: "; ")))" }
        members.append(member)
        return value
    }

    func element<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, shape) = try Self.read(type)
        elements.append(shape.form)
        return value
    }

    func single<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, shape) = try Self.read(type)
        (form, note) = (shape.form, shape.note)
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ShapeMembers(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { ShapeElements(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { ShapeValue(decoder: self) }
}

private struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    /// Only `decodeIfPresent` asks this, right before it decodes.
    func decodeNil(forKey key: Key) -> Bool {
        decoder.mayBeAbsent = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.member(type, key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(ShapeMembers<Nested>(decoder: decoder))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

private struct ShapeElements: UnkeyedDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var currentIndex: Int { decoder.elements.count }
    var isAtEnd: Bool { currentIndex > 0 }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.element(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        decoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
    func superDecoder() -> any Decoder { decoder }
}

private struct ShapeValue: SingleValueDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        decoder.isNullable = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.single(type) }
}
