extension JSONWriter {
    /// Writes a string in quotes. Copies the runs between escapes as a whole.
    mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        string.withBytes { write(escaping: $0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a path inside a string.
    mutating func write(inString path: NodePath) {
        for component in path.components {
            bytes.append(UInt8(ascii: "/"))
            component.withBytes { name in
                if name.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) {
                    NodePath.escaped(component).withBytes { write(escaping: $0) }
                } else {
                    write(escaping: name)
                }
            }
        }
    }

    private mutating func write(escaping text: UnsafeBufferPointer<UInt8>) {
        var copied = 0
        var at = 0
        while true {
            at = text.endOfPlainRun(from: at)
            guard at < text.count else { break }
            guard let (scalar, length) = escaped(in: text, at: at) else {
                at += 1
                while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
                continue
            }
            bytes.append(contentsOf: text.part(copied..<at))
            write(escapeFor: scalar)
            at += length
            copied = at
        }
        bytes.append(contentsOf: text.part(copied..<text.count))
    }

    /// The scalar at `at` and its length, if it needs escaping.
    ///
    /// The table is not that of `HostileText`: another one would change the bytes of recordings.
    @inline(__always)
    private func escaped(in text: UnsafeBufferPointer<UInt8>, at: Int) -> (scalar: UInt16, length: Int)? {
        let byte = text[at]
        switch byte {
        case ..<0x80:
            return (UInt16(byte), 1)
        case 0xC2, 0xD8:
            guard at + 1 < text.count else { return nil }
            let scalar = UInt16(byte & 0x1F) << 6 | UInt16(text[at + 1] & 0x3F)
            return scalar < 0xA0 || scalar == 0x061C ? (scalar, 2) : nil
        case 0xE2, 0xEF:
            guard at + 2 < text.count else { return nil }
            let scalar = UInt16(byte & 0x0F) << 12 | UInt16(text[at + 1] & 0x3F) << 6 | UInt16(text[at + 2] & 0x3F)
            switch scalar {
            case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: return (scalar, 3)
            default: return nil
            }
        default:
            return nil
        }
    }

    private mutating func write(escapeFor scalar: UInt16) {
        bytes.append(UInt8(ascii: "\\"))
        switch scalar {
        case 0x22, 0x5C: bytes.append(UInt8(scalar))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        default:
            bytes.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt16] {
                let digit = UInt8(scalar >> shift & 0xF)
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
