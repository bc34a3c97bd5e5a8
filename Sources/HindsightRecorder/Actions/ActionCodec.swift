import HindsightFormat
import HindsightTree

/// How a store's actions become nodes, and nodes become actions again.
public struct ActionCodec<Action: Sendable>: Sendable {
    /// Makes a node of an action.
    public let encode: @Sendable (Action) throws -> Node
    /// Makes an action of a node.
    public let decode: @Sendable (Node) throws -> Action
    /// The names of all action types, for messages; empty where they cannot be known.
    public let knownTypes: [String]
    /// Makes a node of an action, hiding what is to be hidden by the types of its parts; `nil` where only the node that
    /// ``encode`` makes is known.
    let encodeHiding: (@Sendable (Action, Redactor) throws -> Node)?
    /// Writes the text of that node; `nil` as above.
    let writeHiding: (@Sendable (Action, TextEncoder) throws -> NodeOutline)?

    /// Creates a codec from its two directions.
    public init(
        encode: @escaping @Sendable (Action) throws -> Node,
        decode: @escaping @Sendable (Node) throws -> Action,
        knownTypes: [String] = []
    ) {
        self.encode = encode
        self.decode = decode
        self.knownTypes = knownTypes
        encodeHiding = nil
        writeHiding = nil
    }

    init(
        encode: @escaping @Sendable (Action, Redactor?) throws -> Node,
        write: @escaping @Sendable (Action, TextEncoder) throws -> NodeOutline,
        decode: @escaping @Sendable (Node) throws -> Action,
        knownTypes: [String] = []
    ) {
        self.encode = { try encode($0, nil) }
        self.decode = decode
        self.knownTypes = knownTypes
        encodeHiding = encode
        writeHiding = write
    }
}

extension ActionCodec where Action: Codable {
    /// Actions as their own `Codable` conformance writes them: `.toggle(id: 3)` is `{"toggle":{"id":3}}`.
    public static var codable: ActionCodec {
        ActionCodec(
            encode: { try NodeEncoder(redactor: $1).encode($0) },
            write: { try $1.encode($0) },
            decode: { try NodeDecoder().decode(Action.self, from: $0) }
        )
    }
}

extension ActionCodec {
    /// The short name of an action: the key of a node that looks like an enum's case, the text of a raw string, and
    /// otherwise the Swift type's name.
    func typeName(of action: Action, as outline: NodeOutline) -> String {
        if let name = outline.caseName { return name }
        if case .member(let key, _) = outline, knownTypes.contains(key) { return key }
        // Through `Any`, so that an existential gives the type of what it holds.
        return "\(type(of: action as Any))"
    }
}
