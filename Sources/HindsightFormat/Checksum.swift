/// A checksum of bytes, eight at a time. It detects damage and torn writes, not forgeries.
package struct Checksum {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Adds bytes, padded with zeros to whole words. Bytes that differ only in these zeros have the same checksum unless
    /// their number is added, too.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var last: UInt64 = 0
        while at < bytes.count {
            last = last << 8 | UInt64(bytes[at])
            at += 1
        }
        add(last)
    }

    package mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }
}
