// How optionals, arrays, dictionaries and sets are encoded, as nodes and as a stream. Sets, and dictionaries with other
// keys than strings, have no stream form of their own: the nodes they become are written.

extension CollectionCoding {
    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool { false }
}

extension Optional: OptionalCoding where Wrapped: Encodable {}

extension Optional: CollectionCoding where Wrapped: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        guard let value = pointer.assumingMemoryBound(to: Self.self).pointee else { return .null }
        return try session.presentNode(for: value)
    }

    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool {
        switch pointer.assumingMemoryBound(to: Self.self).pointee {
        case nil: encoder.stream.pointee.put(Node.null)
        case let value?: try encoder.put(present: value, depth: depth)
        }
        return true
    }
}

extension Array: CollectionCoding where Element: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer(session.arrayNode)
    }

    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer {
            try encoder.put(elements: $0, depth: depth)
        }
        return true
    }
}

extension ContiguousArray: CollectionCoding where Element: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer(session.arrayNode)
    }

    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer {
            try encoder.put(elements: $0, depth: depth)
        }
        return true
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
        nodes.sort { $0.precedes($1) }
        // Two members may have become the same by redaction.
        if session.mayRedact { return .array(nodes.withoutRepetitions) }
        for index in nodes.indices.dropFirst() where nodes[index] == nodes[index - 1] {
            throw session.ambiguous("two members of this set are both written as \(nodes[index].json)")
        }
        return .array(nodes)
    }
}

extension Dictionary: CollectionCoding where Key: Encodable, Value: Encodable {
    static func collectionNode(at pointer: UnsafeRawPointer, in session: CodingSession) throws -> Node {
        let dictionary = pointer.assumingMemoryBound(to: Self.self).pointee
        if let members = try session.members(of: dictionary) { return .escapedObject(members) }
        return .array(try session.pairs(of: dictionary).map { .array([$0.key, $0.value]) })
    }

    static func write(at pointer: UnsafeRawPointer, to encoder: JSONStreamEncoder, depth: Int) throws -> Bool {
        guard Key.self == String.self else { return false }
        try encoder.put(members: pointer.assumingMemoryBound(to: [String: Value].self).pointee, depth: depth)
        return true
    }
}

extension CodingSession {
    fileprivate func arrayNode<Element: Encodable>(_ elements: UnsafeBufferPointer<Element>) throws -> Node {
        var nodes: [Node] = []
        nodes.reserveCapacity(elements.count)
        for index in elements.indices {
            nodes.append(try descend(.index(index)) { try node(for: elements[index]) })
        }
        return .array(nodes)
    }

    /// A dictionary's entries sorted by key; `nil` if a key is written as something else than a string or an integer.
    fileprivate func members<Key: Encodable, Value: Encodable>(of dictionary: [Key: Value]) throws -> [Node.Member]? {
        var members: [Node.Member] = []
        members.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            guard let name = try name(ofKey: key) else { return nil }
            members.append(Node.Member(name, try descend(.entry(name)) { try node(for: value) }))
        }
        members.sort { $0.key.precedesByScalars($1.key) }
        for index in members.indices.dropFirst() where members[index].key.hasSameScalars(as: members[index - 1].key) {
            throw ambiguous("two keys of this dictionary are both written as \"\(members[index].key)\"")
        }
        return members
    }

    /// The member name for a dictionary's key; `nil` if the key is written as something else than a string or an
    /// integer, and its type is not `CodingKeyRepresentable`.
    func name<Key: Encodable>(ofKey key: Key) throws -> String? {
        if Key.self == String.self { return unsafeBitCast(key, to: String.self) }
        if Key.self is any IntegerLeaf.Type { return "\(key)" }
        if case .string(let name) = try withoutRedaction({ try node(for: key) }) { return name }
        return (key as? any CodingKeyRepresentable)?.codingKey.stringValue
    }

    /// A dictionary's entries sorted by the nodes of their keys.
    fileprivate func pairs<Key: Encodable, Value: Encodable>(
        of dictionary: [Key: Value]
    ) throws -> [(key: Node, value: Node)] {
        var pairs: [(key: Node, value: Node)] = []
        pairs.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            pairs.append(
                try descend(.index(pairs.count)) {
                    let keyNode = try descend(.index(0)) { try withoutRedaction { try node(for: key) } }
                    return (keyNode, try descend(.index(1)) { try node(for: value) })
                }
            )
        }
        pairs.sort { $0.key.precedes($1.key) }
        for index in pairs.indices.dropFirst() where pairs[index].key == pairs[index - 1].key {
            throw ambiguous("two keys of this dictionary are both written as \(pairs[index].key.json)")
        }
        return pairs
    }

    func ambiguous(_ what: String) -> TreeError {
        TreeError(.notEncodable, at: nodePath, what + ", so that they could not be told apart")
    }
}

extension JSONStreamEncoder {
    fileprivate func put<Element: Encodable>(elements: UnsafeBufferPointer<Element>, depth: Int) throws {
        stream.pointee.json.bytes.append(UInt8(ascii: "["))
        for index in elements.indices {
            if index > 0 { stream.pointee.json.bytes.append(UInt8(ascii: ",")) }
            try put(elements[index], depth: depth + 1)
        }
        stream.pointee.json.bytes.append(UInt8(ascii: "]"))
        stream.pointee.clearOutline()
    }

    fileprivate func put<Value: Encodable>(members: [String: Value], depth: Int) throws {
        // A key that is alone may need escaping.
        if members.count == 1 { throw JSONStreamWriter.Fallback() }
        let sorted = members.sorted { $0.key.precedesByScalars($1.key) }
        stream.pointee.json.bytes.append(UInt8(ascii: "{"))
        for (index, member) in sorted.enumerated() {
            if index > 0 {
                // The node encoder refuses two keys of the same scalars.
                if member.key.hasSameScalars(as: sorted[index - 1].key) { throw JSONStreamWriter.Fallback() }
                stream.pointee.json.bytes.append(UInt8(ascii: ","))
            }
            stream.pointee.json.write(string: member.key)
            stream.pointee.json.bytes.append(UInt8(ascii: ":"))
            try put(member.value, depth: depth + 1)
        }
        stream.pointee.json.bytes.append(UInt8(ascii: "}"))
        stream.pointee.clearOutline()
    }
}
