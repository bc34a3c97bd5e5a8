// How collections are written into a draft, element by element. What is not said here goes by way of its node.

extension CollectionCoding {
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool { false }
}

extension Optional where Wrapped: Encodable {
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool {
        switch pointer.assumingMemoryBound(to: Self.self).pointee {
        case nil: draft.text.pointee.put(Node.null)
        case let value?: try draft.put(present: value, depth: depth)
        }
        return true
    }
}

extension Array where Element: Encodable {
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer {
            try draft.put(elements: $0, depth: depth)
        }
        return true
    }
}

extension ContiguousArray where Element: Encodable {
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool {
        try pointer.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer {
            try draft.put(elements: $0, depth: depth)
        }
        return true
    }
}

extension Dictionary where Key: Encodable, Value: Encodable {
    static func write(at pointer: UnsafeRawPointer, to draft: TextDraft, depth: Int) throws -> Bool {
        // Other keys may have any text, or none.
        guard Key.self == String.self else { return false }
        try draft.put(members: pointer.assumingMemoryBound(to: [String: Value].self).pointee, depth: depth)
        return true
    }
}

extension TextDraft {
    fileprivate func put<Element: Encodable>(elements: UnsafeBufferPointer<Element>, depth: Int) throws {
        text.pointee.writer.bytes.append(UInt8(ascii: "["))
        for index in elements.indices {
            if index > 0 { text.pointee.writer.bytes.append(UInt8(ascii: ",")) }
            try put(elements[index], depth: depth + 1)
        }
        text.pointee.writer.bytes.append(UInt8(ascii: "]"))
        text.pointee.outlineIsOther()
    }

    fileprivate func put<Value: Encodable>(members: [String: Value], depth: Int) throws {
        // Its key may be one that is escaped.
        if members.count == 1 { throw DraftText.Unfit() }
        let sorted = members.sorted { Node.isOrdered($0.key, $1.key) }
        text.pointee.writer.bytes.append(UInt8(ascii: "{"))
        for (index, member) in sorted.enumerated() {
            if index > 0 {
                // Two keys that only scalars tell apart are two keys; two of the same scalars are an error.
                if member.key.hasSameScalars(as: sorted[index - 1].key) { throw DraftText.Unfit() }
                text.pointee.writer.bytes.append(UInt8(ascii: ","))
            }
            text.pointee.writer.write(string: member.key)
            text.pointee.writer.bytes.append(UInt8(ascii: ":"))
            try put(member.value, depth: depth + 1)
        }
        text.pointee.writer.bytes.append(UInt8(ascii: "}"))
        text.pointee.outlineIsOther()
    }
}
