import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight sql FILE SELECT`
enum SQLCommand: Command {
    static let statement = Positional("SELECT", help: "One statement, in quotes: 'SELECT * FROM actions'.")
    static let csv = Flag("csv", help: "Print comma-separated values, with a first line of names.")
    static let timeout = Option<Double>(
        "timeout",
        value: "SECONDS",
        expected: "a number of seconds above 0",
        help: "Stop after this time; by default after 60 s."
    ) { text in
        Double(text).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
    }

    static let syntax = Syntax(
        "sql",
        abstract: "Asks a recording in SQL: views of its actions, steps and changes, read-only",
        discussion: """
              actions   position seq parent type payload at (ns since 1970) time (UTC) duration (ns) origin problem
                        thread (1: the main thread; NULL if it is not known) task (its name)
              steps     position seq reducer (its number) name duration changes (how many): a row a reducer of an action
              changes   position seq reducer name op path at (index or offset) old new (JSON): a row an operation
              reducers  reducer name
              notes     position seq reducer name text

            value(position, '/path') is the value there, as in find; NULL if there is none, or if the state was not
            recorded. position(seq, reducer) is a position, by a reducer's number or name. Every command takes what a
            row calls position; it is a text such as '3.2', so compare seq with numbers. A text stands in 'single
            quotes'. Only SQLite's functions that read are there.
            """,
        isPaged: true,
        arguments: [
            SharedArguments.file.declaration, statement.declaration, csv.declaration, timeout.declaration,
        ],
        examples: [
            Syntax.Example(
                arguments: "sql s.hindsight 'SELECT type, count(*) FROM actions GROUP BY type ORDER BY 2 DESC'",
                help: "How often each action was dispatched."
            ),
            Syntax.Example(
                arguments:
                    "sql s.hindsight 'SELECT position, name, duration FROM steps ORDER BY duration DESC LIMIT 5'",
                help: "The five slowest steps."
            ),
            Syntax.Example(
                arguments: "sql s.hindsight \"SELECT position, value(position, '/cart/total') FROM actions\" --csv",
                help: "A value over time, for a spreadsheet."
            ),
        ],
        jsonShape: "a line a row, an object with the names of the columns; data as {\"$data\": base64}"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let isJSON = arguments[GlobalOptions.json]
        if isJSON, arguments[csv] { throw UsageError(syntax.name, .conflict("--json", "--csv")) }
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let query = try RecordingQuery(
            try arguments.require(statement),
            of: recording,
            longest: .seconds(try arguments[timeout] ?? 60)
        )
        if isJSON {
            let names = uniqueNames(query.columns)
            while tool.console.isOpen, let row = try query.next() {
                let members = zip(names, row).map { Node.Member($0, node(of: $1)) }
                tool.console.print(printable(.object(members)))
            }
        } else if arguments[csv] {
            let isTerminal = tool.console.terminal.isOutputTerminal
            func line(_ fields: [String]) -> String {
                fields.map { field(isTerminal ? escape($0) : $0) }.joined(separator: ",")
            }
            tool.console.printExactly(line(query.columns))
            while tool.console.isOpen, let row = try query.next() {
                tool.console.printExactly(line(row.map(text)))
            }
        } else {
            try printTable(query, tool)
        }
        if query.unknownCount > 0 {
            tool.console.note(
                "value() is NULL \(Quantities.counted(query.unknownCount, "time")) because the state was not recorded."
            )
        }
        if query.journalOnlyCount > 0 {
            let count = Quantities.counted(query.journalOnlyCount, "action")
            let command = "\(tool.name) recover \(tool.quoted(recording))"
            tool.console.note("The last \(count) are only in the journal, and in no view. To add them: \(command)")
        }
        return .fine
    }

    // MARK: Table

    /// The rows that decide the widths of the columns.
    private static let measured = 200
    private static let widest = 60

    private static func printTable(_ query: RecordingQuery, _ tool: Tool) throws {
        let isLimited = tool.console.terminal.isLimited
        func cells(_ row: [RecordingQuery.Value]) -> [String] {
            row.map { value in
                let text = escape(self.text(value))
                return isLimited ? text.clipped(to: widest) : text
            }
        }
        var rows: [[RecordingQuery.Value]] = []
        while rows.count < measured, let row = try query.next() { rows.append(row) }
        let names = query.columns.map { escape($0) }
        let isNumber = names.indices.map { index in
            rows.allSatisfy { row in
                switch row[index] {
                case .integer, .real, .null: true
                case .text, .blob: false
                }
            }
        }
        var widths = names.map(\.columns)
        for row in rows {
            for (index, cell) in cells(row).enumerated() { widths[index] = max(widths[index], cell.columns) }
        }
        func line(_ cells: [String]) -> String {
            var line = ""
            for (index, cell) in cells.enumerated() {
                if index > 0 { line += "  " }
                let isLast = index == cells.count - 1
                line +=
                    isNumber[index]
                    ? cell.alignedRight(to: widths[index]) : isLast ? cell : cell.padded(to: widths[index])
            }
            return line
        }
        tool.console.print(tool.console.style.faint(line(names)))
        for row in rows { tool.console.print(line(cells(row))) }
        var count = rows.count
        while tool.console.isOpen, let row = try query.next() {
            tool.console.print(line(cells(row)))
            count += 1
        }
        if count == 0 { tool.console.note("There are no such rows.") }
    }

    // MARK: Values

    private static func text(_ value: RecordingQuery.Value) -> String {
        switch value {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let double): "\(double)"
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A field of RFC 4180.
    private static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func node(of value: RecordingQuery.Value) -> Node {
        switch value {
        case .null: .null
        case .integer(let integer): .int(Int(integer))
        case .real(let double) where double.isFinite: .number("\(double)")
        case .real(let double): .string("\(double)")
        case .text(let text): .string(text)
        case .blob(let bytes): .data(bytes)
        }
    }

    /// The names, with numbers after those that repeat.
    private static func uniqueNames(_ names: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return names.map { name in
            var (unique, number) = (name, 1)
            while !seen.insert(Array(unique.utf8)).inserted {
                number += 1
                unique = "\(name)_\(number)"
            }
            return unique
        }
    }
}
