import HindsightSQLite

/// What an expression and a query may use of SQLite: that which reads, and is documented.
enum AllowedSQL {
    /// Tables that are functions.
    static let tableFunctions: Set<String> = ["json_each", "json_tree"]

    static let functions: Set<String> = [
        // Scalars.
        "abs", "char", "coalesce", "format", "glob", "hex", "ifnull", "iif", "instr", "length", "like", "likelihood",
        "likely", "lower", "ltrim", "max", "min", "nullif", "printf", "quote", "replace", "round", "rtrim", "sign",
        "soundex", "substr", "substring", "trim", "typeof", "unicode", "unlikely", "upper", "zeroblob", "concat",
        "concat_ws", "octet_length", "unhex", "unistr", "string_agg", "if",
        // JSON.
        "->", "->>", "json", "json_array", "json_array_length", "json_error_position", "json_extract", "json_insert",
        "json_object", "json_patch", "json_pretty", "json_quote", "json_remove", "json_replace", "json_set",
        "json_type", "json_valid", "json_group_array", "json_group_object",
        // Aggregates and windows.
        "avg", "count", "group_concat", "sum", "total", "cume_dist", "dense_rank", "first_value", "lag", "last_value",
        "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number", "median", "percentile",
        // Dates.
        "date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch",
        // Mathematics.
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp",
        "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan",
        "tanh", "trunc",
        // Ours.
        "value", "old", "changed", "position",
    ]

    /// Whether a table shows the database itself, or is one of a recording's own. Other names of which no column is read are those of a `WITH`.
    static func isSystem(_ table: String) -> Bool {
        let table = table.lowercased()
        return table.hasPrefix("sqlite") || table.hasPrefix("pragma")
            || [
                "dbstat", "bytecode", "tables_used", "json_each", "json_tree", "action", "name", "note", "reducer",
                "recording", "keyframe", "run", "read_me",
            ].contains(table)
    }

    static func isAllowedInExpression(_ use: SQLUse) -> Bool {
        switch use {
        case .select, .recursion: true
        case .read(let table, let column, _, _):
            table == "@one" || tableFunctions.contains(table.lowercased()) || column.isEmpty && !isSystem(table)
        case .function(let name): functions.contains(name) || name.hasPrefix("@")
        case .other: false
        }
    }

    /// The tables of a recording that the documented views read.
    private static let baseTables: Set<String> = ["action", "name", "note", "reducer"]

    /// - Parameters:
    ///   - views: The names of the documented views, in the schema `temp`.
    ///   - sources: The names of the views that these read, there too. No query knows them.
    static func isAllowedInQuery(_ use: SQLUse, views: Set<String>, sources: Set<String>) -> Bool {
        switch use {
        case .select, .recursion: true
        case .read(let table, let column, let schema, let view):
            // SQLite gives the name of a WITH as that of a view.
            schema == "main" && view.map { sources.contains($0) } ?? false && baseTables.contains(table)
                || schema == "temp" && (views.contains(table) || sources.contains(table))
                || tableFunctions.contains(table.lowercased())
                // Of a table, this says only how many rows it has. SQLite asks so for a view of which it needs no more.
                || column.isEmpty && (!isSystem(table) || schema == "main" && baseTables.contains(table))
        case .function(let name): functions.contains(name) || name == "@typed"
        case .other: false
        }
    }
}
