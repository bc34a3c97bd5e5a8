import HindsightRecording
import HindsightTree

/// What an expression or a query names that a recording does not have, so that it may be misspelt.
package struct UnknownNames: Sendable {
    /// A comparison of a value with a literal of another kind, which has the same result for all values of this kind.
    package struct Comparison: Sendable {
        /// The place of the value.
        package let path: NodePath
        /// The value there.
        package let value: Node
        /// What the value is compared by: `=`, `<`, `in`, `between`.
        package let relation: String
        /// The literals, as they are written.
        package let literals: [String]
    }

    /// The paths at which there is nothing at any position whose state is known.
    package var paths: [NodePath] = []
    /// The types of which there is no action.
    package internal(set) var types: [String] = []
    /// The names of no reducer.
    package internal(set) var reducers: [String] = []
    /// The kinds of operations that there are not.
    package internal(set) var operations: [String] = []
    /// The comparisons that are never true.
    package var comparisons: [Comparison] = []
    /// The comparisons that are always true.
    package var tautologies: [Comparison] = []

    /// Nothing unknown.
    package init() {}

    /// Adds what something else names.
    package mutating func add(_ other: UnknownNames) {
        paths += other.paths
        types += other.types
        reducers += other.reducers
        operations += other.operations
        comparisons += other.comparisons
        tautologies += other.tautologies
    }

    /// Whether everything is known, and no comparison is never true.
    package var isEmpty: Bool {
        paths.isEmpty && types.isEmpty && reducers.isEmpty && operations.isEmpty && comparisons.isEmpty
    }

    /// Whether something is not known that no state could have, whether it was recorded or not.
    package var lacksNames: Bool { !types.isEmpty || !reducers.isEmpty || !operations.isEmpty }
}

extension Recording {
    /// Whether there is a value at a path at some position whose state is known.
    ///
    /// Costs two whole states, and the history of the path if it is in neither.
    ///
    /// - Parameter index: The index of this recording; without it, the history costs a pass over the recorded changes.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func has(_ path: NodePath, by index: ChangeIndex? = nil) throws(RecordingError) -> Bool {
        for position in [end, start] where try state(at: position)[path] != nil { return true }
        return !(try history(of: path, limit: 1, by: index).changes.isEmpty)
    }

    /// What some tokens name that the recording does not have.
    func unknownNames(
        in tokens: [ExpressionToken],
        paths: [NodePath],
        isStatement: Bool = false,
        by index: ChangeIndex?
    ) throws(RecordingError) -> UnknownNames {
        var unknown = UnknownNames()
        for path in paths where try !has(path, by: index) { unknown.paths.append(path) }
        // In a subquery, `type` may be a column of json_each.
        let hasRows = tokens.contains { $0.isWord(["json_each", "json_tree"]) }
        let types = tokens.texts(comparedWith: "type")
        if !types.isEmpty, !hasRows {
            let known = Set(try summary().types.map(\.type))
            unknown.types = types.filter { !known.contains($0) }
        }
        // The view notes has names of its own.
        if !isStatement || !tokens.contains(where: { $0.isWord(["notes"]) }) {
            let names = tokens.texts(comparedWith: isStatement ? "name" : "reducer")
            unknown.reducers = names.filter { !reducers.contains($0) }
        }
        if isStatement, !hasRows, tokens.contains(where: { $0.isWord(["changes"]) }) {
            let kinds = Patch.Operation.Kind.allCases.map(\.name)
            unknown.operations = tokens.texts(comparedWith: "op").filter { !kinds.contains($0) }
            for path in tokens.texts(comparedWith: "path").compactMap({ NodePath($0) })
            where !unknown.paths.contains(path) {
                if try !has(path, by: index) { unknown.paths.append(path) }
            }
        }
        let compared = tokens.comparedPaths
        let states =
            compared.isEmpty ? [] : try [end, start].map { position throws(RecordingError) in try state(at: position) }
        for comparison in compared {
            guard let value = states.lazy.compactMap({ $0[comparison.path] }).first(where: \.isComparable),
                let isTrue = comparison.result(for: value)
            else { continue }
            let same = UnknownNames.Comparison(
                path: comparison.path,
                value: value,
                relation: comparison.relation,
                literals: comparison.literals.map(\.text)
            )
            if isTrue { unknown.tautologies.append(same) } else { unknown.comparisons.append(same) }
        }
        return unknown
    }
}

