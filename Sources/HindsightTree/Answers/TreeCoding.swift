// How the values of this module stand in other Codable values: a path as its text, a tree and a patch as they are.

extension NodePath: Codable {
    /// Reads a JSON Pointer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let path = NodePath(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no JSON Pointer.")
        }
        self = path
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Node: Codable, LeafCoding, LeafDecoding {
    /// Reads a JSON text, or, by ``NodeDecoder``, any tree.
    public init(from decoder: any Decoder) throws {
        try self.init(json: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the JSON text, or, by ``NodeEncoder``, the tree itself.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }

    func leafNode(in session: CodingSession) -> Node { self }

    init(leaf node: Node) { self = node }
}

extension Patch: Codable {
    /// Reads the operations.
    public init(from decoder: any Decoder) throws {
        try self.init(node: try decoder.singleValueContainer().decode(Node.self))
    }

    /// Writes the operations.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(node)
    }
}
