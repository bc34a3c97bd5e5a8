import HindsightTree

// Comparisons that are never true.
extension ExpressionTranslation {
    /// Checks that a column is not compared with a value of another kind, since SQLite sorts all texts after all numbers;
    /// and that nothing is compared with NULL by an operator, which is never true.
    func checkComparisons() throws(ExpressionError) {
        for (index, token) in tokens.enumerated() {
            if token.isWord(["null"]), tokens.isComparison(index - 1) || tokens.isComparison(index + 1) {
                throw mistake(
                    token,
                    "A comparison with NULL is never true.",
                    "Write “is null” or “is not null”."
                )
            }
            if token.kind == .string, token.stringContents.hasPrefix("/"), NodePath(token.stringContents) != nil,
                let literal = tokens.literal(comparedWith: index, .number, .string)
            {
                throw mistake(
                    token,
                    "\(token.text) is a text, and not the value at this path: comparing it with \(literal.text) says nothing.",
                    "Write the path without quotes, or value(\(token.text))."
                )
            }
            guard token.kind == .word, let column = ExpressionColumn(named: token.lowercased) else { continue }
            // In a subquery, `type` may be a column of json_each.
            if hasSubquery, column == .type { continue }
            guard let literal = tokens.literal(comparedWith: index, column.isNumber ? .string : .number) else {
                continue
            }
            throw mistake(
                token,
                "\(column.name) is a \(column.isNumber ? "number" : "text"), and \(literal.text) is not.",
                column.advice(literal)
            )
        }
    }

    private func mistake(_ token: ExpressionToken, _ reason: String, _ suggestion: String) -> ExpressionError {
        ExpressionError(.syntax, in: text, at: token.offset, reason, suggestion: suggestion)
    }
}

// The literals with which what stands at a token is compared.
extension [ExpressionToken] {
    func token(_ index: Int) -> ExpressionToken? { indices.contains(index) ? self[index] : nil }

    /// The literal of some kinds with which the column or text at a token is compared; `nil` if there is none.
    func literal(comparedWith index: Int, _ kinds: ExpressionToken.Kind...) -> ExpressionToken? {
        // Parentheses around it change nothing; those of a call do.
        var (before, after) = (index - 1, index + 1)
        // In SQL, the view may stand before the column.
        if token(before)?.isSymbol(".") ?? false { before -= 2 }
        while token(before)?.isSymbol("(") ?? false, token(after)?.isSymbol(")") ?? false, startsValue(before) {
            (before, after) = (before - 1, after + 1)
        }
        guard startsValue(before + 1) else { return nil }
        for kind in kinds {
            if let literal = literal(kind, after: after) ?? literal(kind, before: before, upTo: after) {
                return literal
            }
        }
        return nil
    }

    /// Whether a value that begins at a token is a whole operand of a comparison, if one follows it.
    fileprivate func startsValue(_ index: Int) -> Bool {
        guard let before = token(index - 1) else { return true }
        return before.isSymbol("(") || before.isSymbol(",") || isComparison(index - 1)
            || before.isWord(ExpressionTranslation.wordsBefore) || before.isWord(["is", "between"])
    }

    func isComparison(_ index: Int) -> Bool {
        token(index).map { $0.kind == .symbol && ExpressionTranslation.operators.contains($0.text) } ?? false
    }

    /// The literal with which the operator at a token compares what is before it.
    private func literal(_ kind: ExpressionToken.Kind, after index: Int) -> ExpressionToken? {
        var next = index
        if token(next)?.isWord(["not"]) ?? false { next += 1 }
        if token(next)?.isWord(["in"]) ?? false {
            guard token(next + 1)?.isSymbol("(") ?? false else { return nil }
            return literal(kind, inListFrom: next + 2)
        }
        if token(next)?.isWord(["is"]) ?? false {
            next += token(next + 1)?.isWord(["not"]) ?? false ? 2 : 1
        } else if isComparison(next) || token(next)?.isWord(["between"]) ?? false {
            next += 1
        } else {
            return nil
        }
        guard let (end, literal) = literal(kind, at: next) else { return nil }
        return token(end)?.isSymbol("||") ?? false ? nil : literal
    }

    /// The first element of a list that is a literal.
    private func literal(_ kind: ExpressionToken.Kind, inListFrom index: Int) -> ExpressionToken? {
        var (next, depth, isFirst) = (index, 0, true)
        while depth >= 0, let token = token(next) {
            if isFirst, let (end, literal) = literal(kind, at: next),
                self.token(end).map({ $0.isSymbol(",") || $0.isSymbol(")") }) ?? true
            {
                return literal
            }
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            isFirst = depth == 0 && token.isSymbol(",")
            // The elements of a subquery are its columns.
            if token.isWord(["select", "with"]) { return nil }
            next += 1
        }
        return nil
    }

    /// The literal with which what stands between two tokens is compared.
    private func literal(_ kind: ExpressionToken.Kind, before index: Int, upTo end: Int) -> ExpressionToken? {
        guard isComparison(index),
            token(end).map({ $0.isSymbol(")") || $0.isSymbol(",") || $0.isWord(ExpressionTranslation.wordsAfter) })
                ?? true
        else { return nil }
        var place = index - 1
        var depth = 0
        while token(place)?.isSymbol(")") ?? false { (place, depth) = (place - 1, depth + 1) }
        guard let literal = token(place), literal.kind == kind else { return nil }
        place -= 1
        while depth > 0, token(place)?.isSymbol("(") ?? false { (place, depth) = (place - 1, depth - 1) }
        if let sign = token(place), sign.isSymbol("-") || sign.isSymbol("+") { place -= 1 }
        // It is no operand of its own in payload ->> '$.a' = type.
        return depth == 0 && startsValue(place + 1) ? literal : nil
    }

    /// A literal with or without a sign and parentheses, and the index after it; `nil` if there is none.
    private func literal(_ kind: ExpressionToken.Kind, at index: Int) -> (end: Int, literal: ExpressionToken)? {
        var (next, depth) = (index, 0)
        while token(next)?.isSymbol("(") ?? false { (next, depth) = (next + 1, depth + 1) }
        if token(next)?.isSymbol("-") ?? false || token(next)?.isSymbol("+") ?? false { next += 1 }
        guard let literal = token(next), literal.kind == kind else { return nil }
        next += 1
        while depth > 0, token(next)?.isSymbol(")") ?? false { (next, depth) = (next + 1, depth - 1) }
        return depth == 0 ? (next, literal) : nil
    }
}

extension ExpressionColumn {
    init?(named name: String) {
        guard let column = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = column
    }

    var isNumber: Bool {
        switch self {
        case .duration, .seq, .at, .thread: true
        case .type, .payload, .reducer, .origin, .position, .task: false
        }
    }

    /// What to write in place of a comparison with a literal of the wrong kind.
    func advice(_ literal: ExpressionToken) -> String {
        switch self {
        case .at: "It is in nanoseconds since 1970. For times, use --from and --to, or compare seq."
        case .duration: "It is in nanoseconds: 1000000 are a millisecond."
        case .position: "It is a text such as '3.2'. Compare seq."
        case .seq, .thread:
            Int64(literal.stringContents).map { "Write it without quotes: \($0)" } ?? "Compare it with a number."
        case .reducer: "It is the reducer's name. Its number is in position: '3.2' is after the second one."
        case .type, .origin, .task: "Write a text in quotes: '\(literal.text)'"
        case .payload: "It is the action as JSON text. For a part of it: payload ->> '$.add.title'"
        }
    }
}
