import HindsightSupport

/// What the codec and the change finder need to know about a type, found out once and kept.
struct TypeTraits: Sendable {
    enum Kind: Sendable {
        /// Written as a single node by ourselves.
        case leaf(any LeafCoding.Type)
        /// An optional, array, dictionary or set, of which we see the inside.
        case collection(any CollectionCoding.Type)
        /// Described by its own `encode(to:)`.
        case other
        /// The same, and an instance of a class, or a value that refers to one from its own storage: it may change while its
        /// bits stay the same.
        case instance
    }

    let kind: Kind
    let bits: BitPattern

    /// Looks a type up; some 30 ns when it was seen before.
    static func of<T>(_ type: T.Type) -> TypeTraits {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let traits = TypeTraits(kind: kind(of: type), bits: BitPattern(of: type))
        known.withLock { $0[id] = traits }
        return traits
    }

    private static let known = Locked<[ObjectIdentifier: TypeTraits]>([:])

    private static func kind<T>(of type: T.Type) -> Kind {
        if let leaf = type as? any LeafCoding.Type { return .leaf(leaf) }
        if let collection = type as? any CollectionCoding.Type { return .collection(collection) }
        return TypeFields.refersToInstance(type) ? .instance : .other
    }
}

/// A type that the codec writes as one node.
protocol LeafCoding: Sendable {
    func leafNode(in session: CodingSession) throws -> Node
}

extension LeafCoding {
    static func leafNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        try pointer.assumingMemoryBound(to: Self.self).pointee.leafNode(in: session)
    }
}

/// An optional, array, dictionary or set of things that can be encoded.
protocol CollectionCoding: SendableMetatype {
    /// The node of the collection at `pointer`, which points to a `Self`.
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node
    /// Writes the collection at `pointer` into a draft, with so many names on the way to it; `false` where that is not
    /// how it is done, and nothing was written.
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool
    /// Tells `finder` what changed between the collections at `old` and `new`, which point to a `Self` each.
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in finder: ChangeWalk) throws
}
