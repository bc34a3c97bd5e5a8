import HindsightSupport

/// Bytes to look for in other bytes.
struct ByteNeedle {
    let bytes: [UInt8]
    /// The index of the byte that is likely to be the rarest in JSON text.
    private let anchor: Int

    /// From the most to the least frequent, roughly. Other bytes are rarer.
    private static let frequent = Array(#"",e:ta0o1in[]s2r/hl3du456789cm{}pfgywb.-vk_ TSAEIRNLDOCM"#.utf8)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        anchor =
            bytes.indices.max { left, right in
                (Self.frequent.firstIndex(of: bytes[left]) ?? .max)
                    < (Self.frequent.firstIndex(of: bytes[right]) ?? .max)
            } ?? 0
    }

    /// The offset at which the bytes first occur; `nil` if they do not, or if they are none.
    func firstOffset(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = text.baseAddress, !bytes.isEmpty, bytes.count <= text.count else { return nil }
        // Sound: the anchor is sought only where all bytes around it lie in the buffer.
        return bytes.withUnsafeBytes { needle in
            guard let needleStart = needle.baseAddress else { return nil }
            var at = anchor
            let end = text.count - (bytes.count - anchor) + 1
            while at < end, let found = memchr(start + at, Int32(needle[anchor]), end - at) {
                let offset = UnsafeRawPointer(found) - UnsafeRawPointer(start)
                if memcmp(start + (offset - anchor), needleStart, needle.count) == 0 { return offset - anchor }
                at = offset + 1
            }
            return nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes contain others, at about memory speed.
    func contains(_ needle: ByteNeedle) -> Bool { needle.firstOffset(in: self) != nil }

    /// Whether a number in these bytes of JSON may have an exponent. `false` is certain.
    var mayHaveExponent: Bool {
        var isAfterDigit = false
        for byte in self {
            if isAfterDigit, byte | 0x20 == UInt8(ascii: "e") { return true }
            isAfterDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
        return false
    }
}
