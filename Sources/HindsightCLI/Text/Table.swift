/// Aligns cells in columns, with two spaces between them.
struct Table {
    /// The width of each column. A longer cell is not padded.
    var widths: [Int]
    /// The columns whose cells have their spaces in front.
    var rightAligned: Set<Int>
    /// Whether columns without text are left out.
    var dropsEmptyColumns = false

    /// The greatest width of a column, and the bytes of a cell that has more.
    private static let limit = (columns: 1000, bytes: 4000)

    /// - Parameters:
    ///   - rows: The rows that decide the widths.
    ///   - most: The greatest width of a column.
    ///   - least: The least width of the first column.
    init(_ rows: [[String]], most: Int = limit.columns, least: Int = 0, rightAligned: Set<Int> = []) {
        self.rightAligned = rightAligned
        widths = (rows.first ?? []).indices.map { column in
            let widest = rows.lazy.map { Self.width(of: $0[column]) }.max() ?? 0
            return max(column == 0 ? least : 0, min(most, widest))
        }
    }

    private static func width(of cell: String) -> Int {
        cell.utf8.count > limit.bytes ? limit.columns : min(limit.columns, cell.columns)
    }

    /// One row. Its last cell has no spaces after it.
    ///
    /// - Parameter style: Colours a cell. The spaces around it stay as they are.
    func line(_ cells: [String], style: (_ column: Int, _ cell: String) -> String = { $1 }) -> String {
        cells.indices.filter { !dropsEmptyColumns || widths[$0] > 0 }.map { column in
            let cell = style(column, cells[column])
            let space = String(repeating: " ", count: max(0, widths[column] - Self.width(of: cells[column])))
            if rightAligned.contains(column) { return space + cell }
            return column == cells.count - 1 ? cell : cell + space
        }
        .joined(separator: "  ")
    }
}

extension String {
    /// The text without spaces at its end.
    var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
