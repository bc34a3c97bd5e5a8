import Foundation
import HindsightTree

/// What should hold at each position of a recording: an expression with a name.
package struct Rule: Answer, Hashable {
    /// The kinds of rules that ``InvariantMiner`` finds.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case constant, range, oneOf, nonEmpty, monotone, unique, equal, sum, count, member, null
    }

    /// What it says, by which expressions name it.
    package var name: String
    /// The expression, as ``RecordingExpression`` reads it. NULL means that the rule does not apply.
    package var that: String
    /// What kind of rule it is; `nil` for a rule that was written by hand.
    package var kind: Kind?
    /// The places that it compares, with `*` for elements.
    package var places: [String]?
    /// How often it could have been violated.
    package var checked: Int?

    package static let notes = [
        "name": "what it says", "that": "the expression that holds", "checked": "how often it could have failed",
        "places": "with * for elements",
    ]
}

/// The rules in a file.
///
/// ```json
/// {"rules": [{"name": "the total is not negative", "that": "/cart/total >= 0"}]}
/// ```
package struct RuleBook: Codable, Sendable {
    /// The name of the app whose states they are about; `nil` for any app.
    package let app: String?
    package let rules: [Rule]
    /// The file, for messages.
    package var file = ""
    private var isInRule = false

    private enum CodingKeys: CodingKey { case app, rules }

    package init(_ rules: [Rule] = [], of app: String? = nil) { (self.rules, self.app) = (rules, app) }

    /// Reads rules, and compiles each.
    ///
    /// - Throws: A ``RuleError``.
    package init(contentsOf file: String) throws(RuleError) {
        do {
            let data = try Data(contentsOf: URL(filePath: file))
            self = try JSONDecoder().decode(RuleBook.self, from: data)
        } catch let error as DecodingError {
            throw RuleError(file: file, reason: Self.sentence(error), rule: nil)
        } catch {
            let isThere = FileManager.default.fileExists(atPath: file)
            throw RuleError(file: file, reason: isThere ? "It cannot be read." : "There is no such file.", rule: nil)
        }
        self.file = file
        guard !rules.isEmpty else { throw RuleError(file: file, reason: "It has no rules.", rule: nil) }
        var inner = RuleBook()
        inner.isInRule = true
        var names: Set<ScalarKey> = []
        for rule in rules {
            if rule.name.isEmpty { throw RuleError(file: file, reason: "A rule has an empty name.", rule: nil) }
            guard names.insert(ScalarKey(rule.name)).inserted else {
                throw RuleError(file: file, reason: "Two rules have this name.", rule: rule.name)
            }
            let expression: RecordingExpression
            do throws(ExpressionError) {
                expression = try RecordingExpression(rule.that, rules: inner)
            } catch {
                throw RuleError(file: file, reason: error.description, rule: rule.name)
            }
            guard expression.isCondition else {
                throw RuleError(file: file, reason: "\(rule.that) is a value, and no condition.", rule: rule.name)
            }
        }
    }

    /// An expression with the expressions of the rules that it names.
    func expanded(_ text: String) throws(ExpressionError) -> String {
        guard text.utf8.count > 5, text.lowercased().contains("rule") else { return text }
        let tokens = try ExpressionTokenizer.tokens(of: text)
        var (result, rest) = ("", Array(text.utf8)[...])
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            guard token.isWord(["rule"]), index + 1 < tokens.count, tokens[index + 1].isSymbol("(") else {
                index += 1
                continue
            }
            if isInRule {
                throw ExpressionError(.unknownName, in: text, at: token.offset, "A rule cannot name another rule.")
            }
            guard index + 3 < tokens.count, tokens[index + 2].kind == .string, tokens[index + 3].isSymbol(")") else {
                throw ExpressionError(
                    .syntax,
                    in: text,
                    at: token.offset,
                    "rule takes the name of one rule in single quotes: rule('the total is not negative')."
                )
            }
            let name = tokens[index + 2].stringContents
            guard let rule = self[name: name] else {
                throw ExpressionError(
                    .unknownName,
                    in: text,
                    at: tokens[index + 2].offset,
                    rules.isEmpty
                        ? "The rule '\(name)' is not known: no file of rules is given."
                        : "There is no rule '\(name)' in \(file).",
                    suggestion: rules.isEmpty ? "Name a file that invariants wrote with --rules." : nil,
                    given: name,
                    allowed: rules.map(\.name)
                )
            }
            let end = tokens[index + 3].offset + 1
            result += String(decoding: rest[rest.startIndex..<token.offset], as: UTF8.self) + "(\(rule.that)\n)"
            rest = rest[end...]
            index += 4
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    /// The rule with a name.
    package subscript(name name: String) -> Rule? { rules.first { $0.name.hasSameScalars(as: name) } }

    private static func sentence(_ error: DecodingError) -> String {
        let wanted = "It must be {\"rules\": [{\"name\": …, \"that\": …}]}."
        func place(_ context: DecodingError.Context) -> String {
            let path = NodePath(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })
            return path.isRoot ? "the top" : path.description
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "There is no \"\(key.stringValue)\" at \(place(context)). \(wanted)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "What is at \(place(context)) is of another kind. \(wanted)"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            let kinds = Rule.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            return "What is at \(place(context)) is none of \(kinds)."
        default: return "It is no JSON. \(wanted)"
        }
    }
}

/// A file of rules that cannot be used.
package struct RuleError: Error, Sendable, CustomStringConvertible {
    /// The file.
    package let file: String
    /// What is wrong, as sentences.
    package let reason: String
    /// The name of the rule.
    package let rule: String?

    package var description: String { "\(file): " + (rule.map { "rule '\($0)': " } ?? "") + reason }
}
