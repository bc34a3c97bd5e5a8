import HindsightSupport

/// Compares values of one type bitwise, without the padding.
///
/// Two values of one type with the same bits are the same value, unless they refer to something that changes: the
/// caller knows that they hold no such instance. Values with different bits may still be equal. A copy of an array of
/// structs has garbage in its padding, so a mask leaves padding out if the runtime knows the offsets of the fields.
///
/// Sound: each read stays within the `size` bytes of an initialized value. Reading a field's bytes retains nothing, so
/// both values must be alive, and the caller holds both.
struct BitwiseComparator: Sendable {
    /// The bytes from one element of an array to the next.
    let stride: Int
    private let size: Int
    /// One mask for each whole word; empty if every byte counts.
    private let masks: [UInt64]
    private let tailMasks: [UInt8]

    /// - Parameter reflecting: `false` treats the fields as unknown, so that all bytes count.
    init<T>(of type: T.Type, reflecting: Bool = true) {
        size = MemoryLayout<T>.size
        stride = MemoryLayout<T>.stride
        let used = reflecting ? TypeLayout.usedBytes(of: type) : Array(repeating: 0xFF, count: size)
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

    /// Whether an array's elements have no padding, inside or in between.
    var isDense: Bool { masks.isEmpty && tailMasks.isEmpty && size == stride }

    /// Whether all bytes that count are the same.
    @inline(__always)
    func hasSameBits(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        if masks.isEmpty && tailMasks.isEmpty { return memcmp(left, right, size) == 0 }
        return hasSameMaskedBits(left, right)
    }

    /// Whether all bytes that count are the same in two values of the type.
    @inline(__always)
    func areSame<T>(_ left: T, _ right: T) -> Bool {
        withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { hasSameBits(left, $0) } }
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

    /// The number of elements at the start of two arrays that have the same bits.
    func samePrefix(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Int {
        var index = 0
        if isDense {
            // memcmp finds the first block that differs at memory speed. The loop below finds the element in it.
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
