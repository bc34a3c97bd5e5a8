import HindsightQuery
import HindsightSupport
import HindsightTree

/// Lists places with who set them:
///
/// ```
/// /cart/lines/0/quantity  3      412.3  +00:12.345  cart.lines   addLine(…)        CartView.swift:52
/// /cart/total             0      415.4  +00:14.002  cart.totals  applyCoupon("…")  CartView.swift:88
/// /cart/currency          "EUR"  start
/// ```
///
/// If the lines would be too wide, who set a place has a line of its own.
struct BlameTable {
    let width: Int
    let style: Style

    /// The most and the least columns of path, value, position, time, reducer, action and source. Any action's text fits.
    private static let widest = [60, 44, 20, 72, 72, 72, 72]
    private static let least = [20, 10, 20, 12, 10, 14, 10]

    func lines(of places: some Collection<Blame.Place>, by text: OriginText) throws -> [String] {
        let values = ValueText(budget: 40, maxStringLength: 36)
        var known: [ChangeOrigin: OriginText.Parts] = [:]
        let rows = try places.map { place -> (path: String, value: String, parts: OriginText.Parts) in
            let path = place.path.isRoot ? "(whole)" : escape(place.path.description)
            guard !place.isRedacted else {
                let parts = OriginText.Parts(position: "?", action: "redacted: its changes are not recorded")
                return (path, values.text(of: place.value), parts)
            }
            let parts = try known[place.origin] ?? text.parts(of: place.origin)
            known[place.origin] = parts
            return (path, values.text(of: place.value), parts)
        }
        let cells = rows.map { [$0.path, $0.value, $0.parts.position] + $0.parts.others }
        var table = Table(cells)
        table.dropsEmptyColumns = true
        table.widths = zip(table.widths, Self.widest).map { min($0, $1) }
        // If the columns are too wide, the one with the most to spare gives way first.
        func sum() -> Int { table.widths.filter { $0 > 0 }.reduce(-2) { $0 + $1 + 2 } }
        while sum() > width {
            let spare = zip(table.widths, Self.least).map { $0 - $1 }
            guard let most = spare.max(), most > 0, let column = spare.firstIndex(of: most) else { break }
            table.widths[column] -= 1
        }
        let isNarrow = sum() > width
        if isNarrow { (table.widths[0], table.widths[1]) = (0, 0) }
        return cells.flatMap { row -> [String] in
            let clipped = zip(row, table.widths).enumerated().map { column, cell in
                guard Terminal.isLimit(width), cell.1 > 0 else { return cell.0 }
                return column == 0 ? cell.0.clippedInside(to: cell.1) : cell.0.clipped(to: cell.1)
            }
            let line = table.line(clipped) { $0 == 0 ? style.strong($1) : $1 }.trimmed
            return isNarrow ? ["\(style.strong(row[0]))  \(row[1])", "    \(line)"] : [line]
        }
    }
}
