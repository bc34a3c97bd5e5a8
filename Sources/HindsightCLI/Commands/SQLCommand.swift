import HindsightQuery
import HindsightRecording
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// `hindsight sql FILE SELECT`
enum SQLCommand: Command {
    static let statement = Positional("SELECT", help: "One statement, in quotes: 'SELECT * FROM history'.")
    static let csv = Flag("csv", help: "Print comma-separated values, with a first line of names.")
    static let timeout = Option<Double>(
        seconds: "timeout",
        help: "Stop after this time, printing included; by default after 60 s."
    )

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
        arguments: [SharedArguments.file, statement, csv, timeout],
        examples: [
            "sql s.hindsight 'SELECT type, count(*) FROM history GROUP BY type ORDER BY 2 DESC'":
                "How often each action was dispatched.",
            "sql s.hindsight 'SELECT position, name, duration FROM steps ORDER BY duration DESC LIMIT 5'":
                "The five slowest steps.",
            "sql s.hindsight 'SELECT position, /cart/total FROM history' --csv":
                "A value over time, for a spreadsheet.",
        ],
        jsonShape: "a line a row, an object with the names of the columns; data as {\"$data\": base64}"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let printer = try RowPrinter<SQLValue>(arguments, csv: csv, tool)
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let query = try RecordingQuery(
            try arguments.require(statement),
            of: recording,
            longest: .seconds(try arguments[timeout] ?? 60)
        )
        printer.check = { try query.checkTime() }
        printer.begin(query.columns)
        while tool.console.isOpen, let row = try query.next() { try printer.print(row) }
        try printer.finish()
        let names = try query.unknownNames()
        let isMistaken = try tool.note(names, in: recording)
        for remark in query.remarksOnComparisons { tool.console.note(escape(remark)) }
        if query.unknownCount > 0 {
            tool.console.note(
                "value() is NULL \(Quantities.counted(query.unknownCount, "time")) because the state was not recorded."
            )
        }
        if query.doubtfulCount > 0 {
            tool.console.note(
                "value() read doubtful states \(Quantities.counted(query.doubtfulCount, "time")): they may have been "
                    + "different. 'info' lists them."
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
            let count = query.journalOnlyCount
            let last = count == 1 ? "The last action is" : "The last \(Quantities.grouped(count)) actions are"
            let command = "\(tool.name) recover \(tool.quoted(recording))"
            tool.console.note("\(last) only in the journal, and in no view. To add them: \(command)")
        }
        return isMistaken ? .usage : .fine
    }
}

extension SQLValue: RowValue {
    var isNumber: Bool {
        switch self {
        case .integer, .real, .null: true
        case .text, .marked, .blob: false
        }
    }

    /// The value in the table. No text looks like NULL.
    var cell: String {
        switch self {
        case .null: "NULL"
        case .text("NULL"): "'NULL'"
        case .integer(let integer): "\(integer)"
        case .real(let double): "\(double)"
        case .text(let text), .marked(let text, _): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// NULL is empty, and an empty text has quotes.
    func field(_ shown: (String) -> String) -> String {
        switch self {
        case .null: ""
        case .integer, .real: cell
        case .text(""): "\"\""
        case .text, .marked, .blob: CSVText.field(text: shown(cell))
        }
    }

    var node: Node {
        switch self {
        case .null: .null
        case .integer(let integer): .int(Int(integer))
        case .real(let double) where double.isFinite: .number("\(double)")
        case .real(let double): .string("\(double)")
        case .text(let text), .marked(let text, _): .string(text)
        case .blob(let bytes): .data(bytes)
        }
    }
}
