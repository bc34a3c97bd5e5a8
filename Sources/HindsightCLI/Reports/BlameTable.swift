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

    private static let widestPath = 60
    /// Wide enough for the text of any action.
    private static let widestColumn = 72

    func lines(of places: some Collection<Blame.Place>, by text: OriginText) throws -> [String] {
        let values = ValueText(budget: 40, longestString: 36)
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
        let widest = { (texts: [String], most: Int) in min(most, texts.lazy.map(\.columns).max() ?? 0) }
        let pathColumn = widest(rows.map(\.path), Self.widestPath)
        let valueColumn = widest(rows.map(\.value), 44)
        let positionColumn = widest(rows.map(\.parts.position), 20)
        let columns = (0..<4).map { column in widest(rows.map { $0.parts.others[column] }, Self.widestColumn) }
        let all = pathColumn + valueColumn + positionColumn + columns.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) } + 4
        return rows.flatMap { row -> [String] in
            let place = style.strong(row.path) + String(repeating: " ", count: max(0, pathColumn - row.path.columns))
            let who = ([(row.parts.position, positionColumn)] + zip(row.parts.others, columns)).filter { $0.1 > 0 }
                .map { $0.0.padded(to: $0.1) }
                .joined(separator: "  ").trimmed
            let value = row.value.padded(to: valueColumn)
            return all <= width
                ? ["\(place)  \(value)  \(who)"] : ["\(style.strong(row.path))  \(row.value)", "    " + who]
        }
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
