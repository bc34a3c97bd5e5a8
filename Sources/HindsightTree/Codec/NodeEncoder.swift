/// Encodes values as nodes, without loss.
///
/// ```swift
/// let node = try NodeEncoder().encode(AppState())
/// print(node.prettyJSON())
/// ```
///
/// A value is written as its `encode(to:)` says, except for these types. ``NodeDecoder`` reads all of them back bit for
/// bit, except for ``Redacted``:
///
/// | value | node |
/// |---|---|
/// | `Double`, `Float` | the shortest number that reads back as the same value; `"inf"`, `"-inf"`, `"nan"`, `"nan:0x…"` |
/// | `Decimal` | a number with all its digits, trailing zeros too |
/// | `Date` | an ISO 8601 string in UTC with as many digits as needed, or the number of seconds since 2001 |
/// | `Data` | ``Node/data(_:)`` |
/// | `URL`, `UUID` | a string; a URL with a base as Foundation writes it |
/// | `Optional` | `null` or the value. A value that would read as `nil` becomes `{"$some": …}` |
/// | ``Node`` | as it is. In an optional, ``Node/null`` reads as `nil` |
/// | `Dictionary` | an object if all keys are integers, written as strings or `CodingKeyRepresentable`, else an array of `[key, value]`. Sorted by key |
/// | `Set` | an array, sorted |
/// | ``Redacted`` | what ``Redactable/redacted()`` returns |
///
/// Encoding is O(size of the value).
package struct NodeEncoder: Sendable {
    private let redactor: Redactor?

    /// Creates an encoder that redacts what `redactor` hides, if there is one.
    package init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// Encodes a value.
    ///
    /// - Throws: ``TreeError`` with the path of what cannot be kept exactly, is nested deeper than
    ///   ``TreeLimits/depth``, or failed in its own `encode(to:)`.
    package func encode<T: Encodable>(_ value: T) throws(TreeError) -> Node {
        try CodingSession(redactor: redactor).encode(value)
    }

    /// Encodes a value that will be the member `key` of another node.
    package func encode<T: Encodable>(_ value: T, as key: String) throws(TreeError) -> Node {
        try CodingSession(redactor: redactor).encode(value, as: key)
    }
}

extension CodingSession {
    /// The node of a whole value, which will be the member `key` of another node if `key` is not `nil`.
    func encode<T: Encodable>(_ value: T, as key: String? = nil) throws(TreeError) -> Node {
        do {
            guard let key else { return try node(for: value) }
            return try descend(.key(key)) { try node(for: value) }
        } catch {
            throw wrap(error, .notEncodable)
        }
    }

    /// The node of a value at the session's path.
    func node<T: Encodable>(for value: T) throws -> Node {
        if isHidden { return try hiddenNode(for: value) }
        if T.self == String.self { return .string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return .int(unsafeBitCast(value, to: Int.self)) }
        return try withUnsafePointer(to: value) { pointer in
            switch EncodingTraits.of(T.self) {
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
            let fields = FieldEncoder(session: self, isLazy: false)
            try value.encode(to: fields)
            return try fields.node()
        }
    }

    /// The node of the value of an optional that is not `nil`.
    func presentNode<T: Encodable>(for value: T) throws -> Node {
        let node = try node(for: value)
        // A placeholder that the app gave stands in the place of the optional.
        if isHidden, redactor?.automaton.placeholder(redactionState) != nil { return node }
        return node.looksLikeNil && T.self != Node.self ? .object([Node.Member(OptionalTag.some, node)]) : node
    }
}

/// The key that tells an optional's value from `nil`.
enum OptionalTag {
    /// Wraps a value that is not `nil` and yet written as `null`.
    static let some = "$some"

    /// Whether an object with this one key could be taken for a tag: `$some`, `$$some` …
    static func isLikeTag(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "$") && key.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("some".utf8)
    }
}

extension Node {
    /// Whether a decoder that expects an optional would read this node as `nil`, or as a value with a tag.
    var looksLikeNil: Bool {
        switch self {
        case .null: true
        case .object(let members): members.count == 1 && members[0].key == OptionalTag.some
        default: false
        }
    }

    /// An object. A single key that could be taken for a tag gets one more `$`.
    static func escapedObject(_ members: [Member]) -> Node {
        if members.count == 1, OptionalTag.isLikeTag(members[0].key) {
            return .object([Member("$" + members[0].key, members[0].value)])
        }
        return .object(members)
    }

    /// The members of an object that ``escapedObject(_:)`` made; `nil` if this is no object.
    var unescapedMembers: [Member]? {
        guard case .object(let members) = self else { return nil }
        if members.count == 1, members[0].key.utf8.starts(with: "$$".utf8), OptionalTag.isLikeTag(members[0].key) {
            return [Member(String(members[0].key.dropFirst()), members[0].value)]
        }
        return members
    }
}
