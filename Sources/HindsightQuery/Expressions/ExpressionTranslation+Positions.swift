// Comparisons of the column `position`.
extension ExpressionTranslation {
    /// Checks that `position`, which is a text, is not compared with a number: SQLite sorts all texts after all numbers.
    func checkPositions() throws(ExpressionError) {
        for (index, token) in tokens.enumerated() where token.isWord(["position"]) {
            // Parentheses around it change nothing; those of a call do.
            var (before, after) = (index - 1, index + 1)
            while self.token(before)?.isSymbol("(") ?? false, self.token(after)?.isSymbol(")") ?? false,
                startsValue(before)
            {
                (before, after) = (before - 1, after + 1)
            }
            guard startsValue(before + 1), hasNumber(after: after) || hasNumber(before: before, upTo: after) else {
                continue
            }
            throw ExpressionError(
                .syntax,
                in: text,
                at: token.offset,
                "position is a text such as '3.2', and cannot be compared with a number. Compare seq."
            )
        }
    }

    /// Whether a value that begins at a token is a whole operand of a comparison, if one follows it.
    private func startsValue(_ index: Int) -> Bool {
        guard let before = token(index - 1) else { return true }
        return before.isSymbol("(") || before.isSymbol(",") || isComparison(index - 1)
            || before.isWord(Self.wordsBefore) || before.isWord(["is", "between"])
    }

    private func isComparison(_ index: Int) -> Bool {
        token(index).map { $0.kind == .symbol && Self.operators.contains($0.text) } ?? false
    }

    /// Whether the operator at a token compares what is before it with a number.
    private func hasNumber(after index: Int) -> Bool {
        var next = index
        if token(next)?.isWord(["not"]) ?? false { next += 1 }
        if token(next)?.isWord(["in"]) ?? false {
            guard token(next + 1)?.isSymbol("(") ?? false else { return false }
            return listsNumber(from: next + 2)
        }
        if token(next)?.isWord(["is"]) ?? false {
            next += token(next + 1)?.isWord(["not"]) ?? false ? 2 : 1
        } else if isComparison(next) || token(next)?.isWord(["between"]) ?? false {
            next += 1
        } else {
            return false
        }
        guard let end = number(at: next) else { return false }
        return !(token(end)?.isSymbol("||") ?? false)
    }

    /// Whether one of the elements of a list is a number.
    private func listsNumber(from index: Int) -> Bool {
        var (next, depth, isFirst) = (index, 0, true)
        while depth >= 0, let token = token(next) {
            if isFirst, let end = number(at: next),
                self.token(end).map({ $0.isSymbol(",") || $0.isSymbol(")") }) ?? true
            {
                return true
            }
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            isFirst = depth == 0 && token.isSymbol(",")
            // The elements of a subquery are its columns.
            if token.isWord(["select", "with"]) { return false }
            next += 1
        }
        return false
    }

    /// Whether a number is compared with what stands between two tokens.
    private func hasNumber(before index: Int, upTo end: Int) -> Bool {
        guard isComparison(index),
            token(end).map({ $0.isSymbol(")") || $0.isSymbol(",") || $0.isWord(Self.wordsAfter) }) ?? true
        else { return false }
        var number = index - 1
        var depth = 0
        while token(number)?.isSymbol(")") ?? false { (number, depth) = (number - 1, depth + 1) }
        guard token(number)?.kind == .number else { return false }
        number -= 1
        while depth > 0, token(number)?.isSymbol("(") ?? false { (number, depth) = (number - 1, depth - 1) }
        return depth == 0 && !(token(number)?.isSymbol("||") ?? false)
    }

    /// The index after a number with or without a sign and parentheses; `nil` if there is none.
    private func number(at index: Int) -> Int? {
        var (next, depth) = (index, 0)
        while token(next)?.isSymbol("(") ?? false { (next, depth) = (next + 1, depth + 1) }
        if token(next)?.isSymbol("-") ?? false || token(next)?.isSymbol("+") ?? false { next += 1 }
        guard token(next)?.kind == .number else { return nil }
        next += 1
        while depth > 0, token(next)?.isSymbol(")") ?? false { (next, depth) = (next + 1, depth - 1) }
        return depth == 0 ? next : nil
    }
}
