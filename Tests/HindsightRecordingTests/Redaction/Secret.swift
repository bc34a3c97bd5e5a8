import Foundation

/// Secrets of which even a single character can be found, in any form.
enum Secret {
    /// Linear B syllables, which appear nowhere else here.
    static func text(using random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0...Int.random(in: 0...12, using: &random) {
            text.unicodeScalars.append(UnicodeScalar(0x10000 + UInt32.random(in: 0..<0x40, using: &random)) ?? "?")
        }
        return text
    }

    /// The forms in which some bytes contain secrets.
    static func forms(in data: Data) -> [String] {
        // One character per byte, so that a regular expression can match any bytes.
        guard let text = String(data: data, encoding: .isoLatin1) else { return ["unreadable"] }
        return patterns.filter { text.range(of: $1, options: .regularExpression) != nil }.map(\.name)
    }

    private static let patterns: [(name: String, pattern: String)] = [
        ("UTF-8", #"\xF0\x90\x80[\x80-\xBF]"#),
        // Two characters: half of one is too short to rule out a coincidence.
        ("UTF-16", #"(?s)\x00\xD8.\xDC\x00\xD8|\xD8\x00\xDC.\xD8\x00"#),
        ("JSON escapes", #"(?i)\\ud800\\udc[0-3]"#),
        ("percent escapes", #"(?i)%F0%90%80"#),
        // The bytes F0 90 80 in each of their three base64 alignments.
        ("base64", "8JCA|[Pfv/]CQg[IJKL]|wkIC"),
        ("hexadecimal", #"(?i)f09080"#),
    ]
}
