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
        String(text.dropFirst().dropLast()).replacing("''", with: "'")
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
