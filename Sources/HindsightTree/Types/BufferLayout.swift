/// The offsets of the heap buffers that values of a type refer to: those of arrays, dictionaries, sets and strings. A
/// value shares each with its copies until one of them changes it.
///
/// A comparison of two values' buffers tells how much memory the second one takes beyond what it shares with the first.
/// It costs a load and a comparison a buffer.
///
/// Sound: the offsets are those of stored properties in the type's metadata, and each read stays in a value that the
/// caller holds.
package struct BufferLayout: Sendable {
    private struct Buffer: Sendable {
        /// The offset of the word that refers to the buffer.
        let word: Int
        let offset: Int
        let type: any Buffered.Type
    }

    private var buffers: [Buffer] = []
    /// Whether these are all buffers that a value refers to directly. A value may also refer to memory through an enum,
    /// an existential or a class, which are not examined.
    package private(set) var isComplete = true

    package init<Value>(of type: Value.Type) {
        add(type, at: 0)
    }

    private mutating func add(_ type: Any.Type, at offset: Int) {
        if let buffered = type as? any Buffered.Type {
            return buffers.append(Buffer(word: offset + buffered.wordOffset, offset: offset, type: buffered))
        }
        if TypeLayout(of: type).isTrivial { return }
        let metadata = TypeMetadata(type)
        guard metadata.kind == .structure || metadata.kind == .tuple, let parts = metadata.parts else {
            isComplete = false
            return
        }
        for part in parts {
            guard let type = part.type, let partOffset = part.offset else {
                isComplete = false
                return
            }
            add(type, at: offset + partOffset)
        }
    }

    /// The bytes in the buffers of the value at an address that are not shared with the value before.
    ///
    /// - Parameters:
    ///   - value: The address of a value of the type.
    ///   - last: The words that refer to the buffers of the value before, empty at first. Replaced by those of this
    ///     value.
    package func bytes(ofValueAt value: UnsafeRawPointer, beyond last: inout [UInt]) -> Int {
        if buffers.isEmpty { return 0 }
        if last.count != buffers.count { last = Array(repeating: 0, count: buffers.count) }
        var bytes = 0
        for index in buffers.indices {
            let word = value.load(fromByteOffset: buffers[index].word, as: UInt.self)
            if word == last[index] { continue }
            last[index] = word
            bytes += buffers[index].type.bytes(ofBufferAt: value + buffers[index].offset)
        }
        return bytes
    }
}

/// A type whose values refer to a heap buffer.
private protocol Buffered: SendableMetatype {
    /// The offset in a value of the word that refers to its buffer.
    static var wordOffset: Int { get }
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int
}

extension Buffered {
    static var wordOffset: Int { 0 }
}

extension Array: Buffered {
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int {
        pointer.assumingMemoryBound(to: Self.self).pointee.count * MemoryLayout<Element>.stride
    }
}

extension ContiguousArray: Buffered {
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int {
        pointer.assumingMemoryBound(to: Self.self).pointee.count * MemoryLayout<Element>.stride
    }
}

extension Dictionary: Buffered {
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int {
        let entry = MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        return pointer.assumingMemoryBound(to: Self.self).pointee.capacity * entry
    }
}

extension Set: Buffered {
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int {
        pointer.assumingMemoryBound(to: Self.self).pointee.capacity * MemoryLayout<Element>.stride
    }
}

extension String: Buffered {
    // The second word refers to the text, or is part of a short text.
    static var wordOffset: Int { MemoryLayout<UInt>.size }
    static func bytes(ofBufferAt pointer: UnsafeRawPointer) -> Int {
        let count = pointer.assumingMemoryBound(to: Self.self).pointee.utf8.count
        return count > 15 ? count : 0
    }
}
