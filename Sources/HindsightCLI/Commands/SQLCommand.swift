import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight sql FILE SELECT`
enum SQLCommand: Command {
    static let statement = Positional("SELECT", help: "One statement, in quotes: 'SELECT * FROM history'.")
    static let csv = Flag("csv", help: "Print comma-separated values, with a first line of names.")
    static let timeout = Option<Double>(
        "timeout",
        value: "SECONDS",
        expected: "a number of seconds above 0",
        help: "Stop after this time, printing included; by default after 60 s."
    ) { text in
        Double(text).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
    }

    static let syntax = Syntax(
        "sql",
        abstract: "Asks a recording in SQL: views of its actions, steps and changes, read-only",
        discussion: """
              history   position seq parent type payload at (ns since 1970) time (UTC) duration (ns) origin problem
                        thread (1: the main thread; NULL if it is not known) task (its name) changes (how many) paths
                        (of the changes): a row an action
              steps     position seq reducer (its number) name duration changes (how many): a row a reducer of an action
              changes   position seq reducer name op path at (index or offset) old new: a row an operation
              reducers  reducer name
              notes     position seq reducer name text

            A path such as /cart/total is the value there after the row's position, old(/cart/total) the value before it, and
            changed(/cart) says whether they differ, as in find; value(position, '/cart/total') is the value at another
            position. They are NULL if there is none, if the state was not recorded, or if the value is redacted. In an array
            or object, redacted values are null. payload, old and new have the placeholders that are recorded.
            position(seq, reducer) is a position, by a reducer's number or name. Every command takes what a
            row calls position; it is a text such as '3.2', so compare seq with numbers. A text stands in 'single
            quotes'. Only SQLite's functions that read are there.
            A number of a state is an INTEGER or a REAL, and compares exactly, if neither loses a digit. A longer one, as
            18446744073709551615 or 0.12345678901234567, is a TEXT with all its digits: =, <, BETWEEN, IN and ORDER BY
            compare it as text, after all numbers, and arithmetic such as + rounds it. SQLite rounds such a number in
            payload with ->>, and a statement that has one must say cast(… AS REAL). To compare one exactly, use find.
            If a path is nowhere in the recording, it says so and exits with 2; also if there are no rows, or only 0 and
            NULL in them, and a type, a reducer, an op or a path in a comparison does not occur.
            """,
        isPaged: true,
        arguments: [
            SharedArguments.file.declaration, statement.declaration, csv.declaration, timeout.declaration,
        ],
        examples: [
            Syntax.Example(
                arguments: "sql s.hindsight 'SELECT type, count(*) FROM history GROUP BY type ORDER BY 2 DESC'",
                help: "How often each action was dispatched."
            ),
            Syntax.Example(
                arguments:
                    "sql s.hindsight 'SELECT position, name, duration FROM steps ORDER BY duration DESC LIMIT 5'",
                help: "The five slowest steps."
            ),
            Syntax.Example(
                arguments: "sql s.hindsight 'SELECT position, /cart/total FROM history' --csv",
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
                let members = try zip(names, row).map { name, value in
                    try query.checkTime()
                    return Node.Member(name, node(of: value))
                }
                try query.checkTime()
                tool.console.print(printable(.object(members)))
            }
        } else if arguments[csv] {
            let isTerminal = tool.console.terminal.isOutputTerminal
            tool.console.printExactly(query.columns.map { CSVText.field(text: $0) }.joined(separator: ","))
            while tool.console.isOpen, let row = try query.next() {
                let fields = try row.map { value in
                    try query.checkTime()
                    return field(isTerminal ? escaped(value) : value)
                }
                tool.console.printExactly(fields.joined(separator: ","))
            }
        } else {
            try printTable(query, tool)
        }
        let names = try query.unknownNames()
        let isMistaken = try tool.note(names, in: recording)
        if query.comparesPositionWithNumber {
            tool.console.note(
                "The column position of the views is a text such as '3.2', and SQLite sorts all texts after all "
                    + "numbers. Compare seq."
            )
        }
        if query.unknownCount > 0 {
            tool.console.note(
                "value() is NULL \(Quantities.counted(query.unknownCount, "time")) because the state was not recorded."
            )
        }
        if query.redactedCount > 0 {
            tool.console.note(
                "value() is NULL, or has null in it, \(Quantities.counted(query.redactedCount, "time")) because values are "
                    + "redacted."
            )
        }
        if query.longNumberCount > 0 {
            let numbers = Quantities.counted(query.longNumberCount, "number")
            tool.console.note(
                "\(numbers) had more digits than SQLite holds, and compared as text. find compares them exactly."
            )
        }
        if query.journalOnlyCount > 0 {
            let count = Quantities.counted(query.journalOnlyCount, "action")
            let command = "\(tool.name) recover \(tool.quoted(recording))"
            tool.console.note("The last \(count) are only in the journal, and in no view. To add them: \(command)")
        }
        return isMistaken ? .usage : .fine
    }

    // MARK: Table

    /// The most rows that decide the widths of the columns, and the bytes of their values after which no more do: these
    /// rows are in memory together.
    private static let measured = (rows: 200, bytes: 1_000_000)
    /// The most columns of a cell on a terminal.
    private static let widest = 60
    /// The most columns to which shorter cells are padded.
    private static let mostPadded = 1000

    private static func printTable(_ query: RecordingQuery, _ tool: Tool) throws {
        let isLimited = tool.console.terminal.isLimited
        func cells(_ row: [RecordingQuery.Value]) throws -> [String] {
            try row.map { value in
                try query.checkTime()
                let text = cell(value)
                // Few characters have no width, so these fill the cell.
                return isLimited ? escape(String(text.prefix(widest * 4))).clipped(to: widest) : escape(text)
            }
        }
        var rows: [[String]] = []
        var isNumber = [Bool](repeating: true, count: query.columns.count)
        var bytes = 0
        while rows.count < measured.rows, bytes < measured.bytes, let row = try query.next() {
            let cells = try cells(row)
            bytes += cells.reduce(0) { $0 + $1.utf8.count }
            rows.append(cells)
            for (index, value) in row.enumerated() {
                switch value {
                case .integer, .real, .null: break
                case .text, .blob: isNumber[index] = false
                }
            }
        }
        let names = query.columns.map { escape($0) }
        var widths = names.map(\.columns)
        for row in rows {
            for (index, cell) in row.enumerated() {
                // Of a longer cell, this is enough.
                let columns = cell.utf8.count > mostPadded * 4 ? mostPadded : min(cell.columns, mostPadded)
                widths[index] = max(widths[index], columns)
            }
        }
        func line(_ cells: [String]) -> String {
            var line = ""
            for (index, cell) in cells.enumerated() {
                if index > 0 { line += "  " }
                let isLast = index == cells.count - 1
                let isPadded = cell.utf8.count <= mostPadded * 4
                line +=
                    isPadded && isNumber[index]
                    ? cell.alignedRight(to: widths[index])
                    : isLast || !isPadded ? cell : cell.padded(to: widths[index])
            }
            return line
        }
        tool.console.print(tool.console.style.faint(line(names)))
        for row in rows { tool.console.print(line(row)) }
        var count = rows.count
        while tool.console.isOpen, let row = try query.next() {
            tool.console.print(line(try cells(row)))
            count += 1
        }
        if count == 0 { tool.console.note("There are no such rows.") }
    }

    // MARK: Values

    /// A value in the table. No text looks like NULL.
    private static func cell(_ value: RecordingQuery.Value) -> String {
        switch value {
        case .null: "NULL"
        case .text("NULL"): "'NULL'"
        case .integer(let integer): "\(integer)"
        case .real(let double): "\(double)"
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A value in a line of CSV. NULL is empty, and an empty text has quotes.
    private static func field(_ value: RecordingQuery.Value) -> String {
        switch value {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let double): "\(double)"
        case .text(let text): text.isEmpty ? "\"\"" : CSVText.field(text: text)
        case .blob(let bytes): CSVText.field(text: String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func escaped(_ value: RecordingQuery.Value) -> RecordingQuery.Value {
        switch value {
        case .text(let text): .text(escape(text))
        case .blob(let bytes): .text(escape(String(decoding: bytes, as: UTF8.self)))
        case .null, .integer, .real: value
        }
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
