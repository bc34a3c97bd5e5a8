#if Archive
    import HindsightArchive
    import HindsightQuery
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive sql URL SELECT`
    enum ArchiveSQLCommand: Command {
        static let statement = Positional("SELECT", help: "One statement, in quotes: 'SELECT * FROM recordings'.")

        static let syntax = Syntax(
            "archive sql",
            abstract: "Asks an archive in PostgreSQL's SQL, read-only",
            discussion: """
                  recordings    a row a recording: id app app_version schema_version device platform started ended ending
                                crash_seq crash_type crash_reducer crash_path crash_message signal reducers actions dropped
                                notes bytes stored_bytes complete pushed hash crash_phase crash_frames root
                  action_types  a row an action type of a recording: id app started type count total_ns longest_ns
                  notes         a row a note: id app started number seq reducer name text at_ns
                  crashes       a row a crash group and version: app type reducer path app_version count devices first_seen
                                last_seen example message phase
                  divergences   a row a kind of difference in a recording: run build id app app_version started type reducer
                                path cause count seq
                  results       a row a job of verify and find: run kind build question id app app_version started state
                                verdict attempts worker lease_until finished result
                  removed       a row a recording that was removed, and is not taken again: id app reason at by

                These views are in the schema hindsight, have comments, and stay, for Grafana, Metabase and psql too. The
                tables below them may change. Join them by started and id: the time says which month to read. The
                statement runs in a read-only transaction, and the server ends it after --timeout.

                \(ArchiveArguments.discussion)
                """,
            isPaged: true,
            arguments: [ArchiveArguments.url, statement, SQLCommand.csv, ArchiveArguments.timeout],
            examples: [
                "archive sql postgres://db/fleet 'SELECT app_version, count(*) FROM recordings GROUP BY 1'":
                    "How many recordings each version has.",
                """
                archive sql postgres://db/fleet 'SELECT type, sum(count), max(longest_ns) FROM action_types \
                GROUP BY 1 ORDER BY 3 DESC LIMIT 10' --csv
                """: "The slowest actions of the fleet, for a spreadsheet.",
            ],
            jsonShape:
                "a line a row, an object with the names of the columns; every value is a text, a number, a boolean or null"
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let printer = try RowPrinter<ArchiveCell>(arguments, csv: SQLCommand.csv, tool)
            let text = try arguments.require(statement)
            let word = text.drop { $0.isWhitespace || $0 == "(" }.prefix { $0.isLetter }.uppercased()
            guard ["SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "SHOW"].contains(word) else {
                throw Failure(
                    .usage,
                    "The statement does not begin with SELECT, WITH, VALUES, TABLE, EXPLAIN or SHOW.",
                    "archive sql only reads. Use psql for other statements."
                )
            }
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: true)
            let seconds = try arguments[ArchiveArguments.timeout] ?? 30
            try connection.readOnly(milliseconds: Int(seconds * 1000), text, begin: printer.begin) { row in
                try tool.console.checkIsOpen()
                try printer.print(row)
            }
            try printer.finish()
            return .fine
        }
    }

    extension ArchiveCell: RowValue {
        var isNumber: Bool {
            switch self {
            case .null, .number: true
            default: false
            }
        }

        var cell: String {
            switch self {
            case .null: ""
            case .boolean(let value): value ? "true" : "false"
            case .number(let text), .json(let text), .text(let text): text
            }
        }

        var node: Node {
            switch self {
            case .null: .null
            case .boolean(let value): .bool(value)
            case .number(let text): .number(text)
            // The server has checked it. What Node does not take, such as great depth, stays text.
            case .json(let text): (try? Node(json: text)) ?? .string(text)
            case .text(let text): .string(text)
            }
        }

        func field(_ shown: (String) -> String) -> String { CSVText.quoted(shown(cell)) }
    }
#endif
