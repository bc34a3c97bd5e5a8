import HindsightSupport
import HindsightTree

/// A condition on the state and the action at a position of a recording, in SQLite's language: what may stand after
/// `WHERE`.
///
/// ```swift
/// let expression = try RecordingExpression("/cart/total = 0 and type = 'ApplyCoupon'")
/// print(try ExpressionEvaluator(of: recording, where: expression).truth(at: recording.end))
/// ```
///
/// ## The state
///
/// | in an expression | is |
/// |---|---|
/// | `/cart/total` | the value there after the action: short for `value('/cart/total')`. NULL if there is none |
/// | `old(/cart/total)` | the value before the action |
/// | `changed(/cart)` | whether the two differ: 1 or 0 |
///
/// A pointer may stand where a value may. After a value, a slash divides: `/a / 2` is half of `/a`, and `/a/2` is the
/// place `2` in `/a`. A pointer ends at the first character that is no letter, digit, `_ ~ . $ @ :`, `/` or, before one of
/// these, `-`: write `/a - 1` with spaces to subtract. `value('/any text')` takes the others.
///
/// ## The action
///
/// | column | is |
/// |---|---|
/// | `type` | the action's short name; `@travel` for time travel |
/// | `payload` | the action as JSON text: `payload ->> '$.ApplyCoupon.code'` |
/// | `reducer` | the name of the reducer. NULL after a whole action |
/// | `duration` | nanoseconds: of the reducer, or of the whole action |
/// | `origin` | where the action was dispatched: `CheckoutView.swift:88` |
/// | `position` | `412` or `412.3` |
/// | `seq` | the action's number |
/// | `at` | when the action reached the reducers, in nanoseconds since 1970 |
/// | `thread` | the number of the thread that dispatched the action: 1 is the main thread. NULL if it is not known |
/// | `task` | the name of the task that dispatched it. NULL if it has none |
///
/// At the start, all but `position` and `seq` are NULL.
///
/// In a subquery over `json_each(/items)`, `type`, `value` and `key` are its columns, as SQL has it.
///
/// ## Values
///
/// Strings are TEXT, truth values 1 and 0, `null` and absent values NULL, data BLOB, and arrays and objects JSON text. A
/// number is an INTEGER if it is one of 64 bits, a REAL if that loses no digit, and otherwise TEXT with all digits. `=`,
/// `<>`, `<`, `<=`, `>` and `>=` compare pointers, `value(…)`, `old(…)`, numbers and texts exactly, whatever their size:
/// `/total = 18446744073709551615` and `/price < 0.1000000000000000000001` are right. Everything else, such as `+`,
/// `BETWEEN`, `IN`, `IS` and operands in parentheses, uses SQLite's arithmetic, and fails for a number that SQLite would
/// round. `cast(/total as real)` rounds it.
///
/// ## Redacted values
///
/// The result is not known if the expression reads a redacted value, a value with redacted ones in it, or the `payload` of
/// an action with redacted values. `payload ->> '$.add.tags[0]'` and `json_extract(payload, '$.add')` read only that place,
/// if its names are letters, digits and `_`, and the expression has no subquery. `/a is null`, `json_array_length(/a)`, `json_type(/a)`, `json_each(/a)` and
/// `json_tree(/a)` may have redacted values in `/a`, and the last two give their placeholders. `changed(/a)` does not see
/// changes of redacted values in `/a`.
///
/// Only what reads is available: SQLite's functions for texts, numbers, dates and JSON, aggregates in subqueries,
/// `json_each` and `json_tree`. An evaluation that takes longer than five seconds fails.
///
/// ## Rules
///
/// `rule('the total is not negative')` is the expression with that name in a ``RuleBook``.
package struct RecordingExpression: Sendable {
    /// The result of an evaluation.
    package enum Truth: String, Sendable, Hashable {
        /// The expression is true.
        case yes
        /// The expression is false.
        case no
        /// The expression is NULL, which counts as false: a value that it needs does not exist.
        case null
        /// The expression reads a state, or what a reducer did, that was not recorded, or a redacted value.
        case unknown
    }

    /// How far apart the positions are at which an expression is evaluated.
    package enum Granularity: String, Sendable, Hashable, CaseIterable {
        /// The start, and after each action.
        case action
        /// The start, and after each reducer. Time travel, and an action whose changes were not recorded, count as one.
        case reducer
    }

    /// The expression as it was given.
    package let text: String
    /// The file with the rules that it names; `nil` if it names none.
    package let ruleFile: String?
    /// The paths that it names.
    package let paths: [NodePath]
    /// The columns that it may read.
    let columns: Set<ExpressionColumn>
    /// Whether it compares with the state before: it names `old` or `changed`. What that is depends on the granularity.
    package let readsOldState: Bool
    let translation: ExpressionTranslation
    /// What it gives.
    let form: ExpressionForm

    /// Compiles an expression. Costs about 0.2 ms.
    ///
    /// - Parameter rules: The rules that it may name: `rule('the total is not negative')`.
    /// - Throws: An ``ExpressionError`` that says where the mistake is.
    package init(_ text: String, rules: RuleBook = RuleBook()) throws(ExpressionError) {
        self.text = text
        let expanded = try rules.expanded(text)
        ruleFile = expanded == text ? nil : rules.file
        let translation = try ExpressionTranslation(expanded)
        self.translation = translation
        paths = translation.paths
        form = ExpressionForm(translation.tokens)
        columns = Set(ExpressionColumn.allCases.filter { translation.names($0.rawValue) })
        readsOldState = translation.names("old") || translation.names("changed")
        _ = try ExpressionProgram(translation)
    }

    /// A text as an expression has it, in quotes.
    package static func literal(_ text: String) -> String { "'\(text.replacingScalars("'", with: "''"))'" }

    /// The columns that an expression may read.
    package static var columnNames: [String] { ExpressionColumn.allCases.map(\.rawValue) }

    /// Whether it may read a state.
    package var mayReadState: Bool { !paths.isEmpty || translation.names("value") || readsOldState }

    /// Whether it says if something holds, as `/total < 0` does. Otherwise, it is a value, such as `/total / 2`.
    package var isCondition: Bool { form == .condition }

    /// Whether its result may be another at each position although the state is the same: it reads the action, or compares
    /// with the state before.
    package var readsStep: Bool {
        readsOldState || !columns.isDisjoint(with: [.type, .payload, .reducer, .duration, .origin, .thread, .task])
    }

    /// Whether it reads a column that is NULL at the start, to which no action leads.
    package var readsAction: Bool { !columns.subtracting([.position, .seq]).isEmpty }

    /// Whether `||`, which joins two texts in SQLite, stands between conditions: `OR` combines these.
    package var joinsConditionsAsTexts: Bool {
        translation.tokens[...].conditions().contains { condition, _ in
            let pieces = condition.pieces(between: condition.outerIndices { $0.isSymbol("||") })
            return pieces.count > 1 && pieces.allSatisfy { ExpressionForm(Array($0)) == .condition }
        }
    }

    /// The granularity that fits the expression: by reducer if it names the column `reducer`.
    package var granularity: Granularity { columns.contains(.reducer) ? .reducer : .action }
}
