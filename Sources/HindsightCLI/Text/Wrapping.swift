extension String {
    /// Breaks the line into pieces of at most `width` columns, at spaces if possible, otherwise within a word.
    ///
    /// Only the spaces at a break are dropped. Colour codes take no columns. Text that is coloured across a break is
    /// coloured on both lines, and each line resets its colour. Costs one pass.
    ///
    /// - Parameter hanging: The indentation of the pieces after the first; `nil` for two columns more than the first.
    func wrapped(to width: Int, hanging: Int? = nil) -> [String] {
        // No character takes more columns than bytes.
        guard utf8.count > width else { return [self] }
        if contains("\n") {
            return split(separator: "\n", omittingEmptySubsequences: false)
                .flatMap { String($0).wrapped(to: width, hanging: hanging) }
        }
        let own = prefix { $0 == " " }.count
        // Deep indentation would leave too few columns.
        var wrapper = Wrapper(width: width, indentation: min(hanging ?? own + 2, width / 2))
        var rest = self[...]
        while let character = rest.first {
            if character == "\u{1B}", let end = rest.firstIndex(of: "m") {
                wrapper.style(rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                wrapper.put(character)
                rest = rest.dropFirst()
            }
        }
        return wrapper.finish()
    }
}

/// Breaks one line, character by character.
private struct Wrapper {
    let width: Int
    let indentation: Int

    var lines: [String] = []
    var line = ""
    var columns = 0
    /// The text after the last space of `line`, which may move to the next line.
    var word = ""
    var wordColumns = 0
    /// The colour at the end of `line`, and at the end of `word`; empty for none.
    var lineStyle = ""
    var wordStyle = ""

    private static let plain = "\u{1B}[0m"

    mutating func style(_ code: Substring) {
        word += code
        wordStyle = code == Self.plain ? "" : String(code)
    }

    mutating func put(_ character: Character) {
        let needed = character.columns
        if character == " " {
            endWord()
            // Spaces at a break are left out.
            guard columns < width else { return }
            line.append(character)
            columns += 1
            return
        }
        if columns + wordColumns + needed > width {
            let fitsBelow = wordColumns + needed + indentation <= width
            if !fitsBelow || line.allSatisfy({ $0 == " " }) { endWord() }
            breakLine()
        }
        word.append(character)
        wordColumns += needed
    }

    private mutating func endWord() {
        line += word
        columns += wordColumns
        lineStyle = wordStyle
        (word, wordColumns) = ("", 0)
    }

    private mutating func breakLine() {
        lines.append(line.trimmed + (lineStyle.isEmpty ? "" : Self.plain))
        line = String(repeating: " ", count: indentation) + lineStyle
        columns = indentation
    }

    consuming func finish() -> [String] {
        endWord()
        lines.append(line)
        return lines
    }
}
