import HindsightSupport

/// A piece of an expression.
struct ExpressionToken: Equatable {
    enum Kind: Equatable {
        case string, blob, number, pointer
        /// A name without quotes, or a keyword.
        case word
        /// A name in quotes.
        case quotedName
        case symbol
    }

    var kind: Kind
    /// The token as it is written.
    var text: String
    /// The number of bytes before it.
    var offset: Int

    var lowercased: String { text.lowercased() }

    func isWord(_ words: Set<String>) -> Bool { kind == .word && words.contains(lowercased) }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    /// Whether it is a name, with or without quotes.
    func isName(_ name: String) -> Bool {
        switch kind {
        case .word: lowercased == name
        case .quotedName: text.dropFirst().dropLast().lowercased() == name
        default: false
        }
    }

    /// The contents of a string, without its quotes.
    var stringContents: String {
        String(text.unicodeScalars.dropFirst().dropLast()).replacingScalars("''", with: "'")
    }

    /// Whether a value ends with this token, so that a slash after it divides.
    var endsValue: Bool {
        switch kind {
        case .string, .blob, .number, .pointer, .quotedName: true
        case .word: !Self.wordsBeforeValues.contains(lowercased)
        case .symbol: text == ")"
        }
    }

    /// Whether it names what only the translation of an expression uses, or the row that carries the evaluation.
    var isInternalName: Bool {
        let rowNames: Set<String> = ["rowid", "oid", "_rowid_"]
        if kind == .word { return rowNames.contains(lowercased) }
        guard kind == .quotedName else { return false }
        let name = text.dropFirst().dropLast().lowercased()
        return name.hasPrefix("@") || rowNames.contains(name)
    }

    /// Whether it names a function that takes a path.
    var takesPath: Bool { isWord(["value", "old", "changed"]) }

    /// The keywords of SQLite after which a value may stand.
    static let wordsBeforeValues: Set<String> = [
        "all", "and", "as", "between", "by", "case", "distinct", "else", "escape", "except", "exists", "filter", "from",
        "glob", "group", "having", "in", "intersect", "is", "join", "like", "limit", "match", "not", "offset", "on",
        "or", "order", "over", "partition", "regexp", "select", "then", "union", "using", "values", "when", "where",
        "with",
    ]

    /// The words that begin a statement.
    static let statements: Set<String> = [
        "alter", "analyze", "attach", "begin", "commit", "create", "delete", "detach", "drop", "end", "explain",
        "insert", "pragma", "reindex", "release", "replace", "rollback", "savepoint", "select", "update", "vacuum",
        "values", "with",
    ]
}

extension [ExpressionToken] {
    /// The path in the call `value('/a')`, `old(/a)` or `changed(/a)` that begins at a token, as it is written; `nil`
    /// if there is none.
    func pathArgument(ofCallAt index: Int) -> ExpressionToken? {
        guard token(index)?.takesPath ?? false, token(index + 1)?.isSymbol("(") ?? false,
            let path = token(index + 2), path.kind == .pointer || path.kind == .string,
            token(index + 3)?.isSymbol(")") ?? false
        else { return nil }
        return path
    }

    /// The first call for the value at a position whose path is not quoted, with quotes: `value(seq, '/cart')`.
    var quotedCall: String? {
        for (index, token) in enumerated() where token.takesPath && self.token(index + 1)?.isSymbol("(") ?? false {
            guard let path = self[(index + 2)...].firstIndex(where: { $0.isSymbol(")") }).map({ $0 - 1 }),
                self[path].kind == .pointer, self[path - 1].isSymbol(",")
            else { continue }
            let position = self[(index + 2)..<(path - 1)].map(\.text).joined()
            return "\(token.text)(\(position), '\(self[path].text)')"
        }
        return nil
    }

    /// The first call of a value whose path is another value, with that value's path: `old(/cart)`.
    var flattenedCall: String? {
        for (index, token) in enumerated() where token.takesPath && self.token(index + 1)?.isSymbol("(") ?? false {
            guard let path = pathArgument(ofCallAt: index + 2), self.token(index + 6)?.isSymbol(")") ?? false
            else { continue }
            return "\(token.text)(\(path.text))"
        }
        return nil
    }
}
