/// A type that the codec reads from one node.
protocol LeafDecoding: Sendable {
    /// Reads the value; throws ``LeafMismatch`` where the node is not of this type.
    init(leaf node: Node) throws
    /// Whether some values are written by the type's own `encode(to:)`, as an object.
    static var hasOwnForm: Bool { get }
}

extension LeafDecoding {
    static var hasOwnForm: Bool { false }

    static func decodeLeaf(from node: Node, into target: UnsafeMutableRawPointer) throws {
        target.initializeMemory(as: Self.self, to: try Self(leaf: node))
    }
}

/// A node is not of the type that a leaf wants.
struct LeafMismatch: Error {
    let expected: String

    init(_ expected: String) { self.expected = expected }
}
