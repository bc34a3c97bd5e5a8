import Foundation

/// Decimals as number literals that keep every digit and the scale: `12.50` stays `12.50`.
///
/// A decimal that ends with zeros keeps its scale too: 20 may be 2·10¹, which is `2e1`. ``plain(_:)`` is for people.
package enum DecimalText {
    /// The literal; `nil` if it would not read back as the same bits (NaN, mantissas that were never compacted).
    static func text(for value: Decimal) -> String? {
        guard value.isFinite else { return nil }
        let magnitude = Decimal(sign: .plus, exponent: 0, significand: value.significand.magnitude)
        let digits = magnitude.description
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        let text = (value.sign == .minus ? "-" : "") + place(digits, exponent: value.exponent)
        guard let again = self.value(from: text), isBitwiseEqual(again, value) else { return nil }
        return text
    }

    private static func place(_ digits: String, exponent: Int) -> String {
        if exponent == 0 { return digits }
        if exponent > 0 { return "\(digits)e\(exponent)" }
        let decimals = -exponent
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }

    /// A number's literal as people write it: `20` for `2e1`, `-1500` for `-15e2`. Other literals stay as they are,
    /// also those of a `Double` (`1e+16`), and those that would get more than 30 zeros.
    package static func plain(_ literal: String) -> String {
        let bytes = Array(literal.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "e")) else { return literal }
        let digits = bytes[..<mark].drop { $0 == UInt8(ascii: "-") }
        let exponent = bytes[(mark + 1)...]
        func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
            !bytes.isEmpty && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isNumber(digits), isNumber(exponent), exponent.count <= 2, mark - digits.count <= 1,
            let zeros = Int(String(decoding: exponent, as: UTF8.self)), zeros <= 30
        else { return literal }
        if digits.allSatisfy({ $0 == UInt8(ascii: "0") }) { return "0" }
        return String(decoding: bytes[..<mark], as: UTF8.self) + String(repeating: "0", count: zeros)
    }

    /// The value of a JSON number, with the scale of the literal; `nil` if it has more digits than a `Decimal` holds.
    static func value(from text: String) -> Decimal? {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative { rest = rest.dropFirst() }
        var exponent = 0
        if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            guard let written = Int(rest[mark...].dropFirst()), -999...999 ~= written else { return nil }
            exponent = written
            rest = rest[..<mark]
        }
        var digits = String(rest)
        if let point = rest.firstIndex(of: ".") {
            let decimals = rest[point...].dropFirst()
            digits = String(rest[..<point] + decimals)
            exponent -= decimals.count
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let significant = String(digits.drop { $0 == "0" })
        guard significant.count <= 39, (-128...127).contains(exponent),
            let significand = Decimal(string: significant.isEmpty ? "0" : significant), significand.exponent >= 0
        else { return nil }
        if significand.isZero, exponent == 0 { return Decimal(0) }
        if significand.isZero { return Decimal(sign: .plus, exponent: exponent, significand: 0) }
        let value = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
        guard value.isFinite, value.exponent == significand.exponent + exponent else { return nil }
        // Foundation may have rounded the 39th digit.
        return significand.exponent > 0 || significand.description == significant ? value : nil
    }
}
