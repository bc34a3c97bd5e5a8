import Foundation

/// Secrets of which even a single character can be found, in whatever form it is written.
enum Secret {
    /// Linear B syllables, which nothing else here is written in.
    static func text(using random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0...Int.random(in: 0...12, using: &random) {
            text.unicodeScalars.append(UnicodeScalar(0x10000 + UInt32.random(in: 0..<0x40, using: &random)) ?? "?")
        }
        return text
    }

    /// Says in which forms secrets are in some bytes.
    static func forms(in data: Data) -> [String] {
        let text = String(decoding: data, as: Unicode.ASCII.self)
        var forms: [String] = []
        if data.indices.contains(where: { data[$0...].starts(with: [0xF0, 0x90, 0x80]) && data[$0...].dropFirst(3).first.map { $0 >> 6 == 2 } == true }) {
            forms.append("UTF-8")
        }
        for (name, pattern) in [
            ("JSON escapes", #"(?i)\\ud800\\udc[0-3]"#), ("percent escapes", #"(?i)%F0%90%80"#),
            // The bytes F0 90 80 at each of the three places that base64 has for them; letters on both sides.
            ("base64", #"8JCA|[A-Za-z0-9+/][w](kI|kK|kL|kJ)|DwkI"#), ("hexadecimal", #"(?i)f09080"#),
        ] where text.range(of: pattern, options: .regularExpression) != nil {
            forms.append(name)
        }
        let bytes = [UInt8](data)
        for at in bytes.indices.dropLast(7) {
            let pairs = bytes[at..<at + 8]
            let little = [0, 4].allSatisfy { pairs[at + $0] == 0 && pairs[at + $0 + 1] == 0xD8 && pairs[at + $0 + 3] == 0xDC }
            let big = [0, 4].allSatisfy { pairs[at + $0] == 0xD8 && pairs[at + $0 + 1] == 0 && pairs[at + $0 + 2] == 0xDC }
            if little || big {
                forms.append("UTF-16")
                break
            }
        }
        return forms
    }
}
