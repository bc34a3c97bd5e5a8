import HindsightFormat
import HindsightTree

/// Converts a store's actions to nodes, and nodes to actions.
public struct ActionCodec<ActionValue: Sendable>: Sendable {
    /// Converts an action to a node, and redacts it.
    private let makeNode: @Sendable (ActionValue, Redactor?) throws -> Node
    /// Writes the text of that node into an encoder, whose redactor applies.
    let write: @Sendable (ActionValue, TextEncoder) throws -> NodeOutline
    /// Converts a node to an action.
    ///
    /// A replay uses a value again for an equal node if sixteen conversions have given the same bits, and converts one
    /// node in 64 to compare.
    package let decode: @Sendable (Node) throws -> ActionValue
    /// The names of all action types, for messages; empty if unknown.
    package let knownTypes: [String]
    /// Returns the name under which the type of an action is registered; `nil` if it is not.
    let registeredName: @Sendable (ActionValue) -> String?
    /// Whether the actions are ``Described``.
    let isDescribed = ActionValue.self is any DescribedValue.Type
    /// Whether an action that cannot be encoded is described by reflection.
    private(set) var describesFailures = false

    /// Creates a codec from two closures.
    public init(
        encode: @escaping @Sendable (ActionValue) throws -> Node,
        decode: @escaping @Sendable (Node) throws -> ActionValue,
        knownTypes: [String] = []
    ) {
        @Sendable func redacted(_ action: ActionValue, _ redactor: Redactor?) throws -> Node {
            let node = try encode(action)
            return redactor?.redacted(node) ?? node
        }
        self.init(
            encode: redacted,
            write: { $1.put(try redacted($0, $1.redactor)) },
            decode: decode,
            knownTypes: knownTypes
        )
    }

    init(
        encode: @escaping @Sendable (ActionValue, Redactor?) throws -> Node,
        write: @escaping @Sendable (ActionValue, TextEncoder) throws -> NodeOutline,
        decode: @escaping @Sendable (Node) throws -> ActionValue,
        knownTypes: [String] = [],
        registeredName: @escaping @Sendable (ActionValue) -> String? = { _ in nil }
    ) {
        makeNode = encode
        self.write = write
        self.decode = decode
        self.knownTypes = knownTypes
        self.registeredName = registeredName
    }

    /// Converts an action to a node, and redacts it if there is a redactor.
    package func encode(_ action: ActionValue, hiding redactor: Redactor? = nil) throws -> Node {
        try makeNode(action, redactor)
    }
}

extension ActionCodec {
    /// This codec, and a description by reflection of each action that it cannot encode.
    ///
    /// Recordings then show what such an action had. It is not replayed: a replay goes on with the recorded state after
    /// it. Others are replayed as always.
    ///
    /// **Redaction.** Patterns match the names in the description: `/Ask/question` is a property of `struct Ask`.
    ///
    /// ```swift
    /// let recorder = Recorder<Shop, any ShopAction>.start(to: url, app: app, actions: registry.codec.describingFailures)
    /// ```
    public var describingFailures: ActionCodec {
        var codec = self
        codec.describesFailures = true
        return codec
    }
}

extension ActionCodec where ActionValue: Codable {
    /// Encodes actions by their `Codable` conformance: `.toggle(id: 3)` is `{"toggle":{"id":3}}`.
    package static var codable: ActionCodec {
        ActionCodec(
            encode: { try NodeEncoder(redactor: $1).encode($0) },
            write: { try $1.encode($0) },
            decode: { try NodeDecoder().decode(ActionValue.self, from: $0) }
        )
    }
}
