import HindsightTree

// Comparisons that say nothing.
extension ExpressionTranslation {
    /// Checks each comparison without which the expression cannot be true: with NULL by an operator, which is never
    /// true; and of a column with a literal of another kind, or of two literals, which has the same result everywhere.
    func checkComparisons() throws(ExpressionError) {
        for (condition, isRequired) in tokens[...].conditions() where isRequired {
            guard let comparison = LiteralComparison(condition) else { continue }
            let (subject, literals) = (comparison.subject, comparison.literals)
            if comparison.relation.kind == .symbol, let null = literals[0].first, null.isWord(["null"]) {
                throw mistake(
                    null,
                    "A comparison with NULL is never true.",
                    "Write “is null” or “is not null”."
                )
            }
            if subject.isLiteral,
                let path = (subject + literals.joined()).first(where: \.isQuotedPath),
                let other = (literals.joined() + subject).first(where: { $0 != path && $0.kind != .symbol })
            {
                throw mistake(
                    path,
                    "\(path.text) is a text, and not the value at this path: comparing it with \(other.text) says nothing.",
                    "Write the path without quotes, or value(\(path.text))."
                )
            }
            guard let token = subject.first, subject.count == 1, token.kind == .word,
                let column = ExpressionColumn(rawValue: token.lowercased),
                let literal = literals[0].last, literals.allSatisfy({ $0.last?.kind == column.otherKind })
            else { continue }
            throw mistake(
                token,
                "\(column.rawValue) is a \(column.isNumber ? "number" : "text"), and \(literal.text) is not.",
                column.advice(literal)
            )
        }
    }

    func mistake(_ token: ExpressionToken, _ reason: String, _ suggestion: String) -> ExpressionError {
        ExpressionError(.syntax, in: text, at: token.offset, reason, suggestion: suggestion)
    }
}

/// A condition that compares something with literals, and nothing else: `/a = 1`, `seq in (1, 2)`, `type is not 'Pay'`.
struct LiteralComparison {
    /// What is compared with the literals. It may be one, too.
    let subject: ArraySlice<ExpressionToken>
    /// Texts, numbers with their signs, and NULL; at least one.
    let literals: [ArraySlice<ExpressionToken>]
    /// An operator, `is`, `in` or `between`.
    let relation: ExpressionToken

    init?(_ condition: ArraySlice<ExpressionToken>) {
        let relations = condition.outerIndices(where: \.isRelation)
        guard let place = relations.first, relations.count == 1 else { return nil }
        relation = condition[place]
        var left = condition[..<place]
        var right = condition[(place + 1)...]
        switch relation.lowercased {
        case "is":
            if right.first?.isWord(["not"]) ?? false { right = right.dropFirst() }
            literals = [right.withoutParentheses]
        case "in":
            guard let list = right.insideParentheses else { return nil }
            literals = list.pieces(between: list.outerIndices { $0.isSymbol(",") }).map(\.withoutParentheses)
        case "between":
            literals = right.pieces(between: right.outerIndices { $0.isWord(["and"]) }).map(\.withoutParentheses)
        default:
            if !right.withoutParentheses.isLiteral { swap(&left, &right) }
            literals = [right.withoutParentheses]
        }
        if relation.kind == .word, left.last?.isWord(["not"]) ?? false { left = left.dropLast() }
        subject = left.withoutParentheses
        guard literals.allSatisfy(\.isLiteral), !left.isEmpty, !left.isCondition else { return nil }
    }

    /// Whether it asks if two values are the same.
    var asksForEquality: Bool { !["<", "<=", ">", ">=", "between"].contains(relation.lowercased) }

    /// The path of the state that is compared; `nil` if none is: `/a`, `value('/a')`, `old(/a)`.
    var path: NodePath? {
        guard case .state(let path, _) = ExpressionForm(Array(subject)) else { return nil }
        return path
    }

    /// Whether a column is compared, with or without the view before it.
    func compares(_ column: String) -> Bool {
        let isQualified = subject.count == 3 && subject[subject.startIndex + 1].isSymbol(".")
        return (subject.count == 1 || isQualified) && subject.last?.isWord([column]) ?? false
    }
}

