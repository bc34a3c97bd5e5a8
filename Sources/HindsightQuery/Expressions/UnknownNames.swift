import HindsightRecording
import HindsightTree

/// What an expression or a query names that a recording does not have, so that it may be misspelt.
public struct UnknownNames: Sendable {
    /// A comparison of a value with a literal of another kind, which is never true.
    public struct Comparison: Sendable {
        /// The place of the value.
        public let path: NodePath
        /// The value there.
        public let value: Node
        /// The literal, as it is written.
        public let literal: String
    }

    /// The paths at which there is nothing at any position whose state is known.
    public package(set) var paths: [NodePath] = []
    /// The types of which there is no action.
    public internal(set) var types: [String] = []
    /// The names of no reducer.
    public internal(set) var reducers: [String] = []
    /// The comparisons of values with literals of another kind.
    public internal(set) var comparisons: [Comparison] = []

    /// Nothing unknown.
    public init() {}

    /// Adds what something else names.
    package mutating func add(_ other: UnknownNames) {
        paths += other.paths
        types += other.types
        reducers += other.reducers
        comparisons += other.comparisons
    }

    /// Whether everything is known.
    public var isEmpty: Bool { paths.isEmpty && types.isEmpty && reducers.isEmpty && comparisons.isEmpty }
}

extension Recording {
    /// Whether there is a value at a path at some position whose state is known.
    ///
    /// Costs two whole states, and the history of the path if it is in neither.
    ///
    /// - Parameter index: The index of this recording; without it, the history costs a pass over the recorded changes.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    public func has(_ path: NodePath, by index: ChangeIndex? = nil) throws(RecordingError) -> Bool {
        for position in [end, start] where try state(at: position)[path] != nil { return true }
        return !(try history(of: path, limit: 1, by: index).changes.isEmpty)
    }

    /// What some tokens name that the recording does not have.
    func unknownNames(
        in tokens: [ExpressionToken],
        paths: [NodePath],
        reducerColumn: String,
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
        unknown.reducers = tokens.texts(comparedWith: reducerColumn).filter { !reducers.contains($0) }
        for (path, literal) in tokens.comparedPaths {
            for position in [end, start] {
                guard let value = try state(at: position)[path], value.isNumberOrText else { continue }
                if (literal.kind == .string) != value.isText {
                    unknown.comparisons.append(.init(path: path, value: value, literal: literal.text))
                }
                break
            }
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
    public func unknownNames(
        in recording: Recording,
        by index: ChangeIndex? = nil
    ) throws(RecordingError) -> UnknownNames {
        try recording.unknownNames(in: translation.tokens, paths: paths, reducerColumn: "reducer", by: index)
    }
}

extension [ExpressionToken] {
    /// The texts with which a column is compared: `type = 'a'`, `type in ('a', 'b')`.
    fileprivate func texts(comparedWith column: String) -> [String] {
        var texts: [String] = []
        for (index, token) in enumerated() where token.isWord([column]) {
            if index > 1, self[index - 1].isComparison, self[index - 2].kind == .string {
                texts.append(self[index - 2].stringContents)
            }
            var next = index + 1
            while next < count, self[next].isWord(["not", "is"]) || self[next].isComparison { next += 1 }
            if next > index + 1, next < count, self[next].kind == .string { texts.append(self[next].stringContents) }
            guard next + 1 < count, self[next].isWord(["in"]), self[next + 1].isSymbol("(") else { continue }
            for token in self[(next + 2)...] {
                if token.kind == .string { texts.append(token.stringContents) } else if !token.isSymbol(",") { break }
            }
        }
        return texts
    }

    /// The paths that are compared with a literal, and the literal.
    fileprivate var comparedPaths: [(path: NodePath, literal: ExpressionToken)] {
        indices.dropFirst().dropLast().compactMap { index in
            guard self[index].isSymbol("=") || self[index].isSymbol("==") else { return nil }
            for (pointer, literal) in [(self[index - 1], self[index + 1]), (self[index + 1], self[index - 1])] {
                guard pointer.kind == .pointer, literal.kind == .string || literal.kind == .number,
                    let path = NodePath(pointer.text)
                else { continue }
                return (path, literal)
            }
            return nil
        }
    }
}

extension ExpressionToken {
    fileprivate var isComparison: Bool { kind == .symbol && ExpressionTranslation.operators.contains(text) }
}

extension Node {
    fileprivate var isText: Bool { if case .string = self { true } else { false } }

    fileprivate var isNumberOrText: Bool {
        switch self {
        case .bool, .int, .number, .string: true
        case .null, .data, .array, .object: false
        }
    }
}
