/// RFC 4648 base64 with padding, strict: each list of bytes has one text and no other text is read.
enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each letter; 255 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Appends the text of `bytes`.
    static func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var at = 0
        while at + 3 <= bytes.count {
            let group = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            text.append(letters[group >> 18])
            text.append(letters[group >> 12 & 63])
            text.append(letters[group >> 6 & 63])
            text.append(letters[group & 63])
            at += 3
        }
        guard at < bytes.count else { return }
        let group = Int(bytes[at]) << 16 | (at + 1 < bytes.count ? Int(bytes[at + 1]) << 8 : 0)
        text.append(letters[group >> 18])
        text.append(letters[group >> 12 & 63])
        text.append(at + 1 < bytes.count ? letters[group >> 6 & 63] : UInt8(ascii: "="))
        text.append(UInt8(ascii: "="))
    }

    /// The bytes that `text` stands for; `nil` where it is not exactly what ``encode(_:into:)`` writes.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var padding = 0
        while padding < 2, padding < text.count, text[text.count - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        for at in 0..<(text.count - padding) {
            let value = values[Int(text[at])]
            guard value != 255 else { return nil }
            group = group << 6 | UInt32(value)
            if at & 3 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        // The bits that padding leaves over must be zeros.
        switch padding {
        case 1:
            guard group & 0b11 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        case 2:
            guard group & 0b1111 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        default: break
        }
        return bytes
    }
}