// The conditions of an expression, and the literals in them.
extension ArraySlice<ExpressionToken> {
    /// The conditions that AND, OR and NOT join, or the clauses of a statement, and whether the tokens as a whole can
    /// only be true where this condition, or its NOT, is.
    func conditions(isRequired: Bool = true, depth: Int = 0) -> [(tokens: Self, isRequired: Bool)] {
        // SQLite refuses deeper ones.
        guard depth < 1000 else { return [] }
        let tokens = withoutParentheses
        var betweens = 0
        let joints = tokens.outerIndices { token in
            if token.isWord(["between"]) { betweens += 1 }
            guard token.isWord(["and"]), betweens > 0 else { return token.isJoint }
            betweens -= 1
            return false
        }
        guard joints.isEmpty else {
            let isAnd = joints.allSatisfy { tokens[$0].isWord(["and"]) }
            return tokens.pieces(between: joints).flatMap {
                $0.conditions(isRequired: isRequired && isAnd, depth: depth + 1)
            }
        }
        guard tokens.first?.isWord(["not"]) ?? false else { return [(tokens, isRequired)] }
        let negated = tokens.dropFirst().conditions(isRequired: isRequired, depth: depth + 1)
        return negated.count == 1 ? negated : negated.map { ($0.tokens, false) }
    }

    /// The places outside of parentheses and CASE of the tokens that fit.
    func outerIndices(where fits: (ExpressionToken) -> Bool) -> [Int] {
        var depth = 0
        return indices.filter { index in
            if self[index].isSymbol(")") || self[index].isWord(["end"]) { depth -= 1 }
            defer { if self[index].isSymbol("(") || self[index].isWord(["case"]) { depth += 1 } }
            return depth == 0 && fits(self[index])
        }
    }

    /// The tokens before, between and after some places.
    func pieces(between places: [Int]) -> [Self] {
        zip([startIndex] + places.map { $0 + 1 }, places + [endIndex]).map { self[$0..<$1] }
    }

    /// The tokens inside parentheses around all of them; `nil` if there are none.
    var insideParentheses: Self? {
        guard first?.isSymbol("(") ?? false, outerIndices(where: { _ in true }) == [startIndex, endIndex - 1] else {
            return nil
        }
        return dropFirst().dropLast()
    }

    /// The tokens without the parentheses around all of them.
    var withoutParentheses: Self {
        var tokens = self
        while let inner = tokens.insideParentheses { tokens = inner }
        return tokens
    }

    /// Whether the outermost operator compares, or joins conditions: all of these bind less tightly than the others.
    var isCondition: Bool { !outerIndices(where: \.isConditional).isEmpty }

    /// Whether it is a text, a number with or without a sign, or NULL.
    var isLiteral: Bool {
        guard let last else { return false }
        if count == 1 { return last.kind == .string || last.kind == .number || last.isWord(["null"]) }
        return count == 2 && last.kind == .number && first.map { $0.isSymbol("-") || $0.isSymbol("+") } ?? false
    }
}

extension [ExpressionToken] {
    func token(_ index: Int) -> ExpressionToken? { indices.contains(index) ? self[index] : nil }

    /// The conditions of an expression or a statement that compare something with literals.
    var literalComparisons: [LiteralComparison] { self[...].conditions().compactMap { LiteralComparison($0.tokens) } }
}

extension ExpressionToken {
    /// Whether it compares what stands before it with what stands after it.
    fileprivate var isRelation: Bool {
        kind == .symbol ? ExpressionTranslation.operators.contains(text) : isWord(["is", "in", "between"])
    }

    /// Whether it compares, or joins conditions.
    fileprivate var isConditional: Bool { isRelation || isWord(Self.conditionWords) }

    private static let conditionWords: Set<String> = [
        "and", "exists", "glob", "isnull", "like", "match", "not", "notnull", "or", "regexp",
    ]

    /// Whether conditions stand on both sides of it.
    fileprivate var isJoint: Bool { isSymbol(",") || isSymbol(";") || isWord(Self.joints) }

    private static let joints: Set<String> = [
        "all", "and", "as", "by", "distinct", "except", "from", "group", "having", "intersect", "join", "limit",
        "offset", "on", "or", "order", "select", "union", "values", "where", "with",
    ]

    /// Whether it is a path as a text.
    fileprivate var isQuotedPath: Bool { kind == .string && NodePath(stringContents)?.isRoot == false }
}

extension ExpressionColumn {
    var isNumber: Bool {
        switch self {
        case .duration, .seq, .at, .thread: true
        case .type, .payload, .reducer, .origin, .position, .task: false
        }
    }

    /// The kind of the literals that it never equals.
    var otherKind: ExpressionToken.Kind { isNumber ? .string : .number }

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
