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

    /// Returns the checksum before bytes were added. Each step can be undone.
    package static func before(_ value: UInt64, adding bytes: UnsafeRawBufferPointer) -> UInt64 {
        let whole = bytes.count / 8 * 8
        var value = before(value, adding: bytes[whole...].reduce(0) { $0 << 8 | UInt64($1) })
        for at in stride(from: whole - 8, through: 0, by: -8) {
            value = before(
                value,
                adding: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            )
        }
        return value
    }

    package static func before(_ value: UInt64, adding word: UInt64) -> UInt64 {
        let product = value ^ value >> 29 ^ value >> 58
        return product &* 0xF1DE_83E1_9937_733D ^ word
    }
}
