extension JSONReader {
    /// Reads a string, whose opening quote is at `at`.
    ///
    /// The standard library copies and checks a string without escapes as a whole.
    mutating func readString() throws(TreeError) -> String {
        let start = at + 1
        let (end, isASCII) = bytes.endOfStringRun(from: start)
        at = end
        if next == UInt8(ascii: "\"") {
            at += 1
            let run = bytes.part(start..<end)
            return isASCII ? String(decoding: run, as: UTF8.self) : try string(run, from: start)
        }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes.part(start..<at))
        while true {
            switch next {
            case UInt8(ascii: "\""):
                at += 1
                return try scratch.withUnsafeBufferPointer { bytes throws(TreeError) in try string(bytes, from: start) }
            case UInt8(ascii: "\\"):
                try readEscape()
            case nil:
                throw failure("expected \" at the end of a string")
            default:
                throw failure("expected a control character in a string to be written as \\u00XX")
            }
            let run = at
            at = bytes.endOfStringRun(from: at).end
            scratch.append(contentsOf: bytes.part(run..<at))
        }
    }

    private func string(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(TreeError) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw failure("expected UTF-8 in the string that begins here", at: start - 1)
        }
        return string
    }

    /// Reads the escape after a backslash, and appends its bytes to `scratch`.
    private mutating func readEscape() throws(TreeError) {
        at += 1
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(bytes[at])
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw failure("expected one of \" \\ / b f n r t u after a backslash")
        }
        at += 1
    }

    /// Reads `uXXXX`, and the other half if it is the first one of a surrogate pair.
    private mutating func readUnicodeEscape() throws(TreeError) {
        let start = at - 1
        at += 1
        var code = try readFourDigits()
        if 0xD800..<0xDC00 ~= code, next == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u")
        {
            at += 2
            let low = try readFourDigits()
            if 0xDC00..<0xE000 ~= low { code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) }
        }
        guard let scalar = UnicodeScalar(code) else {
            throw failure("expected both halves of a surrogate pair", at: start)
        }
        scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func readFourDigits() throws(TreeError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            switch next {
            case .some(let digit) where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit:
                code = code << 4 | UInt32(digit - UInt8(ascii: "0"))
            case .some(let digit) where UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit | 0x20:
                code = code << 4 | UInt32((digit | 0x20) - UInt8(ascii: "a") + 10)
            default:
                throw failure("expected four hexadecimal digits after \\u")
            }
            at += 1
        }
        return code
    }
}
