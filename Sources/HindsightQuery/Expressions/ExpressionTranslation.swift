import HindsightTree

/// An expression as SQL that the functions of ``ExpressionProgram`` understand.
///
/// - A pointer becomes a call that names its path by a number: `"@value"(0)`. In `value(…)`, `old(…)` and `changed(…)`, it
///   is the path itself.
/// - Where only the structure of a value counts, as in `json_array_length(/items)`, the call is `"@part"(0)`.
/// - A comparison of two plain operands, at least one of which is a value of the state, becomes `("@compare"(a, b) < 0)`,
///   which compares numbers exactly. A plain operand is a pointer, `value(/p)`, `old(/p)`, a number or a
///   text.
/// - A `payload` of which only one place is read becomes `"@payload"(0)`, which is known if that place is.
/// - A number in such a comparison that SQLite would round becomes text with all digits: `"@number"('0.1…')`.
/// - Elsewhere, the call is `"@exact value"(0)`, which fails for a number that SQLite would round.
struct ExpressionTranslation {
    /// The expression as it was given.
    let text: String
    private(set) var sql = ""
    /// The paths by their numbers.
    private(set) var paths: [NodePath] = []
    /// The places in payloads by their numbers.
    private(set) var payloadPaths: [NodePath] = []
    /// Whether it may read payloads as a whole.
    private(set) var readsWholePayload = false
    /// Where each token begins in ``sql``, and in ``text``.
    private var places: [(sql: Int, text: Int)] = []
    let tokens: [ExpressionToken]
    let hasSubquery: Bool

    init(_ text: String) throws(ExpressionError) {
        self.text = text
        tokens = try ExpressionTokenizer.tokens(of: text)
        hasSubquery = tokens.contains { $0.isWord(["select"]) }
        try checkForm()
        try checkComparisons()
        var index = 0
        // The BETWEENs that lack their AND, outside and in each open parenthesis or CASE.
        var open = [(isCase: false, betweens: 0)]
        // The AND of the last BETWEEN.
        var middle: Int?
        while index < tokens.count {
            if let end = try comparison(at: index, isAfterMiddle: middle == index - 1) {
                index = end
                continue
            }
            let token = tokens[index]
            switch token.kind == .symbol || token.kind == .word ? token.lowercased : "" {
            case "(": open.append((false, 0))
            case "case": open.append((true, 0))
            case "end" where open[open.count - 1].isCase: open.removeLast()
            // SQLite reports a CASE without END.
            case ")": while open.removeLast().isCase {}
            case "between": open[open.count - 1].betweens += 1
            case "and" where open[open.count - 1].betweens > 0:
                open[open.count - 1].betweens -= 1
                middle = index
            default: break
            }
            if let operand = try operand(at: index), operand.isState {
                var call = operand.sql
                if asksForStructure(index, operand) {
                    call = call.replacing("\"@value\"", with: "\"@part\"")
                } else if !tokens.mayRound(index) {
                    call = call.replacing("\"@", with: "\"@exact ")
                }
                add(call, at: index)
                index = operand.end
            } else if let path = payloadPath(at: index) {
                add("\"@payload\"(\(payloadPaths.count))", at: index)
                payloadPaths.append(path)
                index += 1
            } else {
                try checkExact(index)
                readsWholePayload = readsWholePayload || token.isName("payload")
                add(isExactCall(index) ? "\"@exact call of \(token.lowercased)\"" : token.text, at: index)
                index += 1
            }
        }
    }

    /// Where a byte of the SQL comes from in the expression; its end for what stands after it.
    func offset(ofSQL offset: Int) -> Int {
        guard offset < sql.utf8.count else { return text.utf8.count }
        return places.last { $0.sql <= offset }?.text ?? 0
    }

    private mutating func add(_ piece: String, at index: Int) {
        if !sql.isEmpty { sql += " " }
        places.append((sql.utf8.count, tokens[index].offset))
        sql += piece
    }

    /// Checks that the text is one expression, which stays inside the parentheses around it.
    private func checkForm() throws(ExpressionError) {
        guard let first = tokens.first else {
            throw ExpressionError(.syntax, in: text, at: 0, "The expression is empty.", suggestion: Self.example)
        }
        if first.isWord(ExpressionToken.statements),
            tokens.dropFirst().first.map({ !$0.isSymbol("(") }) ?? true
                || first.isWord(["select", "values", "with"])
        {
            throw ExpressionError(
                .statement,
                in: text,
                at: first.offset,
                "This is a statement. An expression is what may stand after WHERE.",
                suggestion: Self.example
            )
        }
        var open: [ExpressionToken] = []
        for token in tokens {
            if token.isSymbol("(") { open.append(token) }
            if token.isSymbol(")"), open.popLast() == nil {
                throw ExpressionError(.syntax, in: text, at: token.offset, "This ) closes nothing.")
            }
        }
        if let token = open.last {
            throw ExpressionError(.syntax, in: text, at: token.offset, "This ( is never closed.")
        }
    }

    private static let example = "For example: /cart/total = 0 and type = 'applyCoupon'"

    // MARK: Values of the state

    private struct Operand {
        var sql: String
        /// The index after it.
        var end: Int
        /// Whether it is a value of the state, and not a literal.
        var isState: Bool
        /// Whether it can be compared: not `changed(/p)`.
        var isComparable = true
    }

    private mutating func slot(of path: NodePath) -> Int {
        if let index = paths.firstIndex(of: path) { return index }
        paths.append(path)
        return paths.count - 1
    }

    func token(_ index: Int) -> ExpressionToken? {
        tokens.token(index)
    }

