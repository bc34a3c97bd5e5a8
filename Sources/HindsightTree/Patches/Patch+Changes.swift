// What each operation does to its container, string or data. A function that throws changes nothing.

extension [Node] {
    /// RFC 6902's add: inserts before the element at an index, or at the end (`-`, or the index after the last).
    mutating func add(_ value: Node, at name: String) throws(PatchMismatch) {
        guard let index = name == "-" ? count : NodePath.index(name), index <= count else {
            throw PatchMismatch("expected an index up to \(count) to add at")
        }
        insert(value, at: index)
    }

    /// Removes the element at an index, or the last one (`-`), since that undoes an add at the end.
    mutating func remove(_ old: Node, at name: String) throws(PatchMismatch) {
        guard let index = name == "-" ? count - 1 : NodePath.index(name), indices.contains(index) else {
            throw PatchMismatch("there is no such element")
        }
        try self[index].verify(is: old)
        remove(at: index)
    }
}

extension [Node.Member] {
    /// Adds a member at `place`. If `place` is `nil`, at its sorted index, or at the end if members are not sorted.
    ///
    /// - Parameter isSorted: Whether members are known to be sorted. Otherwise it costs a comparison a member.
    mutating func add(_ value: Node, key: String, at place: Int?, isSorted: Bool) throws(PatchMismatch) {
        let index = place ?? (isSorted || isSortedByKey ? sortedIndex(ofKey: key) : count)
        let isThere =
            isSorted ? index < count && self[index].key.hasSameScalars(as: key) : self.index(ofKey: key) != nil
        if isThere { throw PatchMismatch("there is such a member already") }
        guard index <= count else { throw PatchMismatch("it is to be member \(index), but there are only \(count)") }
        insert(Node.Member(key, value), at: index)
    }

    mutating func remove(_ old: Node, key: String, at place: Int?) throws(PatchMismatch) {
        let index: Int
        if let place {
            guard place < count, self[place].key.hasSameScalars(as: key) else {
                throw PatchMismatch("expected it to be member \(place)")
            }
            index = place
        } else {
            guard let found = self.index(ofKey: key) else { throw PatchMismatch("there is no such member") }
            index = found
        }
        try self[index].value.verify(is: old)
        remove(at: index)
    }
}

extension Node {
    mutating func splice(at index: Int, remove: [Node], insert: [Node]) throws(PatchMismatch) {
        guard let count = elementCount else { throw PatchMismatch("expected an array, but found \(brief)") }
        guard index <= count, remove.count <= count - index else {
            throw PatchMismatch("it changes \(remove.count) elements from \(index) on, but there are only \(count)")
        }
        for (offset, old) in remove.enumerated() {
            try self[index + offset]?.verify(is: old)
        }
        var elements = extractElements()
        elements.replaceSubrange(index..<(index + remove.count), with: insert)
        self = .array(elements)
    }

    mutating func edit(at offset: Int, remove: Node, insert: Node) throws(PatchMismatch) {
        switch (remove, insert) {
        case (.string(let remove), .string(let insert)):
            guard case .string = self else { throw PatchMismatch("expected a string, but found \(brief)") }
            var text = extractString()
            defer { self = .string(text) }
            text.replaceSubrange(try text.range(of: remove, at: offset), with: insert)
        case (.data(let remove), .data(let insert)):
            guard case .data = self else { throw PatchMismatch("expected data, but found \(brief)") }
            var bytes = extractData()
            defer { self = .data(bytes) }
            guard offset <= bytes.count, bytes[offset...].starts(with: remove) else {
                throw PatchMismatch("expected \(Node.data(remove).brief) from byte \(offset) on")
            }
            bytes.replaceSubrange(offset..<(offset + remove.count), with: insert)
        default:
            throw PatchMismatch("an edit takes and gives two strings, or both data")
        }
    }
}

extension String {
    /// The range of `part` at an offset in bytes, between whole scalars.
    fileprivate func range(of part: String, at offset: Int) throws(PatchMismatch) -> Range<Index> {
        let fits = withBytes { text in
            part.withBytes { part in
                guard offset <= text.count, part.count <= text.count - offset else { return false }
                let isBoundary = offset == text.count || text[offset] & 0xC0 != 0x80
                return isBoundary && text.part(offset..<offset + part.count).hasSameBytes(as: part)
            }
        }
        guard fits else { throw PatchMismatch("expected \(Node.string(part).brief) from byte \(offset) on") }
        let start = utf8.index(utf8.startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: part.utf8.count)
    }
}
