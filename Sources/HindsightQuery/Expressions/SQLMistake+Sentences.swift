extension SQLMistake {
    private static let manyRows = "% cannot stand here, because it is a value of many rows."
    private static let listAdvice =
        "Select one value, or compare a list with a list of the same length: (1, 2) = (1, 2)"
    private static let pathAdvice = "A path in JSON begins with $, as in '$.add.title' or '$.tags[0]'."
    private static let nestedAdvice = "Write IN (…) in place of many OR, or split it."

    /// SQLite's messages: how each begins and ends, what it means as a sentence, and what to do. A % stands for what is
    /// between the two ends.
    private static let meanings: [(start: String, end: String, reason: String, advice: String?)] = [
        ("near \"", "\": syntax error", "% cannot stand here.", nil),
        ("unrecognized token: \"", "\"", "% is no name, number or text.", nil),
        (
            "ambiguous column name: ", "", "Several of the views have a column %.",
            "Write the view before it, as in history.%."
        ),
        ("wrong number of arguments to function ", "", "% takes another number of arguments.", nil),
        ("misuse of aggregate: ", "", manyRows, "Put it into a SELECT, or after HAVING."),
        ("misuse of aggregate function ", "", manyRows, "Put it into a SELECT, or after HAVING."),
        ("misuse of window function ", "", manyRows, "Put it into the columns of a SELECT."),
        ("aggregate functions are not allowed in ", "", "A value of many rows cannot stand in %.", nil),
        ("row value misused", "", "A list in parentheses is not one value.", listAdvice),
        ("sub-select returns ", " columns - expected 1", "This SELECT has % columns, and one is needed.", listAdvice),
        ("sub-select returns ", "", "A SELECT has another number of columns than is needed: %.", listAdvice),
        ("IN(...) element has ", "", "An element of IN has another number of values: %.", listAdvice),
        ("all VALUES must have the same number of terms", "", "The rows of VALUES differ in length.", nil),
        (
            "SELECTs to the left and right of ", " do not have the same number of result columns",
            "The SELECTs beside % have different numbers of columns.", "Fill the shorter one with NULL."
        ),
        (
            "ORDER BY clause should come after ", " not before", "ORDER BY stands before %.",
            "Write it once, after the last SELECT."
        ),
        (
            "LIMIT clause should come after ", " not before", "LIMIT stands before %.",
            "Write it once, after the last SELECT."
        ),
        (
            "no tables specified", "", "* stands for the columns of a view, and there is no FROM.",
            "SELECT * FROM history"
        ),
        ("HAVING clause on a non-aggregate query", "", "HAVING needs GROUP BY, or count(*).", "Write WHERE."),
        ("no such collation sequence: ", "", "There is no collation %.", "There are: binary, nocase, rtrim."),
        ("no such window: ", "", "There is no window %.", "Define it: … WINDOW % AS (ORDER BY seq)"),
        ("no such index: ", "", "There is no index %.", "The views have none: leave INDEXED BY out."),
        ("circular reference: ", "", "% refers to itself.", "Begin with a SELECT that does not: … UNION ALL …"),
        ("RAISE() may only be used within a trigger-program", "", "raise() is for triggers only.", "Leave it out."),
        (
            "ESCAPE expression must be a single character", "", "ESCAPE takes one character.",
            "As in: like 'a!_b' escape '!'"
        ),
        (
            "LIKE or GLOB pattern too complex", "", "The pattern of LIKE or GLOB is longer than 1,000 bytes.",
            "Look for a text with instr(…) > 0."
        ),
        (
            "malformed JSON", "", "A text that it reads as JSON is not JSON.",
            "json_valid(…) says whether a text is. If it reads only what was recorded, the recording is damaged: "
                + "`hindsight doctor FILE` says where."
        ),
        ("JSON path error near '", "'", "The path in JSON is wrong at %.", pathAdvice),
        ("bad JSON path: ", "", "% is no path in JSON.", pathAdvice),
        ("JSON cannot hold BLOB values", "", "JSON has no data.", "hex(…) makes a text of data."),
        (
            "json_object() requires an even number of arguments", "", "json_object() takes names and values.",
            "json_object('a', 1)"
        ),
        ("json_object() labels must be TEXT", "", "A name in json_object() is not a text.", "json_object('a', 1)"),
        (
            "integer overflow", "", "A sum or an absolute value does not fit an INTEGER of 64 bits.",
            "For a rounded one: total(…), or abs(cast(… as real))"
        ),
        ("hex literal too big: ", "", "% does not fit an INTEGER of 64 bits.", nil),
        ("datatype mismatch", "", "What stands after LIMIT or OFFSET is not a whole number.", "LIMIT 10"),
        ("parser stack overflow", "", "It is nested too deeply.", nestedAdvice),
        ("Expression tree is too large (maximum depth ", ")", "It is nested more than % deep.", nestedAdvice),
        ("too many terms in compound SELECT", "", "It joins more than 10 SELECTs.", "Split it."),
        (
            "cannot join using column ", " - column not present in both tables", "Only one view has a column %.",
            "Write ON …"
        ),
        ("too many arguments on ", "", "Too many arguments: %.", nil),
        (
            "", " may not be used as a window function", "% takes no OVER, because it is a value of one row.",
            "Leave OVER out."
        ),
        (
            "FILTER may not be used with non-aggregate ", "", "% takes no FILTER, because it is a value of one row.",
            "Leave FILTER out."
        ),
        (
            "DISTINCT aggregates must have exactly one argument", "", "With DISTINCT, it takes one argument.",
            "Group the rows in a SELECT of its own."
        ),
    ]

    /// SQLite's message as a sentence, and what to do.
    static func sentence(_ message: String) -> (reason: String, suggestion: String?) {
        for (start, end, reason, advice) in meanings
        where message.hasPrefix(start) && message.hasSuffix(end)
            && message.utf8.count >= start.utf8.count + end.utf8.count
        {
            let between = message.dropFirst(start.count).dropLast(end.count)
            return (reason.replacing("%", with: between), advice?.replacing("%", with: between))
        }
        return (
            "SQLite cannot run it, and says: \(message).",
            "https://www.sqlite.org/lang_select.html describes what a SELECT may have."
        )
    }
}
