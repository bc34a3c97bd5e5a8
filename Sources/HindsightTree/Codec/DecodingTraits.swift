import HindsightSupport

/// How the codec decodes a type, found out once a type and kept.
enum DecodingTraits: Sendable {
    case leaf(any LeafDecoding.Type)
    case collection(any CollectionDecoding.Type)
    case other

    static func of<T>(_ type: T.Type) -> DecodingTraits {
        let id = ObjectIdentifier(type)
        if let traits = known.withLock({ $0[id] }) { return traits }
        let traits: DecodingTraits =
            if let leaf = type as? any LeafDecoding.Type {
                .leaf(leaf)
            } else if let collection = type as? any CollectionDecoding.Type {
                .collection(collection)
            } else {
                .other
            }
        known.withLock { $0[id] = traits }
        return traits
    }

    private static let known = Locked<[ObjectIdentifier: DecodingTraits]>([:])
}

/// A type that the codec reads from one node.
protocol LeafDecoding: Sendable {
    /// Reads the value. Throws ``LeafMismatch`` if the node is not of this type.
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

/// A node is not of the type that a leaf expects.
struct LeafMismatch: Error {
    let expected: String

    init(_ expected: String) { self.expected = expected }
}

/// An optional, array, dictionary or set of values that can be decoded.
protocol CollectionDecoding: SendableMetatype {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self
}

extension CollectionDecoding {
    static func decodeCollection(
        from node: Node,
        into target: UnsafeMutableRawPointer,
        in session: CodingSession
    ) throws {
        target.initializeMemory(as: Self.self, to: try decodeCollection(from: node, in: session))
    }
}

extension Optional: CollectionDecoding where Wrapped: Decodable {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self {
        try session.presentValue(Wrapped.self, from: node)
    }
}

extension Array: CollectionDecoding where Element: Decodable {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self {
        try session.elements(Element.self, from: node)
    }
}

extension ContiguousArray: CollectionDecoding where Element: Decodable {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self {
        Self(try session.elements(Element.self, from: node))
    }
}

extension Set: CollectionDecoding where Element: Decodable {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self {
        let elements = try session.elements(Element.self, from: node)
        let set = Set(elements)
        guard set.count == elements.count else { throw session.repeated("member of this set") }
        return set
    }
}

extension Dictionary: CollectionDecoding where Key: Decodable, Value: Decodable {
    static func decodeCollection(from node: Node, in session: CodingSession) throws -> Self {
        var dictionary: Self = [:]
        if session.dictionaries != nil { session.dictionaries?.insert(session.nodePath) }
        if let members = node.unescapedMembers {
            dictionary.reserveCapacity(members.count)
            for member in members {
                let key = try session.key(Key.self, named: member.key)
                try session.descend(.key(member.key)) {
                    let value = try session.value(Value.self, from: member.value)
                    guard dictionary.updateValue(value, forKey: key) == nil else { throw session.repeated("key") }
                }
            }
        } else {
            // No encoder writes such keys in an array: this is an array of something else.
            if Key.self == String.self || Key.self == Int.self {
                throw session.mismatch(Self.self, "an object", found: node)
            }
            for (index, pair) in try session.pairs(from: node).enumerated() {
                try session.descend(.index(index)) {
                    let key = try session.descend(.index(0)) { try session.value(Key.self, from: pair.key) }
                    let value = try session.descend(.index(1)) { try session.value(Value.self, from: pair.value) }
                    guard dictionary.updateValue(value, forKey: key) == nil else { throw session.repeated("key") }
                }
            }
        }
        return dictionary
    }
}

/// The key of a dictionary's entry.
private struct NamedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { stringValue = String(intValue) }
}

extension CodingSession {
    fileprivate func elements<Element: Decodable>(_ type: Element.Type, from node: Node) throws -> [Element] {
        guard case .array(let nodes) = node else { throw mismatch([Any].self, "an array", found: node) }
        var elements: [Element] = []
        elements.reserveCapacity(nodes.count)
        for index in nodes.indices {
            elements.append(try descend(.index(index)) { try value(type, from: nodes[index]) })
        }
        return elements
    }

    /// The key that is written as this member name.
    ///
    /// - Throws: An error at the dictionary's own path, since the value of the key is not the problem.
    fileprivate func key<Key: Decodable>(_ type: Key.Type, named name: String) throws -> Key {
        if let integer = type as? any IntegerLeaf.Type {
            if let key = integer.init(key: name) as? Key { return key }
            throw noKey(name, "expected a whole number")
        }
        do {
            return try value(type, from: .string(name))
        } catch let error as DecodingError {
            let representable = (type as? any CodingKeyRepresentable.Type)?.init(codingKey: NamedKey(stringValue: name))
            if let key = representable as? Key { return key }
            throw noKey(name, wrap(error, .notDecodable).reason)
        }
    }

    private func noKey(_ name: String, _ reason: String) -> DecodingError {
        let key = Node.string(name).summary
        return .dataCorrupted(.init(codingPath: path, debugDescription: "the key \(key) does not fit: \(reason)"))
    }

    /// The entries of a dictionary whose keys are no strings: an array of pairs, as ``NodeEncoder`` writes it, or keys
    /// and values in turn, as the standard library does.
    fileprivate func pairs(from node: Node) throws -> [(key: Node, value: Node)] {
        guard case .array(let elements) = node else {
            throw mismatch([Any].self, "an object or an array of pairs", found: node)
        }
        let pairs: [(key: Node, value: Node)] = elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2 else { return nil }
            return (pair[0], pair[1])
        }
        if pairs.count == elements.count { return pairs }
        guard elements.count.isMultiple(of: 2) else {
            throw mismatch([Any].self, "an object or an array of pairs", found: node)
        }
        return stride(from: 0, to: elements.count, by: 2).map { (elements[$0], elements[$0 + 1]) }
    }

    fileprivate func repeated(_ what: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: "this \(what) occurs twice"))
    }
}
