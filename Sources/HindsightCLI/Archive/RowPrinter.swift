#if Archive
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// Prints the rows of an answer as they come: as a table, as CSV, or a line of JSON each.
    final class RowPrinter {
        enum Form { case table, csv, json }

        private let tool: Tool
        private let form: Form
        private var names: [String]?
        /// The rows that decide the widths of a table's columns.
        private var first: [[ArchiveCell]] = []
        private var firstBytes = 0
        private var widths: [Int]?
        private var isNumber: [Bool] = []

        private static let measured = (rows: 200, bytes: 1_000_000)
        /// The most columns of a cell on a terminal.
        private static let widest = 60

        init(_ tool: Tool, _ form: Form) { (self.tool, self.form) = (tool, form) }

        func print(_ row: [ArchiveCell], _ columns: [String]) {
            if names == nil {
                names = columns
                if form == .csv { tool.console.printExactly(columns.map(field).joined(separator: ",")) }
            }
            switch form {
            case .json:
                let members = zip(Self.unique(columns), row).map { Node.Member($0, Self.node($1)) }
                tool.console.print(printable(.object(members)))
            case .csv:
                tool.console.printExactly(row.map { field(Self.text($0)) }.joined(separator: ","))
            case .table:
                guard widths == nil else { return tool.console.print(line(row)) }
                first.append(row)
                firstBytes += row.reduce(0) { $0 + Self.text($1).utf8.count }
                if first.count >= Self.measured.rows || firstBytes >= Self.measured.bytes { printFirst() }
            }
        }

        func finish() {
            if form == .table, widths == nil { printFirst() }
        }

        private func printFirst() {
            guard let names else { return tool.console.note("There are no such rows.") }
            isNumber = names.indices.map { column in
                first.allSatisfy { row in
                    switch row[column] {
                    case .null, .number: true
                    default: false
                    }
                }
            }
            let heads = names.map { escape($0) }
            widths = names.indices.map { column in
                min(1000, max(heads[column].columns, first.map { cell($0[column]).columns }.max() ?? 0))
            }
            tool.console.print(tool.console.style.faint(joined(heads)))
            for row in first { tool.console.print(line(row)) }
            first = []
        }

        private func line(_ row: [ArchiveCell]) -> String { joined(row.map(cell)) }

        private func joined(_ cells: [String]) -> String {
            let widths = widths ?? []
            return cells.enumerated().map { index, cell in
                if isNumber[index] { return cell.alignedRight(to: widths[index]) }
                return index == cells.count - 1 ? cell : cell.padded(to: widths[index])
            }.joined(separator: "  ")
        }

        private func cell(_ value: ArchiveCell) -> String {
            let text = Self.text(value)
            guard tool.console.terminal.isLimited else { return escape(text) }
            return escape(String(text.prefix(Self.widest * 4))).clipped(to: Self.widest)
        }

        private static func text(_ value: ArchiveCell) -> String {
            switch value {
            case .null: ""
            case .boolean(let value): value ? "true" : "false"
            case .number(let text), .json(let text), .text(let text): text
            }
        }

        private static func node(_ value: ArchiveCell) -> Node {
            switch value {
            case .null: .null
            case .boolean(let value): .bool(value)
            case .number(let text): .number(text)
            // The server has checked it. What Node does not take, such as great depth, stays text.
            case .json(let text): (try? Node(json: text)) ?? .string(text)
            case .text(let text): .string(text)
            }
        }

        /// A field of RFC 4180.
        private func field(_ text: String) -> String {
            let text = tool.console.terminal.isOutputTerminal ? escape(text) : text
            guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
            return "\"" + text.replacing("\"", with: "\"\"") + "\""
        }

        /// The names, with numbers after those that repeat.
        private static func unique(_ names: [String]) -> [String] {
            var seen: Set<String> = []
            return names.map { name in
                var (unique, number) = (name, 1)
                while !seen.insert(unique).inserted {
                    number += 1
                    unique = "\(name)_\(number)"
                }
                return unique
            }
        }
    }
#endif
