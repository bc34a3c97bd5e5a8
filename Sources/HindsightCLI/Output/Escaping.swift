/// Makes text from a recording harmless and visible on a terminal.
///
/// State text is not ours: a recording may come with a bug report. Nothing of it may move a cursor, set a title, hide
/// or reorder what stands around it.
func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        guard isUnsafe(scalar) else {
            result.unicodeScalars.append(scalar)
            continue
        }
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        default:
            // As JSON escapes it, so that escaped JSON is still the same JSON; pairs beyond 16 bits.
            for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
    return result
}

/// A name or a note from a recording, harmless, and cut with a count where it is longer than any that a person wrote.
func brief(_ text: String, longest: Int = 400) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > longest,
        let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
        end < scalars.endIndex
    else { return escape(text) }
    let missing = text.utf8.distance(from: end, to: text.utf8.endIndex)
    return "\(escape(String(scalars[..<end])))… (+\(Quantities.counted(missing, "byte")))"
}

/// Escapes all that ``escape(_:)`` does but line feeds, for JSON text of several lines.
func escapeLines(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 != "\n" && isUnsafe($0) }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { escape(String($0)) }
        .joined(separator: "\n")
}

/// A text in double quotes, as JSON writes it, and harmless.
func quote(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
        return "\"\(escape(text))\""
    }
    var inner = ""
    for scalar in text.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { inner += "\\" }
        inner.unicodeScalars.append(scalar)
    }
    return "\"\(escape(inner))\""
}

/// Whether a scalar acts on a terminal, or is invisible and acts on what stands around it.
private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
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
