import HindsightSupport

/// A word of a command line that is being typed, with its quotes, as bash and fish pass it to a completion function.
///
/// Only quotes and backslashes are interpreted. Nothing is expanded, so completing runs no command of the line.
struct ShellWord: Equatable {
    /// The word without its quotes.
    let text: String
    /// The quote that is still open; `nil` if none is.
    let openQuote: Character?
    /// The part of ``text`` before the open quote.
    let beforeQuote: String

    init(_ raw: String) {
        var text = ""
        var quote: Character?
        var before = ""
        var isEscaped = false
        for character in raw {
            if isEscaped {
                // Between double quotes, a backslash escapes only these.
                if quote == "\"", !"\"\\$`".contains(character) { text.append("\\") }
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                (quote, before) = (character, text)
            } else {
                text.append(character)
            }
        }
        (self.text, openQuote, beforeQuote) = (text, quote, quote == nil ? "" : before)
    }

    /// The text that bash puts in place of this word, from the open quote on if there is one; `nil` if it cannot be
    /// quoted.
    ///
    /// - Parameters:
    ///   - lead: The part that the user or this tool determines, such as `--type=`.
    ///   - value: The rest, which may come from a recording.
    func replacement(_ lead: String, _ value: String) -> String? {
        switch openQuote {
        case nil:
            if value.isEmpty { return lead }
            // It would be taken for an option.
            return value.hasPrefix("-") ? nil : lead + ShellQuoting.quote(value)
        case "'":
            return lead == beforeQuote && !value.contains("'") ? value : nil
        default:
            let isPlain = !value.contains { "\"\\$`!".contains($0) }
            return lead == beforeQuote && isPlain ? value : nil
        }
    }
}
