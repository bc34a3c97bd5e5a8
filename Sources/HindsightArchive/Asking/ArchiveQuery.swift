#if Archive
    import HindsightTree

    /// A value of an answer, for printing.
    package enum ArchiveCell: Sendable {
        case null
        case boolean(Bool)
        /// A number with all its digits, as the server prints it.
        case number(String)
        case json(String)
        case text(String)
    }

    extension ArchiveRow {
        /// The value of a column of an answer as text.
        func cell(_ column: Int) -> ArchiveCell {
            if isNull(column) { return .null }
            let text = text(column)
            switch type(column) {
            case TypeNumber.boolean: return .boolean(text == "t")
            case 20, 21, 23, 26, 700, 701, 1700: return Double(text)?.isFinite == true ? .number(text) : .text(text)
            case 114, TypeNumber.jsonb: return .json(text)
            default: return .text(text)
            }
        }
    }

    extension ArchiveConnection {
        /// Passes on the rows of a statement as answers, whose members are its columns.
        func each<Value: Decodable>(
            _ type: Value.Type,
            _ sql: String,
            _ parameters: [ArchiveValue] = [],
            _ body: (Value) throws -> Void
        ) throws {
            try each("SELECT row_to_json(answer)::text FROM (\(sql)) AS answer", parameters) { row in
                try body(NodeDecoder().decode(type, from: Node(json: row.text(0))))
            }
        }

        /// The rows of a statement as answers.
        func all<Value: Decodable>(_ sql: String, _ parameters: [ArchiveValue] = []) throws -> [Value] {
            var found: [Value] = []
            try each(Value.self, sql, parameters) { found.append($0) }
            return found
        }

        /// A time in SQL as text: `2026-11-20T15:35:34.123Z`.
        static func text(ofTime time: String) -> String {
            #"to_char(\#(time), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#
        }

        /// Runs a user's statement in a read-only transaction, in which the archive's views need no schema.
        ///
        /// - Parameters:
        ///   - milliseconds: The time after which the server ends the statement.
        ///   - begin: Called before the first row, and if there is none, with the names of the columns.
        ///   - body: Called for each row.
        package func readOnly(
            milliseconds: Int,
            _ statement: String,
            begin: (_ columns: [String]) throws -> Void,
            _ body: (_ row: [ArchiveCell]) throws -> Void
        ) throws {
            let usual = timeout
            defer { timeout = usual }
            // A setting of the statement's own must not reach others through a pooler.
            try transaction(keeps: false) {
                try run("SET TRANSACTION READ ONLY")
                try run(
                    """
                    SELECT set_config('statement_timeout', $1::text, true),
                        set_config('search_path', 'hindsight, pg_catalog, pg_temp', true)
                    """,
                    [.text("\(milliseconds)")]
                )
                timeout = .milliseconds(milliseconds + 5000)
                try each(statement, isBinary: false, begin: begin) { row in try body((0..<row.count).map(row.cell)) }
            }
        }
    }
#endif
