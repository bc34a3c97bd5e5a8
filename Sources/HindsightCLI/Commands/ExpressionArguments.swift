import HindsightQuery

/// Arguments of the commands that take an expression.
enum ExpressionArguments {
    static let by = Option<RecordingExpression.Granularity>(
        "by",
        help: "Look after each action, or after each reducer, as an expression with the column reducer does."
    )

    static let rules = Option<String>(
        "rules",
        text: "RULES.json",
        help: "The rules that an expression may name, as invariants writes them: \"not rule('…')\"."
    )

    /// The rules that an expression may name.
    static func rules(_ arguments: Arguments) throws -> RuleBook {
        try arguments[rules].map { try RuleBook(contentsOf: $0) } ?? RuleBook()
    }

    static let discussion = """
        EXPR is what may stand after WHERE in SQLite: "/cart/total = 0 and type = 'ApplyCoupon'". A path such as
        /cart/total is the value there, old(/cart/total) the one before, and changed(/cart) says whether they differ.
        The columns are type, payload, reducer, duration (ns), origin, position, seq, at (ns since 1970), thread (its
        number: 1 is the main thread) and task (the task's name):
        payload ->> '$.ApplyCoupon.code' = 'HALF', or exists (select 1 from json_each(/items) where value ->> 'price' > 9).
        After a value, a slash divides: /a / 2. Put spaces around - too, as a name may have one: /a - 1. For names with
        other characters: value('/a b'). = <> < <= > >= compare a value directly with a number, a text or a value exactly,
        whatever their size. All else, such as BETWEEN, IN and operands in parentheses, uses SQLite's arithmetic, and fails
        for a number that no 64-bit INTEGER or REAL holds exactly; cast(/total as real) rounds it.
        """
}
