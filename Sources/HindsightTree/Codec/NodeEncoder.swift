/// Turns values into nodes, without losing anything.
///
/// ```swift
/// let node = try NodeEncoder().encode(AppState())
/// print(node.prettyJSON())
/// ```
///
/// A value is written as Swift's own `Codable` describes it, with these exceptions, all of which ``NodeDecoder`` reads
/// back bit for bit:
///
/// | value | node |
/// |---|---|
/// | `Double`, `Float` | the shortest number that reads back as the same value; `"inf"`, `"-inf"`, `"nan"`, `"nan:0x…"` |
/// | `Decimal` | a number with all its digits, trailing zeros too |
/// | `Date` | an ISO 8601 string in UTC with as many digits as it takes, or the number of seconds since 2001 |
/// | `Data` | ``Node/data(_:)`` |
/// | `URL`, `UUID` | a string; a URL with a base as Foundation writes it |
/// | `Optional` | `null` or the value; where the value itself is written as `null`, it stands in `{"$some": …}` |
/// | `Dictionary` | where each key is written as a string, or is an integer: an object; else an array of `[key, value]`. Sorted by key |
/// | `Set` | an array, sorted |
/// | ``Redacted`` | what ``Redactable/redacted()`` gives for the value: this one is not read back |
///
/// Encoding is O(size of the value).
public struct NodeEncoder: Sendable {
    private let redactor: Redactor?

    public init() { redactor = nil }

    /// Creates an encoder that hides what a redactor says.
    package init(redactor: Redactor?) { self.redactor = redactor }

    /// Encodes a value.
    ///
    /// - Throws: ``TreeError`` with the path of what cannot be kept exactly, is nested deeper than
    ///   ``TreeLimits/depth``, or failed in its own `encode(to:)`.
    public func encode<T: Encodable>(_ value: T) throws -> Node {
        try CodingSession(redactor: redactor).encode(value)
    }

    /// Encodes a value that will be the member `key` of another node.
    package func encode<T: Encodable>(_ value: T, as key: String) throws -> Node {
        try CodingSession(redactor: redactor).encode(value, as: key)
    }
}

extension CodingSession {
    /// The node of a whole value, which will be the member `key` of another node if there is one.
    func encode<T: Encodable>(_ value: T, as key: String? = nil) throws -> Node {
        do {
            guard let key else { return try node(for: value) }
            return try descend(.key(key)) { try node(for: value) }
        } catch {
            throw wrap(error, .notEncodable)
        }
    }

    /// The node of a value at the place where the session stands.
    func node<T: Encodable>(for value: T) throws -> Node {
        if isHidden { return try hiddenNode(for: value) }
        if T.self == String.self { return .string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return .int(unsafeBitCast(value, to: Int.self)) }
        return try withUnsafePointer(to: value) { pointer in
            switch TypeTraits.of(T.self).kind {
            case .leaf(let type):
                return try type.leafNode(at: pointer, in: self)
            case .collection(let type):
                return try type.collectionNode(at: pointer, in: self)
            case .other:
                return try ownNode(of: pointer.pointee)
            case .instance:
                sawInstance = true
                return try ownNode(of: pointer.pointee)
            }
        }
    }

    /// The node that a value's own `encode(to:)` makes.
    func ownNode<T: Encodable>(of value: T) throws -> Node {
        try deepen {
            let shape = Shape(session: self, isShallow: false)
            try value.encode(to: shape)
            return try shape.node()
        }
    }

    /// The node of a value that is there, where `nil` might have been.
    func presentNode<T: Encodable>(for value: T) throws -> Node {
        let node = try node(for: value)
        return node.looksAbsent ? .object([Node.Member(Tag.some, node)]) : node
    }
}

/// Keys with which the codec marks what JSON has no words for.
enum Tag {
    /// Around a value that is there but is written as `null`.
    static let some = "$some"

    /// Whether an object with this one key could be taken for a tag: `$some`, `$$some` …
    static func isLikeTag(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "$") && key.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("some".utf8)
    }
}

extension Node {
    /// Whether this node, standing where an optional is expected, would be read as something else than a present value.
    var looksAbsent: Bool {
        switch self {
        case .null: true
        case .object(let members): members.count == 1 && members[0].key == Tag.some
        default: false
        }
    }

    /// An object; a single key that could be taken for a tag gets one more `$`.
    static func escapedObject(_ members: [Member]) -> Node {
        if members.count == 1, Tag.isLikeTag(members[0].key) {
            return .object([Member("$" + members[0].key, members[0].value)])
        }
        return .object(members)
    }

    /// The members of an object that ``escapedObject(_:)`` made; `nil` where this is none.
    var unescapedMembers: [Member]? {
        guard case .object(let members) = self else { return nil }
        if members.count == 1, members[0].key.utf8.starts(with: "$$".utf8), Tag.isLikeTag(members[0].key) {
            return [Member(String(members[0].key.dropFirst()), members[0].value)]
        }
        return members
    }
}
