/// A canonical, typed tree of a value: what a state or an action looks like without the app's types.
///
/// Recordings store nodes as JSON text, the tool prints them, and patches apply to them. Every value that
/// ``NodeEncoder`` accepts comes back from its node bit for bit.
///
/// Two nodes are equal if their JSON texts are. Strings are compared by scalars (`String ==` takes "é" and "e" + U+0301
/// for equal), numbers by their digits (`1.0` and `1.00` differ), members with their order. ``isEquivalent(to:)``
/// ignores the order of members.
public enum Node: Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits into 64 bits with a sign.
    case int(Int)
    /// Any other number, as a JSON literal: `12.50`, `-0.0`, `1e+300`, `18446744073709551615`.
    case number(String)
    /// A text of any scalars.
    case string(String)
    /// Bytes. In JSON: `{"$data": "base64"}`.
    case data([UInt8])
    /// Elements in their order.
    case array([Node])
    /// Members in their order. Their keys are unique.
    case object([Member])

    /// A key and its value.
    public struct Member: Sendable {
        /// The key, unique in its object.
        public var key: String
        /// The value.
        public var value: Node

        /// Creates a member.
        @inlinable
        public init(_ key: String, _ value: Node) {
            self.key = key
            self.value = value
        }
    }
}

extension Node {
    /// The value of the member `key`; `nil` if this is no object or has no such member.
    ///
    /// Costs one comparison a member.
    public subscript(key: String) -> Node? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasSameScalars(as: key) }?.value
    }

    /// The element at `index`; `nil` if this is no array or has no such element.
    public subscript(index: Int) -> Node? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The node at `path`; `nil` if there is none.
    ///
    /// An element's index has no leading zeros. Costs a comparison a member of the objects on the path, less if an
    /// object has many members and they are sorted.
    public subscript(path: NodePath) -> Node? {
        var node = self
        for component in path.components {
            switch node {
            case .array(let elements):
                guard let index = NodePath.index(component), index < elements.count else { return nil }
                node = elements[index]
            case .object(let members):
                guard let index = members.index(ofKey: component) else { return nil }
                node = members[index].value
            default:
                return nil
            }
        }
        return node
    }

    /// A node, or null if there is none.
    package static func optional(_ node: Node?) -> Node { node ?? .null }

    /// The elements, or the values of the members, in order. Elements cost nothing.
    package var values: [Node] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
        }
    }

    /// The elements with their indices, or the members with their keys, in order.
    package var children: [(name: String, value: Node)] {
        switch self {
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .object(let members): members.map { ($0.key, $0.value) }
        default: []
        }
    }
}

extension Node: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Node...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, Node)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}