    /// The pointer, call, number or text that begins at a token; `nil` if there is none.
    private mutating func operand(at index: Int) throws(ExpressionError) -> Operand? {
        guard let token = token(index) else { return nil }
        switch token.kind {
        case .pointer:
            guard let path = NodePath(token.text) else { return nil }
            return Operand(sql: "\"@value\"(\(slot(of: path)))", end: index + 1, isState: true)
        case .number:
            return Operand(sql: Self.number(token.text), end: index + 1, isState: false)
        case .string:
            return Operand(sql: token.text, end: index + 1, isState: false)
        case .symbol where token.text == "-" || token.text == "+":
            guard let number = self.token(index + 1), number.kind == .number else { return nil }
            let sign = token.text == "-" ? "-" : ""
            return Operand(sql: Self.number(sign + number.text), end: index + 2, isState: false)
        case .word:
            guard let argument = tokens.pathArgument(ofCallAt: index) else { return nil }
            let text = argument.kind == .string ? argument.stringContents : argument.text
            guard let path = NodePath(text) else {
                throw ExpressionError(
                    .badPath,
                    in: self.text,
                    at: argument.offset,
                    "This is no path. A path begins with / and names one place, as in /cart/total.",
                    suggestion: NodePath("/" + text).map { "Did you mean \($0)?" }
                )
            }
            let name = token.lowercased
            return Operand(
                sql: "\"@\(name)\"(\(slot(of: path)))",
                end: index + 4,
                isState: true,
                isComparable: name != "changed"
            )
        default:
            return nil
        }
    }

    /// Whether only the structure of a value counts where it stands, so that parts of it may be hidden. What `json_each`
    /// and `json_tree` find in it is not known to be hidden.
    private func asksForStructure(_ index: Int, _ operand: Operand) -> Bool {
        if token(operand.end)?.isWord(["is"]) ?? false { return isNullTest(operand.end) }
        guard token(index - 1)?.isSymbol("(") ?? false, let function = token(index - 2) else { return false }
        if function.isWord(["json_each", "json_tree"]) { return true }
        // With a path or an operator, they ask for a part, which may be hidden.
        return function.isWord(["json_array_length", "json_type"]) && token(operand.end)?.isSymbol(")") ?? false
    }

    /// Whether a test for NULL begins at a token.
    private func isNullTest(_ index: Int) -> Bool {
        guard token(index)?.isWord(["is"]) ?? false else { return false }
        let isNegated = token(index + 1)?.isWord(["not"]) ?? false
        return token(index + (isNegated ? 2 : 1))?.isWord(["null"]) ?? false
    }

    /// Whether a token calls for a value at a computed path whose digits count.
    private func isExactCall(_ index: Int) -> Bool {
        guard tokens[index].isWord(["value", "old"]), token(index + 1)?.isSymbol("(") ?? false else { return false }
        var (end, depth) = (index + 1, 0)
        repeat {
            if tokens[end].isSymbol("(") { depth += 1 }
            if tokens[end].isSymbol(")") { depth -= 1 }
            end += 1
        } while depth > 0 && end < tokens.count
        return !isNullTest(end)
    }

    // MARK: Comparisons

    static let operators: Set<String> = ["=", "==", "<>", "!=", "<", "<=", ">", ">="]
    /// Those that bind more tightly than BETWEEN and IS NOT.
    private static let bindingOperators: Set<String> = ["<", "<=", ">", ">="]
    static let wordsBefore: Set<String> = [
        "and", "or", "not", "when", "then", "else", "where", "on", "having", "select", "case",
    ]
    static let wordsAfter: Set<String> = [
        "and", "or", "when", "then", "else", "end", "group", "order", "limit", "union", "except", "intersect", "from",
    ]

    /// Translates a comparison of two plain operands that begins at a token, and returns the index after it.
    ///
    /// - Parameter isAfterMiddle: Whether the token before is the AND of a BETWEEN.
    private mutating func comparison(at index: Int, isAfterMiddle: Bool) throws(ExpressionError) -> Int? {
        if let before = token(index - 1) {
            let isBoundary = before.isSymbol("(") || before.isSymbol(",") || before.isWord(Self.wordsBefore)
            guard isBoundary else { return nil }
        }
        guard let left = try operand(at: index), left.isComparable, let sign = token(left.end), sign.kind == .symbol,
            Self.operators.contains(sign.text), let right = try operand(at: left.end + 1), right.isComparable,
            left.isState || right.isState
        else { return nil }
        // `x between 1 and /a < 5` is `x between 1 and (/a < 5)`, but `… and /a = 5` is `(x between 1 and /a) = 5`;
        // and so after `x is not`.
        let isAfterIsNot = token(index - 1)?.isWord(["not"]) ?? false && token(index - 2)?.isWord(["is"]) ?? false
        if isAfterMiddle || isAfterIsNot, !Self.bindingOperators.contains(sign.text) { return nil }
        if let after = token(right.end) {
            guard after.isSymbol(")") || after.isSymbol(",") || after.isWord(Self.wordsAfter) else { return nil }
        }
        add("(\"@compare\"(\(left.sql),\(right.sql)) \(sign.text) 0)", at: index)
        return right.end
    }

    /// A number as SQL that loses no digits.
    private static func number(_ literal: String) -> String {
        ExactNumber.isRounded(literal) ? "\"@number\"('\(literal)')" : literal
    }

    /// Checks that SQLite does not round the number at a token.
    private func checkExact(_ index: Int) throws(ExpressionError) {
        guard tokens.isRounded(index) else { return }
        throw mistake(
            tokens[index],
            "SQLite rounds this number here.",
            "Only a direct comparison is exact: \(paths.first?.description ?? "/total") = \(tokens[index].text)"
        )
    }

    /// Whether a name stands in the expression, with or without quotes, whatever it means there.
    func names(_ name: String) -> Bool {
        tokens.contains { $0.isName(name) }
    }
}
