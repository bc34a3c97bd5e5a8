/// Decodes values from nodes.
///
/// Reads what ``NodeEncoder`` writes bit for bit. It also reads what a person or Foundation's encoder would write for
/// the same value: an optional as `null` or left out, data as a base64 string, a date as ISO 8601 text or seconds since
/// 2001.
package struct NodeDecoder: Sendable {
    /// Creates a decoder.
    package init() {}

    /// Decodes a value.
    ///
    /// - Throws: ``TreeError`` with the code ``TreeError/Code/notDecodable``, the path of the field that does not fit,
    ///   and what was expected and found there.
    package func decode<T: Decodable>(_ type: T.Type, from node: Node) throws(TreeError) -> T {
        let session = CodingSession()
        do {
            return try session.value(type, from: node)
        } catch {
            throw session.wrap(error, .notDecodable, decoding: node)
        }
    }

    /// The places of a node that a type reads as dictionaries, up to the first value that does not decode.
    package func dictionaries<T: Decodable>(readBy type: T.Type, in node: Node) -> Set<NodePath> {
        let session = CodingSession()
        session.dictionaries = []
        do {
            _ = try session.value(type, from: node)
        } catch {
            // All around the value that does not decode were read.
        }
        return session.dictionaries ?? []
    }
}

extension CodingSession {
    /// The value of a node at the session's path.
    func value<T: Decodable>(_ type: T.Type, from node: Node) throws -> T {
        let traits = DecodingTraits.of(type)
        switch traits {
        case .leaf(let leaf) where !(leaf.hasOwnForm && node.isContainer):
            return try make(type) { target in
                do {
                    try leaf.decodeLeaf(from: node, into: target)
                } catch let mismatch as LeafMismatch {
                    throw self.mismatch(type, mismatch.expected, found: node)
                }
            }
        case .collection(let collection):
            return try make(type) { try collection.decodeCollection(from: node, into: $0, in: self) }
        default:
            return try deepen { try T(from: ValueDecoder(node: node, session: self)) }
        }
    }

    /// The value of a node that may be `nil`.
    func presentValue<T: Decodable>(_ type: T.Type, from node: Node) throws -> T? {
        switch node {
        case .null: nil
        case .object(let members) where node.looksLikeNil && type != Node.self: try value(type, from: members[0].value)
        default: try value(type, from: node)
        }
    }

    /// The standard library's error, since the app's `init(from:)` may catch it.
    func mismatch(
        _ type: Any.Type,
        _ expected: String,
        found node: Node,
        nesting: [PathStep] = []
    ) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path + nesting,
            debugDescription: "expected \(expected), found \(node.summary)"
        )
        if case .null = node { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }

    /// A value that is initialized in place, since its type is only known at run time.
    private func make<T>(_ type: T.Type, _ initialize: (UnsafeMutableRawPointer) throws -> Void) throws -> T {
        let target = UnsafeMutablePointer<T>.allocate(capacity: 1)
        defer { target.deallocate() }
        try initialize(UnsafeMutableRawPointer(target))
        return target.move()
    }
}

extension Node {
    /// Whether this is an object or an array.
    package var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }

    /// The kind and size of this node, for error messages.
    var summary: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .number(let text): text.count <= 40 ? text : "a number of \(text.count) characters"
        case .string(let text): text.count <= 40 ? json : "a string of \(text.utf8.count) bytes"
        case .data(let bytes): "data of \(bytes.count) bytes"
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array of \(elements.count)"
        case .object(let members):
            members.isEmpty
                ? "an empty object"
                : "an object with \(members.prefix(3).map { "\"\($0.key)\"" }.joined(separator: ", "))"
                    + (members.count > 3 ? " and \(members.count - 3) more" : "")
        }
    }
}
