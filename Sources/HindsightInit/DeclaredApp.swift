import Foundation

/// A `ReplayableApp` that a module declares at its top level.
struct DeclaredApp: Equatable {
    /// The name of the target that declares it.
    let target: String
    /// The name of the constant.
    let constant: String
    /// The name of the app in its recordings; `nil` if it is no literal.
    let name: String?

    /// The module's name in an `import`.
    var module: String { Self.identifier(target) }

    /// The apps that Swift text declares.
    ///
    /// Finds `public let myApp = ReplayableApp("name", …)` and `public let myApp: ReplayableApp`, also with `var` and
    /// `nonisolated`, at the start of a line, as top-level declarations are formatted. Those in comments and in string
    /// literals do not count.
    static func all(in text: String, of target: String) -> [DeclaredApp] {
        let declaration =
            #/^(?:nonisolated\s+)?public\s+(?:nonisolated\s+)?(?:let|var)\s+(\w+)\s*(?::\s*ReplayableApp\b|=\s*ReplayableApp\(\s*(?:"([^"\\]*)")?)/#
            .anchorsMatchLineEndings()
        return MaskedText.of(text).matches(of: declaration).map { match in
            DeclaredApp(target: target, constant: String(match.1), name: match.2.map(String.init))
        }
    }

    /// The apps that the Swift files of a target declare, in the order of the files' paths. A constant that several
    /// branches of `#if` declare counts once. Hidden folders are none of the target's: one whose directory is that of the
    /// package has `.build` in it, with the sources of other packages.
    ///
    /// - Throws: Foundation's error if a file cannot be read.
    static func all(in directory: URL, of target: String) throws -> [DeclaredApp] {
        let files = FileManager.default.enumerator(
            at: directory,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        let sources = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        var constants: Set<String> = []
        return try sources.sorted { $0.path < $1.path }.flatMap { file in
            all(in: String(decoding: try Data(contentsOf: file), as: UTF8.self), of: target)
                .filter { constants.insert($0.constant).inserted }
        }
    }

    /// A name in which everything that no identifier has is an underscore, as in the names of modules.
    static func identifier(_ name: String) -> String {
        let text = name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        return text.first?.isNumber == true ? "_" + text.dropFirst() : text
    }
}

/// Swift text with spaces in place of comments, and of string literals that may span lines. Line breaks stay.
private struct MaskedText {
    private var text: [Character]
    private var index = 0

    static func of(_ text: String) -> String {
        var masked = MaskedText(text: Array(text))
        masked.passCode()
        return String(masked.text)
    }

    private func isAt(_ word: String) -> Bool { text[index...].starts(with: word) }

    private mutating func hide(from start: Int) {
        for place in start..<index where !text[place].isNewline { text[place] = " " }
    }

    /// Passes code up to its end, or past the parenthesis that ends an interpolation.
    private mutating func passCode(inParentheses: Bool = false) {
        var depth = 0
        while index < text.count {
            let start = index
            if isAt("//") {
                while index < text.count, !text[index].isNewline { index += 1 }
                hide(from: start)
            } else if isAt("/*") {
                passComment()
                hide(from: start)
            } else if text[index] == "#" || text[index] == "\"" {
                passLiteral()
            } else {
                if text[index] == "(" { depth += 1 }
                if text[index] == ")" { depth -= 1 }
                index += 1
                if inParentheses, depth < 0 { return }
            }
        }
    }

    /// Passes a comment, with those inside it.
    private mutating func passComment() {
        var depth = 0
        while index < text.count {
            if isAt("/*") {
                (depth, index) = (depth + 1, index + 2)
            } else if isAt("*/") {
                (depth, index) = (depth - 1, index + 2)
                if depth == 0 { return }
            } else {
                index += 1
            }
        }
    }

    /// Whether a raw literal ends in the line in which it begins: `#"""#` is a text of one quote.
    private func endsInLine(_ signs: String) -> Bool {
        guard !signs.isEmpty else { return false }
        let line = text[(index + 1)...].prefix { !$0.isNewline }
        return line.indices.contains { line[$0] == "\"" && line[($0 + 1)...].starts(with: signs) }
    }

    /// Passes a string literal, with code in it, or number signs that begin none.
    private mutating func passLiteral() {
        let start = index
        while index < text.count, text[index] == "#" { index += 1 }
        guard index < text.count, text[index] == "\"" else { return }
        let signs = String(repeating: "#", count: index - start)
        let quotes = isAt("\"\"\"") && !endsInLine(signs) ? "\"\"\"" : "\""
        index += quotes.count
        while index < text.count, quotes.count > 1 || !text[index].isNewline {
            if isAt(quotes + signs) {
                index += quotes.count + signs.count
                break
            }
            guard isAt("\\" + signs) else {
                index += 1
                continue
            }
            index += 1 + signs.count
            guard index < text.count, quotes.count > 1 || !text[index].isNewline else { break }
            index += 1
            if text[index - 1] == "(" { passCode(inParentheses: true) }
        }
        if quotes.count > 1 { hide(from: start) }
    }
}
