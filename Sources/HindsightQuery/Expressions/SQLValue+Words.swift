import HindsightSQLite
import HindsightTree

extension SQLValue {
    private static let most = 40

    /// The value in a message: `the text 'items'`.
    var inWords: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): "the number \(integer)"
        case .real(let double): "the number \(double)"
        case .marked(let literal, ExactNumber.mark): "the number \(Self.brief(literal))"
        case .text(let text): "the text '\(Self.brief(text))'"
        case .marked(let text, _): "the JSON \(Self.brief(text))"
        case .blob(let bytes): "data of \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
        }
    }

    private static func brief(_ text: String) -> String {
        text.utf8.count > most * 8 || text.count > most ? text.prefix(most) + "…" : text
    }

    /// The path that a function of a query or an expression is given.
    ///
    /// - Parameter suggestion: What to write in place of a value that is no path; `nil` for the path that it may mean.
    func path(orSuggesting suggestion: String? = nil) throws(ExpressionError) -> NodePath {
        if let text, let path = NodePath(text) { return path }
        throw ExpressionError(
            .badPath,
            "value, old and changed take a path such as '/cart/total', but were given \(inWords).",
            suggestion: suggestion ?? pathSuggestion
        )
    }

    /// The path that a text without a slash may mean, as a question.
    private var pathSuggestion: String? {
        guard case .text(let text) = self, !text.hasPrefix("/"), !text.isEmpty, text.utf8.count <= Self.most,
            let path = NodePath("/" + text)
        else { return nil }
        return "Did you mean '\(path)'?"
    }
}
