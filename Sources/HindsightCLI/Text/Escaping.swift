import HindsightSupport

/// A name or a note from a recording, escaped, and cut with a count if it is longer than any that a person wrote.
func brief(_ text: String, longest: Int = 400) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > longest,
        let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
        end < scalars.endIndex
    else { return escape(text) }
    let missing = text.utf8.distance(from: end, to: text.utf8.endIndex)
    return "\(escape(String(scalars[..<end])))… (+\(Quantities.counted(missing, "byte")))"
}

/// Escapes all that `escape` does but line feeds, for JSON text of several lines.
func escapeLines(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 != "\n" && $0.isUnsafe }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { escape(String($0)) }
        .joined(separator: "\n")
}

/// A text in double quotes, as JSON writes it, escaped.
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