extension RecordingExpression {
    /// What the expression names that a recording does not have.
    ///
    /// Costs two whole states, and the history of each path that is in neither.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func unknownNames(
        in recording: Recording,
        by index: ChangeIndex? = nil
    ) throws(RecordingError) -> UnknownNames {
        try recording.unknownNames(in: translation.tokens, paths: paths, by: index)
    }
}

extension [ExpressionToken] {
    /// The texts with which a column is compared: `type = 'a'`, `type in ('a', 'b')`.
    fileprivate func texts(comparedWith column: String) -> [String] {
        var texts: [String] = []
        for (index, token) in enumerated() where token.isWord([column]) {
            if index > 1, self[index - 1].isEquality, self[index - 2].kind == .string {
                texts.append(self[index - 2].stringContents)
            }
            var next = index + 1
            while next < count, self[next].isWord(["not", "is"]) || self[next].isEquality { next += 1 }
            if next > index + 1, next < count, self[next].kind == .string { texts.append(self[next].stringContents) }
            guard next + 1 < count, self[next].isWord(["in"]), self[next + 1].isSymbol("(") else { continue }
            for token in self[(next + 2)...] {
                if token.kind == .string { texts.append(token.stringContents) } else if !token.isSymbol(",") { break }
            }
        }
        return texts
    }

    /// The paths that are compared with literals.
    fileprivate var comparedPaths: [ComparedPath] {
        indices.compactMap { index in
            guard self[index].kind == .pointer, let path = NodePath(self[index].text), startsOperand(index) else {
                return nil
            }
            return comparison(of: path, after: index + 1) ?? comparison(of: path, before: index)
        }
    }

    private func comparison(of path: NodePath, after index: Int) -> ComparedPath? {
        var next = index
        var isNegated = token(next)?.isWord(["not"]) ?? false
        if isNegated { next += 1 }
        guard let sign = token(next) else { return nil }
        var literals: [ComparedPath.Literal] = []
        var relation = sign.lowercased
        switch relation {
        case "in" where token(next + 1)?.isSymbol("(") ?? false:
            next += 2
            while let (end, literal) = literal(at: next) {
                literals.append(literal)
                next = end + 1
                guard token(end)?.isSymbol(",") ?? false else { break }
            }
            guard !literals.isEmpty, token(next - 1)?.isSymbol(")") ?? false else { return nil }
        case "between":
            guard let low = literal(at: next + 1), token(low.end)?.isWord(["and"]) ?? false,
                let high = literal(at: low.end + 1), endsOperand(high.end)
            else { return nil }
            literals = [low.literal, high.literal]
        default:
            next += 1
            if sign.isWord(["is"]) {
                isNegated = token(next)?.isWord(["not"]) ?? false
                if isNegated { next += 1 }
                relation = "="
            } else if isNegated || !sign.isComparison {
                return nil
            }
            guard let (end, literal) = literal(at: next), endsOperand(end) else { return nil }
            literals = [literal]
        }
        return ComparedPath(path: path, relation: relation, isNegated: isNegated, literals: literals)
    }

    private func comparison(of path: NodePath, before index: Int) -> ComparedPath? {
        guard let sign = token(index - 1), sign.isComparison, endsOperand(index + 1) else { return nil }
        let isSigned = token(index - 3).map { $0.isSymbol("-") || $0.isSymbol("+") } ?? false
        for start in isSigned ? [index - 3] : [index - 2] where startsOperand(start) {
            guard let (end, literal) = literal(at: start), end == index - 1 else { continue }
            let flipped = ["<": ">", "<=": ">=", ">": "<", ">=": "<="][sign.text] ?? sign.text
            return ComparedPath(path: path, relation: flipped, isNegated: false, literals: [literal])
        }
        return nil
    }

