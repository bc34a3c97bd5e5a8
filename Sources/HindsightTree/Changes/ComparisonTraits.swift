import HindsightSupport

/// How two values of a type are compared, found out once a type and kept.
struct ComparisonTraits: Sendable {
    enum Kind: Sendable {
        /// The codec writes the value as a single node.
        case leaf(any LeafCoding.Type)
        /// The parts of an optional, array, dictionary or set are compared.
        case collection(any CollectionComparing.Type)
        /// The value's own `encode(to:)` describes it.
        case other
        /// As `other`, and the value may change while its bits stay the same.
        case instance
    }

    let kind: Kind
    let bits: BitwiseComparator

    /// Looks a type up, which costs some 30 ns after the first time.
    static func of<T>(_ type: T.Type) -> ComparisonTraits {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let kind: Kind =
            if let collection = type as? any CollectionComparing.Type {
                .collection(collection)
            } else {
                switch EncodingTraits.of(type) {
                case .leaf(let leaf): .leaf(leaf)
                case .instance: .instance
                case .collection, .other: .other
                }
            }
        let traits = ComparisonTraits(kind: kind, bits: BitwiseComparator(of: type))
        known.withLock { $0[id] = traits }
        return traits
    }

    private static let known = Locked<[ObjectIdentifier: ComparisonTraits]>([:])
}

/// An optional, array, dictionary or set of values that can be encoded.
protocol CollectionComparing: CollectionCoding {
    /// Adds to `diff` what changed between the collections at `old` and `new`, which point to a `Self` each.
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws
}
