import HindsightSupport
import HindsightTree

/// Formats a change inside a string or data, with some text around it: `…hello [-wor-]{+Wor+}ld…`.
struct EditText {
    var style = Style(isOn: false)
    /// The changed texts show up to twice as many characters, and the text on each side up to half as many.
    var room = 24

    /// - Parameters:
    ///   - at: The offset in bytes.
    ///   - whole: The string or data before the change, if it is known.
    func text(at: Int, remove: Node, insert: Node, in whole: Node?) -> String {
        var before = ""
        var after = ""
        if case .string(let text)? = whole, case .string(let removed) = remove {
            (before, after) = surroundings(at: at, count: removed.utf8.count, in: text)
        }
        let old = piece(remove).map { style.removed("[-\($0)-]") } ?? ""
        let new = piece(insert).map { style.added("{+\($0)+}") } ?? ""
        return before + old + new + after
    }

    private func piece(_ node: Node) -> String? {
        switch node {
        case .string(""), .data([]): nil
        case .string(let text): cut(text)
        case .data(let bytes): ValueText.data(bytes)
        default: ValueText(budget: room).text(of: node)
        }
    }

    private func cut(_ text: String) -> String {
        guard let (_, missing) = text.cut(to: room * 2), missing > 16 else { return escape(text) }
        return brief(text, longest: room * 2)
    }

    /// The text before and after a range of bytes. Costs the shown text only: a native string has random access to
    /// bytes.
    private func surroundings(at start: Int, count: Int, in text: String) -> (String, String) {
        let bytes = text.utf8
        guard start >= 0, count <= bytes.count, start <= bytes.count - count else { return ("", "") }
        let range = start..<start + count
        // The unchanged text only shows the place.
        let half = min(max(4, room / 2), 24)
        let first = max(0, range.lowerBound - half)
        let last = min(bytes.count, range.upperBound + half)
        let before = slice(text, first..<range.lowerBound)
        let after = slice(text, range.upperBound..<last)
        return ((first > 0 ? "…" : "") + before, after + (last < bytes.count ? "…" : ""))
    }

    /// The whole scalars within a range of bytes.
    private func slice(_ text: String, _ range: Range<Int>) -> String {
        // A cut may have gone through a scalar. At the end, the index counts as that of the scalar.
        let bytes = text.utf8.dropFirst(range.lowerBound).prefix(range.count).drop { $0 & 0xC0 == 0x80 }
        return escape(String(text[bytes.startIndex..<bytes.endIndex]))
    }
}