    /// A text or number with its sign, and the index after it.
    private func literal(at index: Int) -> (end: Int, literal: ComparedPath.Literal)? {
        guard let first = token(index) else { return nil }
        if first.kind == .string { return (index + 1, .init(text: first.text, isText: true)) }
        let isSigned = first.isSymbol("-") || first.isSymbol("+")
        guard let number = token(isSigned ? index + 1 : index), number.kind == .number else { return nil }
        return (index + (isSigned ? 2 : 1), .init(text: (isSigned ? first.text : "") + number.text, isText: false))
    }

    private func startsOperand(_ index: Int) -> Bool {
        guard let before = token(index - 1) else { return true }
        return before.isSymbol("(") || before.isSymbol(",") || before.isComparison
            || before.isWord(ExpressionTranslation.wordsBefore)
    }

    private func endsOperand(_ index: Int) -> Bool {
        guard let after = token(index) else { return true }
        return after.isSymbol(")") || after.isSymbol(",") || after.isWord(ExpressionTranslation.wordsAfter)
    }
}

/// A path that is compared with literals.
private struct ComparedPath {
    struct Literal {
        /// The literal as it is written.
        var text: String
        var isText: Bool
    }

    var path: NodePath
    /// An operator, `in` or `between`.
    var relation: String
    /// Whether `not` stands before the relation.
    var isNegated: Bool
    var literals: [Literal]

    /// The result for all values of a value's kind; `nil` if it depends on the value.
    func result(for value: Node) -> Bool? {
        let orders = literals.map { order(of: value, $0) }
        let differs = zip(literals, orders).allSatisfy { $1 != nil || isNeverJSON($0, of: value) }
        switch relation {
        case "=", "==", "in": return differs ? isNegated : nil
        case "<>", "!=": return differs ? true : nil
        case "between":
            let isOutside = orders.first.flatMap { $0 } == -1 || orders.last.flatMap { $0 } == 1
            return isOutside ? isNegated : nil
        case "<", "<=": return orders.first.flatMap { $0 }.map { $0 < 0 }
        case ">", ">=": return orders.first.flatMap { $0 }.map { $0 > 0 }
        default: return nil
        }
    }

    /// -1 if each value of this kind comes before the literal, and 1 if it comes after it: SQLite sorts all texts after
    /// all numbers. `nil` if both are of one kind.
    private func order(of value: Node, _ literal: Literal) -> Int? {
        value.isText == literal.isText ? nil : literal.isText ? -1 : 1
    }

    /// Whether a text is not the JSON of an array or object.
    private func isNeverJSON(_ literal: Literal, of value: Node) -> Bool {
        switch value {
        case .array: !literal.text.hasPrefix("'[")
        case .object: !literal.text.hasPrefix("'{")
        default: false
        }
    }
}

extension ExpressionToken {
    fileprivate var isComparison: Bool { kind == .symbol && ExpressionTranslation.operators.contains(text) }

    /// Whether it asks if two values are the same.
    fileprivate var isEquality: Bool { isComparison && !text.hasPrefix("<") && !text.hasPrefix(">") || isSymbol("<>") }
}

extension Node {
    /// Whether this is a text in SQLite, as the JSON of an array or object is.
    fileprivate var isText: Bool {
        switch self {
        case .string, .array, .object: true
        case .null, .bool, .int, .number, .data: false
        }
    }

    /// Whether this is a number or a text in SQLite.
    fileprivate var isComparable: Bool {
        switch self {
        case .bool, .int, .number, .string, .array, .object: true
        case .null, .data: false
        }
    }
}
