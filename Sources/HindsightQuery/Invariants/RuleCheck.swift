import HindsightRecording
import HindsightTree

/// What a recording says of one rule.
package struct RuleVerdict: Answer {
    /// The name of the rule.
    package let rule: String
    /// The number of positions at which it does not hold.
    package let broken: Int
    /// The first of them.
    @Nullable package var first: String?
    /// The number of positions at which it holds.
    package let held: Int
    /// The number of positions at which that is not known.
    package let unknown: Int
    /// Why it cannot be evaluated, as a sentence; the numbers are then those of the positions before.
    @Nullable package var failure: String?

    package static let notes = [
        "broken": "at how many positions it does not hold",
        "unknown": "at how many it depends on what was not recorded, or is redacted",
    ]
}

extension Recording {
    /// Evaluates a rule after each action. Costs a pass over the recorded changes; and a look at all elements of an array
    /// after each action that changes one, if the rule is about each of them.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func verdict(on rule: Rule) throws -> RuleVerdict {
        var counts: [RecordingExpression.Truth: Int] = [:]
        var (first, failure): (String?, String?)
        do {
            // An expression that is false is evaluated once, and a true one twice.
            let scan = try ExpressionScan(of: self, where: RecordingExpression("not (\(rule.that)\n)"))
            while let stretch = try scan.next() {
                counts[stretch.truth, default: 0] += stretch.count
                if stretch.truth == .yes, first == nil { first = stretch.first.description }
            }
        } catch let error as ExpressionError {
            failure = error.reason
        }
        return RuleVerdict(
            rule: rule.name,
            broken: counts[.yes] ?? 0,
            first: first,
            held: counts[.no] ?? 0,
            unknown: counts[.unknown] ?? 0,
            failure: failure
        )
    }
}
