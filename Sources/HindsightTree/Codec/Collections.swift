// How optionals, arrays, dictionaries and sets become nodes.

extension Optional: CollectionCoding where Wrapped: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        guard let value = pointer.assumingMemoryBound(to: Self.self).pointee else { return .null }
        return try session.presentNode(for: value)
    }
}

extension Array: CollectionCoding where Element: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer(session.arrayNode)
    }
}

extension ContiguousArray: CollectionCoding where Element: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer(session.arrayNode)
    }
}

extension Set: CollectionCoding where Element: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        let set = pointer.assumingMemoryBound(to: Self.self).pointee
        var nodes: [Node] = []
        nodes.reserveCapacity(set.count)
        for element in set {
            nodes.append(try session.descend(.index(nodes.count)) { try session.node(for: element) })
        }
        nodes.sort(by: Node.isOrdered)
        // Members of which parts are hidden may have become the same.
        if session.isWatched { return .array(nodes.withoutRepetitions) }
        for index in nodes.indices.dropFirst() where nodes[index] == nodes[index - 1] {
            throw session.ambiguous("two members of this set are both written as \(nodes[index].json)")
        }
        return .array(nodes)
    }
}

extension Dictionary: CollectionCoding where Key: Encodable, Value: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        let entries = try session.entries(of: pointer.assumingMemoryBound(to: Self.self).pointee)
        switch entries {
        case .members(let members):
            return .escapedObject(members)
        case .pairs(let pairs):
            return .array(pairs.map { .array([$0.key, $0.value]) })
        }
    }
}

/// A dictionary's entries in canonical order.
enum DictionaryEntries {
    /// Every key is written as a string or is an integer.
    case members([Node.Member])
    case pairs([(key: Node, value: Node)])
}

extension CodingSession {
    func arrayNode<Element: Encodable>(_ elements: UnsafeBufferPointer<Element>) throws -> Node {
        var nodes: [Node] = []
        nodes.reserveCapacity(elements.count)
        for index in elements.indices {
            nodes.append(try descend(.index(index)) { try node(for: elements[index]) })
        }
        return .array(nodes)
    }

    func entries<Key: Encodable, Value: Encodable>(of dictionary: [Key: Value]) throws -> DictionaryEntries {
        var members: [Node.Member] = []
        members.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            guard let name = try name(ofKey: key) else { return try pairs(of: dictionary) }
            members.append(Node.Member(name, try descend(.entry(name)) { try node(for: value) }))
        }
        members.sort { Node.isOrdered($0.key, $1.key) }
        for index in members.indices.dropFirst() where members[index].key.hasSameScalars(as: members[index - 1].key) {
            throw ambiguous("two keys of this dictionary are both written as \"\(members[index].key)\"")
        }
        return .members(members)
    }

    /// The member name for a dictionary's key; `nil` where the key is written as something else than a string.
    func name<Key: Encodable>(ofKey key: Key) throws -> String? {
        if Key.self == String.self { return unsafeBitCast(key, to: String.self) }
        if Key.self is any IntegerLeaf.Type { return "\(key)" }
        guard case .string(let name) = try unwatched({ try node(for: key) }) else { return nil }
        return name
    }

    private func pairs<Key: Encodable, Value: Encodable>(of dictionary: [Key: Value]) throws -> DictionaryEntries {
        var pairs: [(key: Node, value: Node)] = []
        pairs.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            pairs.append(
                try descend(.index(pairs.count)) {
                    let keyNode = try descend(.index(0)) { try unwatched { try node(for: key) } }
                    return (keyNode, try descend(.index(1)) { try node(for: value) })
                }
            )
        }
        pairs.sort { Node.isOrdered($0.key, $1.key) }
        for index in pairs.indices.dropFirst() where pairs[index].key == pairs[index - 1].key {
            throw ambiguous("two keys of this dictionary are both written as \(pairs[index].key.json)")
        }
        return .pairs(pairs)
    }

    func ambiguous(_ what: String) -> TreeError {
        TreeError(.notEncodable, at: nodePath, what + ", so that they could not be told apart")
    }
}
