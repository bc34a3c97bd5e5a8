import HindsightSQLite

/// Says SQLite's failures in the words of the one who wrote the SQL.
enum SQLMistake {
    /// - Parameters:
    ///   - tokens: The tokens of `text`.
    ///   - offset: Where the mistake is in `text`, if SQLite knows.
    ///   - isQuery: Whether `text` is a query over the views, and no expression.
    ///   - use: What was refused, if something was.
    static func error(
        _ failure: SQLiteError,
        in text: String,
        _ tokens: [ExpressionToken],
        at offset: Int?,
        isQuery: Bool = false,
        refusing use: SQLUse? = nil
    ) -> ExpressionError {
        // The names that may stand there.
        let columns = isQuery ? QueryViews.columns : RecordingExpression.columnNames
        let tables = (isQuery ? QueryViews.names.sorted() : []) + AllowedSQL.tableFunctions.sorted()
        let message = failure.message
        func rest(_ prefix: String) -> String? {
            message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : nil
        }
        func unknown(_ name: String, _ noun: String, _ names: [String]) -> ExpressionError {
            // Older versions of SQLite lack some functions, and each view has only some of the columns.
            let allowed = names.filter { $0 != name }
            let missing =
                allowed.count == names.count ? "" : noun == "function" ? " in this version of SQLite" : " here"
            let place = offset ?? self.offset(of: name, in: text)
            let isQuoted = place.map { text.utf8.dropFirst($0).first == UInt8(ascii: "\"") } ?? false
            return ExpressionError(
                .unknownName,
                in: text,
                at: place,
                "There is no \(noun) \(name)\(missing).",
                suggestion: isQuoted ? "A text stands in single quotes: '\(name)'." : nil,
                given: name,
                allowed: allowed
            )
        }
        func refused(_ name: String, _ reason: String, _ allowed: [String] = []) -> ExpressionError {
            ExpressionError(
                .refused,
                in: text,
                at: offset ?? self.offset(of: name, in: text),
                reason,
                given: name,
                allowed: allowed
            )
        }
        /// Of a refused table and the view that reads it, the one that the text names.
        func refusedTable(_ names: [String]) -> ExpressionError {
            let name = names.first { name in
                tokens.contains { $0.isName(name.lowercased()) || $0.kind == .string && $0.stringContents == name }
            }
            guard let name else { return refused("", "It reads a table that is not available here.", tables) }
            return refused(name, "The table \(name) is not available here.", tables)
        }
        let refusedTables =
            if case .read(let table, _, _, let view)? = use { [table] + (view.map { [$0] } ?? []) } else { [String]() }
        if let name = rest("no such column: ") { return unknown(name, "column", columns) }
        if let name = rest("no such function: ") { return unknown(name, "function", AllowedSQL.functions.sorted()) }
        if let name = rest("no such table: ") { return unknown(name, "table", tables) }
        if let name = rest("not authorized to use function: ") {
            return refused(name, "The function \(name) is not available here.")
        }
        if message.hasSuffix(" is prohibited"), let access = rest("access to ") {
            let name = access.dropLast(" is prohibited".count).split(separator: ".").first.map { String($0) } ?? ""
            return refusedTable([name] + refusedTables)
        }
        if rest("cannot modify ") != nil || failure.code == .denied && refusedTables.isEmpty {
            return ExpressionError(.refused, in: text, at: offset, "Only reading is possible here.")
        }
        switch failure.code {
        case .denied:
            return refusedTable(refusedTables)
        case .interrupted:
            return tookTooLong(text)
        case .tooBig, .noMemory:
            return ExpressionError(.failed, in: text, "A value in it is too large.")
        default:
            let isIncomplete = message == "incomplete input" || offset == text.utf8.count && rest("near ") != nil
            if isIncomplete {
                return ExpressionError(
                    .syntax,
                    in: text,
                    at: text.utf8.count,
                    "It ends too early: something is missing."
                )
            }
            let place = offset.flatMap { offset in tokens.lastIndex { $0.offset <= offset } }
            if let place, let error = callMistake(message, in: text, tokens, at: place) { return error }
            let (reason, suggestion) = sentence(named(message, at: offset, in: tokens))
            return ExpressionError(
                offset == nil ? .failed : .syntax,
                in: text,
                at: offset,
                reason,
                suggestion: suggestion
            )
        }
    }

    /// The mistake in a path or in a call of a function that takes one, whose translation SQLite has seen; `nil` if
    /// there is none.
    private static func callMistake(
        _ message: String,
        in text: String,
        _ tokens: [ExpressionToken],
        at place: Int
    ) -> ExpressionError? {
        let token = tokens[place]
        func error(_ reason: String, _ suggestion: String) -> ExpressionError {
            ExpressionError(.syntax, in: text, at: token.offset, reason, suggestion: suggestion)
        }
        if message == "ambiguous column name: position", token.kind == .pointer || token.takesPath {
            let name = token.kind == .pointer ? "value" : token.lowercased
            let path = token.kind == .pointer ? token : tokens.token(place + 2) ?? token
            let quoted = path.kind == .pointer ? "'\(path.text)'" : path.text
            return error(
                "A path is the value at the position of a row, and several of the views have one.",
                "Say which: \(name)(history.position, \(quoted)), with the name or alias of the view before the point."
            )
        }
        guard message.hasPrefix("wrong number of arguments to function "), token.takesPath else { return nil }
        return error(
            "\(token.text)() takes another number of arguments.",
            "Write \(tokens.flattenedCall ?? "\(token.text)(/cart/total)")"
        )
    }

    /// The message with the token that was written, since a path becomes a call: SQLite stumbles over a part of it.
    private static func named(_ message: String, at offset: Int?, in tokens: [ExpressionToken]) -> String {
        guard message.hasPrefix("near \""), message.hasSuffix("\": syntax error"), let offset,
            let token = tokens.last(where: { $0.offset <= offset })
        else { return message }
        return "near \"\(token.text)\": syntax error"
    }

    static func tookTooLong(_ text: String) -> ExpressionError {
        ExpressionError(.failed, in: text, "It took too long, and was stopped.")
    }

    /// Where a name stands; `nil` if it does not.
    private static func offset(of name: String, in text: String) -> Int? {
        var text = text.lowercased()
        return text.withUTF8 { ByteNeedle(Array(name.lowercased().utf8)).firstOffset(in: $0) }
    }
}
