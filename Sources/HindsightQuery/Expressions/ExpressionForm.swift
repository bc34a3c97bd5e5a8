import HindsightTree

/// What an expression gives: whether something holds, or a value.
enum ExpressionForm: Equatable, Sendable {
    /// Whether something holds: `/total < 0`, `changed(/cart)`.
    case condition
    /// One value of the state, after a step or before it: `/total`, `value('/total')`, `old(/total)`.
    case state(NodePath, isOld: Bool)
    /// The whole action: `payload`.
    case payload
    /// Any other value: `/total / 2`.
    case value

    init(_ all: [ExpressionToken]) {
        var tokens = all[...]
        while let inner = Self.insideParentheses(tokens) { tokens = inner }
        guard let first = tokens.first, !first.isWord(["select", "values", "with"]) else {
            self = .value
            return
        }
        if tokens.count == 1 {
            if first.kind == .pointer, let path = NodePath(first.text) {
                self = .state(path, isOld: false)
            } else if first.isName("payload") {
                self = .payload
            } else {
                self = first.isWord(["true", "false"]) ? .condition : .value
            }
        } else if let call = Self.call(tokens) {
            self = call
        } else {
            self = Self.compares(tokens) ? .condition : .value
        }
    }

    /// The tokens inside parentheses around all of them; `nil` if there are none.
    private static func insideParentheses(_ tokens: ArraySlice<ExpressionToken>) -> ArraySlice<ExpressionToken>? {
        guard tokens.first?.isSymbol("(") ?? false else { return nil }
        var depth = 0
        for index in tokens.indices {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            if depth == 0 { return index == tokens.endIndex - 1 ? tokens.dropFirst().dropLast() : nil }
        }
        return nil
    }

    /// The form of a call of `value`, `old` or `changed` that is the whole expression; `nil` if it is none.
    private static func call(_ tokens: ArraySlice<ExpressionToken>) -> ExpressionForm? {
        guard let name = tokens.first, let arguments = insideParentheses(tokens.dropFirst()) else { return nil }
        if name.isWord(["changed"]) { return .condition }
        guard name.isWord(["value", "old"]), arguments.count == 1, let argument = arguments.first,
            argument.kind == .pointer || argument.kind == .string,
            let path = NodePath(argument.kind == .string ? argument.stringContents : argument.text)
        else { return nil }
        return .state(path, isOld: name.isWord(["old"]))
    }

    /// Whether the outermost operator compares, or joins conditions: all of these bind less tightly than the others.
    private static func compares(_ tokens: ArraySlice<ExpressionToken>) -> Bool {
        var depth = 0
        for token in tokens {
            if token.isSymbol("(") || token.isWord(["case"]) { depth += 1 }
            if token.isSymbol(")") || token.isWord(["end"]) { depth -= 1 }
            guard depth == 0 else { continue }
            if token.isWord(conditionWords) { return true }
            if token.kind == .symbol, ExpressionTranslation.operators.contains(token.text) { return true }
        }
        return false
    }

    private static let conditionWords: Set<String> = [
        "and", "between", "exists", "glob", "in", "is", "isnull", "like", "match", "not", "notnull", "or", "regexp",
    ]
}
