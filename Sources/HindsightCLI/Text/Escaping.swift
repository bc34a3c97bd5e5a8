import HindsightSupport

extension String {
    /// The first scalars, at most `longest`, and the number of bytes after them; `nil` if there are no more than
    /// `longest`. If a word ends near there, they end with it.
    ///
    /// Costs the first scalars, not the text.
    func cut(to longest: Int) -> (start: String, missingBytes: Int)? {
        guard utf8.count > longest,
            var end = unicodeScalars.index(startIndex, offsetBy: longest, limitedBy: endIndex),
            end < endIndex
        else { return nil }
        let near = unicodeScalars[..<end].suffix(min(15, longest / 2))
        if !unicodeScalars[end].properties.isWhitespace, let space = near.lastIndex(where: \.properties.isWhitespace) {
            end = space
        }
        return (String(unicodeScalars[..<end]), utf8.distance(from: end, to: endIndex))
    }
}

/// A name or a note from a recording, escaped, and truncated with a count after `longest` scalars.
func brief(_ text: String, longest: Int = 400) -> String {
    guard let (start, missing) = text.cut(to: longest) else { return escape(text) }
    return "\(escape(start))… (+\(Quantities.counted(missing, "byte")))"
}

/// Escapes like `escape`, except for line feeds, for JSON text of several lines.
func escapeLines(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 != "\n" && $0.isUnsafe }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { escape(String($0)) }
        .joined(separator: "\n")
}

/// Text in double quotes with the escapes of JSON.
func quote(_ text: String) -> String {
    "\"\(escape(text.replacingScalars("\\", with: "\\\\").replacingScalars("\"", with: "\\\"")))\""
}
