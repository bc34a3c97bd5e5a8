extension JSONReader {
    /// Reads a number. An integer that fits becomes ``Node/int(_:)``, any other keeps its literal.
    mutating func readNumber() throws(TreeError) -> Node {
        let start = at
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { at += 1 }

        // Negative while it is read, since the least integer has no positive counterpart.
        var value = 0
        var fits = true
        let firstDigit = at
        while let digit = nextDigit {
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.subtractingReportingOverflow(digit)
            fits = fits && !productOverflows && !sumOverflows
            value = sum
            at += 1
        }
        guard at > firstDigit else { throw failure("expected a digit") }
        if bytes[firstDigit] == UInt8(ascii: "0"), at > firstDigit + 1 {
            throw failure("expected a number without zeros in front", at: firstDigit)
        }
        if next == UInt8(ascii: ".") {
            fits = false
            at += 1
            try skipDigits("expected a digit after the decimal point")
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            fits = false
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try skipDigits("expected a digit in the exponent")
        }
        if fits {
            if isNegative {
                if value != 0 { return .int(value) }
            } else if value != Int.min {
                return .int(-value)
            }
        }
        return .number(String(decoding: bytes.part(start..<at), as: UTF8.self))
    }

    private var nextDigit: Int? {
        guard let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        return Int(byte - UInt8(ascii: "0"))
    }

    private mutating func skipDigits(_ expected: String) throws(TreeError) {
        guard nextDigit != nil else { throw failure(expected) }
        while nextDigit != nil { at += 1 }
    }
}
