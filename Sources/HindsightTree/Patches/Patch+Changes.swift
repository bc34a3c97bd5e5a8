// What each operation does to the container, string or data that it was led to. Nothing is changed when one throws.

extension [Node] {
    /// RFC 6902's add: before the element at an index, or at the end (`-`, or the index one past the last).
    mutating func add(_ value: Node, at name: String) throws(Misfit) {
        guard let index = name == "-" ? count : NodePath.index(name), index <= count else {
            throw Misfit("expected an index up to \(count) to add at")
        }
        insert(value, at: index)
    }

    mutating func remove(_ old: Node, at name: String) throws(Misfit) {
        guard let index = NodePath.index(name), index < count else { throw Misfit("there is no such element") }
        try self[index].verify(is: old)
        remove(at: index)
    }
}

extension [Node.Member] {
    /// Adds a member at a place; without one, at its sorted place, or at the end where members are not sorted.
    mutating func add(_ value: Node, key: String, at place: Int?) throws(Misfit) {
        guard index(ofKey: key) == nil else { throw Misfit("there is such a member already") }
        let index = place ?? (isSortedByKey ? sortedPlace(ofKey: key) : count)
        guard index <= count else { throw Misfit("it is to be member \(index), but there are only \(count)") }
        insert(Node.Member(key, value), at: index)
    }

    mutating func remove(_ old: Node, key: String, at place: Int?) throws(Misfit) {
        let index: Int
        if let place {
            guard place < count, self[place].key.hasSameScalars(as: key) else {
                throw Misfit("expected it to be member \(place)")
            }
            index = place
        } else {
            guard let found = self.index(ofKey: key) else { throw Misfit("there is no such member") }
            index = found
        }
        try self[index].value.verify(is: old)
        remove(at: index)
    }
}

extension Node {
    mutating func splice(at index: Int, remove: [Node], insert: [Node]) throws(Misfit) {
        guard let count = elementCount else { throw Misfit("expected an array, but found \(brief)") }
        guard index <= count, remove.count <= count - index else {
            throw Misfit("it changes \(remove.count) elements from \(index) on, but there are only \(count)")
        }
        for (offset, old) in remove.enumerated() {
            try self[index + offset]?.verify(is: old)
        }
        var elements = takeElements()
        elements.replaceSubrange(index..<(index + remove.count), with: insert)
        self = .array(elements)
    }

    mutating func edit(at offset: Int, remove: Node, insert: Node) throws(Misfit) {
        switch (remove, insert) {
        case (.string(let remove), .string(let insert)):
            guard case .string = self else { throw Misfit("expected a string, but found \(brief)") }
            var text = takeString()
            defer { self = .string(text) }
            text.replaceSubrange(try text.range(of: remove, at: offset), with: insert)
        case (.data(let remove), .data(let insert)):
            guard case .data = self else { throw Misfit("expected data, but found \(brief)") }
            var bytes = takeData()
            defer { self = .data(bytes) }
            guard offset <= bytes.count, bytes[offset...].starts(with: remove) else {
                throw Misfit("expected \(Node.data(remove).brief) from byte \(offset) on")
            }
            bytes.replaceSubrange(offset..<(offset + remove.count), with: insert)
        default:
            throw Misfit("an edit takes and gives two strings, or both data")
        }
    }
}

extension String {
    /// Where `part` stands, at `offset` bytes from the beginning, between whole characters.
    fileprivate func range(of part: String, at offset: Int) throws(Misfit) -> Range<Index> {
        let fits = withBytes { text in
            part.withBytes { part in
                guard offset <= text.count, part.count <= text.count - offset else { return false }
                let isBoundary = offset == text.count || text[offset] & 0xC0 != 0x80
                return isBoundary && text.part(offset..<offset + part.count).hasSameBytes(as: part)
            }
        }
        guard fits else { throw Misfit("expected \(Node.string(part).brief) from byte \(offset) on") }
        let start = utf8.index(utf8.startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: part.utf8.count)
    }
}
