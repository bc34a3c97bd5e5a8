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
        let tokens = all[...].withoutParentheses
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
            self = tokens.isCondition ? .condition : .value
        }
    }

    /// The form of a call of `value`, `old` or `changed` that is the whole expression; `nil` if it is none.
    private static func call(_ tokens: ArraySlice<ExpressionToken>) -> ExpressionForm? {
        guard let name = tokens.first, let arguments = tokens.dropFirst().insideParentheses else { return nil }
        if name.isWord(["changed"]) { return .condition }
        guard name.isWord(["value", "old"]), arguments.count == 1, let argument = arguments.first,
            argument.kind == .pointer || argument.kind == .string,
            let path = NodePath(argument.kind == .string ? argument.stringContents : argument.text)
        else { return nil }
        return .state(path, isOld: name.isWord(["old"]))
    }
}
