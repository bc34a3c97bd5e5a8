import HindsightSupport

// Exact comparison of memory: whole blocks by the C library, then eight bytes a turn.
//
// Sound: each load is an unaligned load of eight bytes from an offset that the loop's condition keeps at least eight
// bytes before the end of its buffer, and no pointer outlives the call that received it.

/// Whether two values of one type have the same bits, padding included.
///
/// They then are the same value, unless they refer to something that changes. Sound: only the bytes of two initialized
/// values are read, which the caller holds.
@inline(__always)
package func isBitwiseEqual<T>(_ left: T, _ right: T) -> Bool {
    withUnsafePointer(to: left) { left in
        withUnsafePointer(to: right) { memcmp(left, $0, MemoryLayout<T>.size) == 0 }
    }
}

/// The number of bytes that `memcmp` compares at once: enough for the call to pay, and few enough to search quickly.
private let block = 512

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes at the start that are the same.
    func commonPrefix(with other: UnsafeBufferPointer<UInt8>) -> Int {
        let limit = Swift.min(count, other.count)
        let left = UnsafeRawBufferPointer(self)
        let right = UnsafeRawBufferPointer(other)
        var at = 0
        if let left = left.baseAddress, let right = right.baseAddress {
            while at + block <= limit, memcmp(left + at, right + at, block) == 0 { at += block }
        }
        while at + 8 <= limit {
            let difference = left.word(at: at) ^ right.word(at: at)
            if difference != 0 { return at + difference.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < limit, self[at] == other[at] { at += 1 }
        return at
    }

    /// The number of bytes at the end that are the same, at most `limit`.
    func commonSuffix(with other: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> Int {
        let limit = Swift.min(limit, Swift.min(count, other.count))
        let left = UnsafeRawBufferPointer(self)
        let right = UnsafeRawBufferPointer(other)
        var length = 0
        if let left = left.baseAddress, let right = right.baseAddress {
            while length + block <= limit,
                memcmp(left + (count - length - block), right + (other.count - length - block), block) == 0
            { length += block }
        }
        while length + 8 <= limit {
            let difference = left.word(at: count - length - 8) ^ right.word(at: other.count - length - 8)
            if difference != 0 { return length + difference.leadingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, self[count - length - 1] == other[other.count - length - 1] { length += 1 }
        return length
    }

    /// Whether all bytes are the same.
    package func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        count == other.count && commonPrefix(with: other) == count
    }

    /// Less than, equal to or more than 0 as these bytes come before, equal or come after the others.
    func order(byBytesOf other: UnsafeBufferPointer<UInt8>) -> Int {
        let common = commonPrefix(with: other)
        if common < count, common < other.count { return Int(self[common]) - Int(other[common]) }
        return count - other.count
    }

    /// The offset of the first `byte` from `start` on, or that of the end.
    func firstOffset(of byte: UInt8, from start: Int) -> Int {
        guard let base = baseAddress, start < count else { return count }
        return memchr(base + start, Int32(byte), count - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
            ?? count
    }

    /// The offset from `start` on that ends an unescaped run of a JSON string: that of `"`, `\`, a control character
    /// below U+0020, or the end of the buffer; and whether the run is ASCII.
    func endOfStringRun(from start: Int) -> (end: Int, isASCII: Bool) {
        let raw = UnsafeRawBufferPointer(self)
        var at = start
        var all: UInt64 = 0
        while at + 8 <= count {
            let word = raw.word(at: at)
            let found = word.quotesBackslashesAndControls
            if found != 0 {
                // Only the bytes before the first one count.
                all |= word & ((found & (~found &+ 1)) &- 1)
                return (at + found.trailingZeroBitCount / 8, all & .highBits == 0)
            }
            all |= word
            at += 8
        }
        while at < count, self[at] >= 0x20, self[at] != UInt8(ascii: "\""), self[at] != UInt8(ascii: "\\") {
            all |= UInt64(self[at])
            at += 1
        }
        return (at, all & .highBits == 0)
    }

    /// The offset from `start` on of the first byte that may need escaping: as above, or U+007F, or a byte from 0x80
    /// up.
    func endOfPlainRun(from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(self)
        var at = start
        while at + 8 <= count {
            let word = raw.word(at: at)
            // A carry changes only bytes after one that is already found.
            let found = word.quotesBackslashesAndControls | ((word | (word &+ .ones)) & .highBits)
            if found != 0 { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < count, self[at] >= 0x20, self[at] < 0x7F, self[at] != UInt8(ascii: "\""),
            self[at] != UInt8(ascii: "\\")
        { at += 1 }
        return at
    }

    /// A part of the buffer.
    package func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: self[range])
    }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes as a little-endian number.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UInt64 {
    fileprivate static var ones: UInt64 { 0x0101_0101_0101_0101 }
    fileprivate static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The high bit of each byte that is `"`, `\` or below 0x20. Bytes after the first match may be marked too, since a
    /// borrow goes upward.
    @inline(__always)
    fileprivate var quotesBackslashesAndControls: UInt64 {
        let quote = self ^ (.ones &* 0x22)
        let backslash = self ^ (.ones &* 0x5C)
        return (((quote &- .ones) & ~quote) | ((backslash &- .ones) & ~backslash) | ((self &- .ones &* 0x20) & ~self))
            & .highBits
    }
}
