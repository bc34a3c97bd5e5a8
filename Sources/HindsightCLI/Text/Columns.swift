extension String {
    /// The number of terminal columns of this text, which must have no escape sequences. Exact for most writing
    /// systems; terminals disagree on some emoji.
    var columns: Int {
        utf8.count == count ? count : reduce(0) { $0 + $1.columns }
    }

    /// The text in at most `width` columns, with an ellipsis in place of a truncated end.
    func clipped(to width: Int) -> String {
        // No character takes more columns than bytes.
        guard utf8.count > width, columns > width else { return self }
        var left = width - 1
        let kept = prefix { character in
            left -= character.columns
            return left >= 0
        }
        return kept + "…"
    }

    /// The text in about `width` columns, with an ellipsis in place of its middle: the end of a path says more.
    func clippedInside(to width: Int) -> String {
        guard columns > width else { return self }
        let front = width / 3
        return prefix(front) + "…" + suffix(width - front - 1)
    }

    /// The text in at least `width` columns, with spaces at the end.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }

    /// The text in at least `width` columns, with spaces at the beginning.
    func alignedRight(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - columns)) + self
    }
}

extension Character {
    /// The number of terminal columns of this character: two for East Asian wide characters and emoji, none for a
    /// combining mark or another scalar without width that stands alone.
    var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return 1 }
        if unicodeScalars.allSatisfy(\.hasNoWidth) { return 0 }
        return isWide ? 2 : 1
    }

    private var isWide: Bool {
        guard let first = unicodeScalars.first, first.value >= 0x1100 else { return false }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return true }
        return switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default:
            false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var hasNoWidth: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }
}
