extension Unicode.Scalar {
    /// Whether a terminal interprets this scalar, or the scalar is invisible and changes the text around it.
    ///
    /// This is the narrow table: it has no letter, symbol or emoji that users write.
    package var isUnsafe: Bool {
        switch value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL, C1
        case 0xAD, 0x61C, 0x180E: true  // soft hyphen, Arabic letter mark, Mongolian vowel separator
        case 0x200B, 0x200E, 0x200F: true  // zero width space, marks of direction
        case 0x2028...0x202E: true  // line and paragraph separators, embeddings and overrides
        case 0x2060...0x206F: true  // invisible operators, isolates
        case 0xFEFF, 0xFFF9...0xFFFB: true  // byte order mark, annotations
        case 0xE0000...0xE007F: true  // tags
        default: false
        }
    }

    /// Whether this scalar is a control or a format character, or a separator of lines or paragraphs.
    package var isControlOrFormat: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether this scalar is a control or a format character, or has no appearance defined by Unicode.
    ///
    /// This is the wide table, for messages and file names. It includes the joiners of emoji, which states may contain.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .privateUse, .surrogate, .unassigned: true
        default: isControlOrFormat
        }
    }

    /// The scalar in Swift notation: `\u{202e}`.
    package var escapedAsLiteral: String { "\\u{\(String(value, radix: 16))}" }
}

extension String {
    /// The text with other scalars in place of some.
    ///
    /// `replacing` compares characters, and misses a quote that makes one character with a mark after it: text from
    /// outside could end what it is quoted in.
    package func replacingScalars(_ scalars: String, with others: String) -> String {
        String(unicodeScalars.replacing(scalars.unicodeScalars, with: others.unicodeScalars))
    }

    /// Whether the scalars are in the text, one after the other.
    package func containsScalars(_ scalars: String) -> Bool { unicodeScalars.contains(scalars.unicodeScalars) }
}

/// Escapes text from a recording for a terminal.
///
/// A recording may come with a bug report. Its text must not move a cursor, set a title, or hide or reorder the text
/// around it. The escapes are those of JSON, so escaped JSON keeps its meaning; scalars beyond 16 bits become surrogate
/// pairs.
package func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.isUnsafe }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        guard scalar.isUnsafe else {
            result.unicodeScalars.append(scalar)
            continue
        }
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        default:
            for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
    return result
}
