import HindsightSupport

/// How the codec encodes a type, found out once a type and kept.
enum EncodingTraits: Sendable {
    /// The codec writes the value as a single node.
    case leaf(any LeafCoding.Type)
    /// The codec writes the parts of an optional, array, dictionary or set.
    case collection(any CollectionCoding.Type)
    /// The value's own `encode(to:)` describes it.
    case other
    /// As `other`. The value is a class instance or refers to one from its own storage, so it may change while its bits
    /// stay the same.
    case instance

    /// Looks a type up, which costs some 30 ns after the first time.
    static func of<T>(_ type: T.Type) -> EncodingTraits {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let traits: EncodingTraits =
            if let leaf = type as? any LeafCoding.Type {
                .leaf(leaf)
            } else if let collection = type as? any CollectionCoding.Type {
                .collection(collection)
            } else {
                InstanceDetection.refersToInstance(type) ? .instance : .other
            }
        known.withLock { $0[id] = traits }
        return traits
    }

    private static let known = Locked<[ObjectIdentifier: EncodingTraits]>([:])
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

/// An optional, array, dictionary or set of values that can be encoded.
protocol CollectionCoding: SendableMetatype {
    /// The node of the collection at `pointer`, which points to a `Self`.
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node
    /// Streams the collection at `pointer`, which `depth` names lead to.
    ///
    /// - Returns: `false` if this collection cannot be streamed. Nothing was written then.
    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool
}

/// An optional. A value that it wraps may be encoded as `null` too.
protocol OptionalCoding {}
