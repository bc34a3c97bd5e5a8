import HindsightRecording
import HindsightTree

/// What an expression or a query names that a recording does not have, so that it may be misspelt.
package struct UnknownNames: Sendable {
    /// A comparison of a value with literals of another kind than it had at a position.
    package struct Comparison: Sendable {
        /// The place of the value.
        package let path: NodePath
        /// The last position whose state is known, or the start if nothing comparable is there.
        package let position: Recording.Position
        /// The value there.
        package let value: Node
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
    /// The comparisons with literals of another kind. Elsewhere, the values may be of their kind.
    package var comparisons: [Comparison] = []

    /// Nothing unknown.
    package init() {}

    /// Adds what something else names.
    package mutating func add(_ other: UnknownNames) {
        paths += other.paths
        types += other.types
        reducers += other.reducers
        operations += other.operations
        comparisons += other.comparisons
    }

    /// Whether everything is known.
    package var isEmpty: Bool { paths.isEmpty && !lacksNames }

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
        let comparisons = tokens.literalComparisons
        func texts(comparedWith column: String) -> [String] {
            comparisons.filter { $0.asksForEquality && $0.compares(column) }.flatMap(\.literals).compactMap(\.text)
        }
        let types = texts(comparedWith: "type")
        if !types.isEmpty, !hasRows {
            let known = Set(try summary().types.map { ScalarKey($0.type) })
            unknown.types = types.filter { !known.contains(ScalarKey($0)) }
        }
        // The view notes has names of its own.
        if !isStatement || !tokens.contains(where: { $0.isWord(["notes"]) }) {
            let names = texts(comparedWith: isStatement ? "name" : "reducer")
            unknown.reducers = names.filter { name in !reducers.contains { $0.hasSameScalars(as: name) } }
        }
        if isStatement, !hasRows, tokens.contains(where: { $0.isWord(["changes"]) }) {
            let kinds = Patch.Operation.Kind.allCases.map(\.name)
            unknown.operations = texts(comparedWith: "op").filter { !kinds.contains($0) }
            for path in texts(comparedWith: "path").compactMap({ NodePath($0) })
            where !unknown.paths.contains(path) {
                if try !has(path, by: index) { unknown.paths.append(path) }
            }
        }
        let compared = comparisons.filter { $0.path != nil }
        guard !compared.isEmpty else { return unknown }
        let hidden = try HiddenValues(of: self)
        let states = try [end, start].map { position throws(RecordingError) in (position, try state(at: position)) }
        for comparison in compared {
            guard let path = comparison.path else { continue }
            let values = states.compactMap { position, state in state[path].map { (position, $0) } }
            guard let (position, value) = values.first(where: { $1.isComparable }),
                comparison.literals.allSatisfy({ value.differs(from: $0) }),
                hidden.extent(of: value, at: path) == .nothing
            else { continue }
            let literals = comparison.literals.map { $0.map(\.text).joined() }
            unknown.comparisons.append(
                UnknownNames.Comparison(path: path, position: position, value: value, literals: literals)
            )
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

extension ArraySlice<ExpressionToken> {
    /// The contents of a literal that is a text.
    fileprivate var text: String? { last.flatMap { $0.kind == .string ? $0.stringContents : nil } }
}

extension Node {
    /// Whether this is a number or a text in SQLite.
    fileprivate var isComparable: Bool {
        switch self {
        case .bool, .int, .number, .string, .array, .object: true
        case .null, .data: false
        }
    }

    /// Whether a literal is of another kind than this number, text, array or object.
    fileprivate func differs(from literal: ArraySlice<ExpressionToken>) -> Bool {
        switch self {
        case .bool, .int, .number: literal.last?.kind == .string
        case .string: literal.last?.kind == .number
        case .array, .object: literal.last?.kind != .word
        case .null, .data: false
        }
    }
}
