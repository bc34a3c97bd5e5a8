import HindsightSupport

/// Whether two values of one type have the very same bits, padding and all.
///
/// They then are the same value, unless something in them refers to what changes. Sound, as only the bytes of two
/// initialized values are read, which the caller holds.
enum SameBits {
    @inline(__always)
    static func areThe<T>(_ left: T, _ right: T) -> Bool {
        withUnsafePointer(to: left) { left in
            withUnsafePointer(to: right) { memcmp(left, $0, MemoryLayout<T>.size) == 0 }
        }
    }
}

/// Which bytes of a type's values matter, to tell at memory speed that two values are the same.
///
/// Two values of one type with the same bits are the same value, as long as nothing in them is a reference to something
/// that changes: who compares them knows that they hold no such instance. Different bits only mean that it takes a closer look. Padding is left out of the comparison where the
/// runtime tells the fields' offsets: copying an array of structs leaves garbage in the padding.
///
/// Sound, as every read stays within the `size` bytes of an initialized value; reading a field's bytes retains nothing,
/// so both values must be alive, and the caller holds both.
struct BitPattern: Sendable {
    /// Bytes from one element of an array to the next.
    let stride: Int
    private let size: Int
    /// One mask for each whole word, or empty where every byte matters.
    private let masks: [UInt64]
    private let tailMasks: [UInt8]

    init<T>(of type: T.Type) {
        self.init(of: type, reflecting: true)
    }

    /// `reflecting: false` is what happens where the runtime does not tell the fields: all bytes matter.
    init<T>(of type: T.Type, reflecting: Bool) {
        size = MemoryLayout<T>.size
        stride = MemoryLayout<T>.stride
        let used = reflecting ? TypeFields.usedBytes(of: type) : Array(repeating: 0xFF, count: size)
        if used.allSatisfy({ $0 == 0xFF }) {
            masks = []
            tailMasks = []
        } else {
            let words = size / 8
            masks = (0..<words).map { word in
                used[word * 8..<word * 8 + 8].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            }
            tailMasks = Array(used[(words * 8)...])
        }
    }

    /// Whether the bytes between elements of an array matter as little as those within: none.
    var isDense: Bool { masks.isEmpty && tailMasks.isEmpty && size == stride }

    /// Whether all bytes that matter are the same.
    @inline(__always)
    func hasSameBits(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        if masks.isEmpty && tailMasks.isEmpty { return memcmp(left, right, size) == 0 }
        return hasSameMaskedBits(left, right)
    }

    private func hasSameMaskedBits(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        var offset = 0
        for mask in masks {
            let difference =
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if difference & mask != 0 { return false }
            offset += 8
        }
        for mask in tailMasks {
            let difference =
                left.load(fromByteOffset: offset, as: UInt8.self) ^ right.load(fromByteOffset: offset, as: UInt8.self)
            if difference & mask != 0 { return false }
            offset += 1
        }
        return true
    }

    /// How many elements from the start of two arrays surely have the same bits.
    func samePrefix(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Int {
        var index = 0
        if isDense {
            // memcmp finds blocks that differ at memory speed; the element is looked for inside the block only.
            let block = max(1, 4096 / max(1, stride))
            while index + block <= count, memcmp(left + index * stride, right + index * stride, block * stride) == 0 {
                index += block
            }
        }
        while index < count, hasSameBits(left + index * stride, right + index * stride) {
            index += 1
        }
        return index
    }
}
