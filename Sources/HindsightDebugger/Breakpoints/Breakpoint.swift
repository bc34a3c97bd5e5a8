import HindsightQuery
import HindsightTree

/// A rule that says where a debugger stops.
package struct Breakpoint: Sendable, Identifiable {
    /// What it looks for.
    package enum Kind: Sendable {
        /// The actions of a type: `applyCoupon`, or `market.quotes` for those inside `market`. Stops after them.
        case action(type: String)
        /// A reducer, where it changes something. Stops after it.
        case reducer(String)
        /// The positions at which an expression becomes true. If the expression reads the action, `old` or `changed`,
        /// those at which it is true.
        case expression(RecordingExpression)
        /// The steps that change the value at a path. Stops after them.
        case change(of: NodePath)
        /// The positions at which a condition becomes true, or stops being true, or at which the value of another
        /// expression changes.
        case turn(of: RecordingExpression)
        /// A position.
        case position(Recording.Position)
        /// The action that never finished. Stops before its first reducer.
        case crash
        /// The positions at which today's reducers do something else than was recorded: ``Debugger/divergences``.
        case divergence
    }

    /// The number by which commands name it, from 1.
    package let id: Int
    /// What it looks for.
    package private(set) var kind: Kind
    /// What must be true, too, where it stops. Evaluated after the reducer where it stops after one.
    package private(set) var condition: RecordingExpression?
    /// Whether it stops anything now.
    package var isEnabled = true
    /// Whether it is removed once it has stopped the debugger.
    package let isTemporary: Bool
    /// How often it has stopped the debugger, or would have, if its hits were not to be ignored.
    package internal(set) var hitCount = 0
    /// How many of its next hits do not stop the debugger.
    package internal(set) var ignoreCount = 0

    /// Compiles what it evaluates again, by other rules.
    mutating func compile(by rules: RuleBook) throws(ExpressionError) {
        func compiled(_ expression: RecordingExpression) throws(ExpressionError) -> RecordingExpression {
            try RecordingExpression(expression.text, rules: rules)
        }
        let condition: RecordingExpression? = if let condition { try compiled(condition) } else { nil }
        switch kind {
        case .expression(let expression): kind = .expression(try compiled(expression))
        case .turn(let expression): kind = .turn(of: try compiled(expression))
        case .change, .action, .reducer, .position, .crash, .divergence: break
        }
        self.condition = condition
    }

    /// What it evaluates.
    var expressions: [RecordingExpression] {
        switch kind {
        case .expression(let expression), .turn(let expression): [condition, expression].compactMap { $0 }
        case .change, .action, .reducer, .position, .crash, .divergence: [condition].compactMap { $0 }
        }
    }

    /// The breakpoint as the terminal's command: `watch /cart/total if /cart/total < 0`.
    package var text: String {
        let word = isTemporary ? "tbreak" : "break"
        let rule =
            switch kind {
            case .action(let type): "\(word) \(type)"
            case .reducer(let name): "\(word) reducer \(name)"
            case .expression(let expression): "\(word) \(expression.text)"
            case .change(let path): path.isRoot ? "watch ''" : "watch \(path)"
            case .turn(let expression): "watch \(expression.text)"
            case .position(let position): "\(word) \(position)"
            case .crash: "\(word) crash"
            case .divergence: "\(word) divergence"
            }
        return condition.map { "\(rule) if \($0.text)" } ?? rule
    }
}

/// The way in which a debugger runs.
package enum DebuggerDirection: String, Sendable, Hashable, CaseIterable {
    case forward, backward
}
