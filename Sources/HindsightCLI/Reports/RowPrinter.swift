import HindsightQuery
import HindsightSupport
import HindsightTree

/// A value in a row that a query returns.
protocol RowValue {
    /// Whether a column of numbers may have it.
    var isNumber: Bool { get }
    /// The value in a table.
    var cell: String { get }
    var node: Node { get }

    /// The value in a line of CSV.
    ///
    /// - Parameter shown: Escapes a text, if a terminal shows it.
    func field(_ shown: (String) -> String) -> String
}

/// Prints the rows of a query as they come: as a table, as CSV, or a line of JSON each.
final class RowPrinter<Value: RowValue> {
    private let tool: Tool
    private let isJSON: Bool
    private let isCSV: Bool
    /// Called before each value, to stop.
    var check: () throws -> Void = {}
    private var names: [String] = []
    private var count = 0
    /// The rows that decide the widths of a table's columns.
    private var first: [[Value]] = []
    private var firstBytes = 0
    private var table: Table?

    // These rows are in memory together.
    private let measured = (rows: 200, bytes: 1_000_000)
    /// The most columns of a cell on a terminal.
    private let widest = 60

    init(_ arguments: Arguments, csv: Flag, _ tool: Tool) throws {
        self.tool = tool
        (isJSON, isCSV) = (arguments[GlobalOptions.json], arguments[csv])
        try arguments.checkAtMostOne(of: GlobalOptions.json, csv)
    }

    /// Takes the names of the columns.
    func begin(_ columns: [String]) {
        guard names.isEmpty else { return }
        names = isJSON ? unique(columns) : columns
        if isCSV { tool.console.printExactly(columns.map { CSVText.field(text: shown($0)) }.joined(separator: ",")) }
    }

    func print(_ row: [Value]) throws {
        count += 1
        if isJSON {
            let members = try zip(names, row).map { name, value in
                try check()
                return Node.Member(name, value.node)
            }
            try check()
            tool.console.print(json: .object(members))
        } else if isCSV {
            let fields = try row.map { value in
                try check()
                return value.field(shown)
            }
            tool.console.printExactly(fields.joined(separator: ","))
        } else if let table {
            tool.console.print(table.line(try cells(row)))
        } else {
            first.append(row)
            firstBytes += row.reduce(0) { $0 + $1.cell.utf8.count }
            if first.count >= measured.rows || firstBytes >= measured.bytes { try printFirst() }
        }
    }

    func finish() throws {
        guard !isJSON, !isCSV else { return }
        if table == nil, !names.isEmpty { try printFirst() }
        if count == 0 { tool.console.note("There are no such rows.") }
    }

    private func shown(_ text: String) -> String { tool.console.terminal.isOutputTerminal ? escape(text) : text }

    private func printFirst() throws {
        let heads = names.map { escape($0) }
        let rows = try first.map(cells)
        let numbers = names.indices.filter { column in first.allSatisfy { $0[column].isNumber } }
        let table = Table([heads] + rows, rightAligned: Set(numbers))
        tool.console.print(faint: table.line(heads))
        for row in rows { tool.console.print(table.line(row)) }
        (self.table, first) = (table, [])
    }

    private func cells(_ row: [Value]) throws -> [String] {
        try row.map { value in
            try check()
            guard tool.console.terminal.isLimited else { return escape(value.cell) }
            // Few characters have no width, so these fill the cell.
            return escape(String(value.cell.prefix(widest * 4))).clipped(to: widest)
        }
    }

    /// The names, with numbers after those that repeat.
    private func unique(_ names: [String]) -> [String] {
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
