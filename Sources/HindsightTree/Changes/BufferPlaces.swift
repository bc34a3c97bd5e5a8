/// Where the buffers of a type's values are: the arrays, dictionaries, sets, strings and data that a value keeps in memory of
/// their own, and shares with its copies until one of them is changed.
///
/// Comparing two values' buffers tells how much memory the second takes beyond what it shares with the first, at the cost of
/// a load and a comparison a buffer.
///
/// Sound: the places are offsets of stored properties of these types in the metadata of the type, and only words of values
/// that the caller holds are read there.
package struct BufferPlaces: Sendable {
    private struct Place: Sendable {
        /// Where the word is that refers to the buffer.
        let word: Int
        let offset: Int
        let type: any Buffered.Type
    }

    private var places: [Place] = []
    /// Whether all memory of a value is in these buffers, as far as it is not in what they hold. A value may also keep
    /// memory behind an enum, an existential or a class, where nothing is looked for.
    package private(set) var isComplete = true

    package init<Value>(of type: Value.Type) {
        add(type, at: 0)
    }

    private mutating func add(_ type: Any.Type, at offset: Int) {
        func isTrivial<T>(_: T.Type) -> Bool { _isPOD(T.self) }
        if let buffered = type as? any Buffered.Type {
            return places.append(Place(word: offset + buffered.wordOffset, offset: offset, type: buffered))
        }
        if _openExistential(type, do: isTrivial) { return }
        let metadata = TypeMetadata(type)
        guard metadata.kind == .structure || metadata.kind == .tuple, let parts = metadata.parts else {
            isComplete = false
            return
        }
        for part in parts {
            guard let type = part.type, let place = part.offset else {
                isComplete = false
                return
            }
            add(type, at: offset + place)
        }
    }

    /// The bytes that the value at an address takes beyond what it shares with the one whose buffers are `last`.
    ///
    /// - Parameters:
    ///   - value: The address of a value of the type.
    ///   - last: What tells of the buffers of the value before, empty at first; afterwards of those of this one.
    package func bytes(ofValueAt value: UnsafeRawPointer, beyond last: inout [UInt]) -> Int {
        if places.isEmpty { return 0 }
        if last.count != places.count { last = Array(repeating: 0, count: places.count) }
        var bytes = 0
        for index in places.indices {
            let word = value.load(fromByteOffset: places[index].word, as: UInt.self)
            if word == last[index] { continue }
            last[index] = word
            bytes += places[index].type.bytes(ofBufferAt: value + places[index].offset)
        }
        return bytes
    }
}

/// A type whose values keep a buffer.
private protocol Buffered: SendableMetatype {
    /// Where in a value the word is that refers to its buffer.
    static var wordOffset: Int { get }
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int
}

extension Buffered {
    static var wordOffset: Int { 0 }
}

extension Array: Buffered {
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int {
        place.assumingMemoryBound(to: Self.self).pointee.count * MemoryLayout<Element>.stride
    }
}

extension ContiguousArray: Buffered {
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int {
        place.assumingMemoryBound(to: Self.self).pointee.count * MemoryLayout<Element>.stride
    }
}

extension Dictionary: Buffered {
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int {
        let entry = MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        return place.assumingMemoryBound(to: Self.self).pointee.capacity * entry
    }
}

extension Set: Buffered {
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int {
        place.assumingMemoryBound(to: Self.self).pointee.capacity * MemoryLayout<Element>.stride
    }
}

extension String: Buffered {
    // The second word refers to the text, or is part of a short one.
    static var wordOffset: Int { MemoryLayout<UInt>.size }
    static func bytes(ofBufferAt place: UnsafeRawPointer) -> Int {
        let count = place.assumingMemoryBound(to: Self.self).pointee.utf8.count
        return count > 15 ? count : 0
    }
}
