import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Says who set a place, or lists several places with who set them:
///
/// ```
/// /cart/lines/0/quantity  3      412.3  +00:12.345  cart.lines   addLine(…)        CartView.swift:52
/// /cart/total             0      415.4  +00:14.002  cart.totals  applyCoupon("…")  CartView.swift:88
/// /cart/currency          "EUR"  start
/// ```
///
/// If the lines would be too wide, who set a place has a line of its own.
struct BlameReport: ToolReport {
    let blame: Blame
    /// The place that was asked for.
    let wanted: NodePath
    let recording: Recording
    /// The steps that were computed; `nil` if none were.
    let computed: ComputedSteps?
    let tool: Tool

    /// The most places to print on a terminal.
    private static let maxPlaces = 200
    /// The most and the least columns of path, value, position, time, reducer, action and source. Any action's text fits.
    private static let widest = [60, 44, 20, 72, 72, 72, 72]
    private static let least = [20, 10, 20, 12, 10, 14, 10]

    private var width: Int { console.terminal.width }

    func print() throws {
        if blame.places.count == 1 { try printSentence(blame.places[0]) } else { try printTable() }
    }

    private func printSentence(_ place: Blame.Place) throws {
        let name = place.path.shown("The state")
        let value = ValueText(budget: width, maxStringLength: 60).text(of: place.value)
        let text = OriginText(recording: recording, budget: width, computed: computed)
        guard !place.isRedacted else {
            return console.print("\(name) is redacted: its changes are not recorded, so who set it is not known.")
        }
        let strong = style.strong(name)
        switch place.origin {
        case .start:
            console.print("\(strong) is \(value) since the start: no recorded action changed it.")
        case .dropped(let last):
            console.print(
                "\(strong) is \(value) since the recording begins: the limit has dropped the first "
                    + "\(Quantities.counted(last, "action")), and no later one changed it."
            )
        case .step, .oneOf:
            console.print("\(strong) became \(value) \(try text.clause(of: place.origin)).")
        }
        guard let command = text.command(place.origin, tool) else { return }
        let file = tool.quoted(recording)
        console.print("  \(style.faint("the action     "))  \(command)")
        let path = ShellQuoting.quote(place.path.description)
        // An element, or something in one, may have been at another index.
        let follow = place.path.components.contains { Int($0) != nil } ? " --follow" : ""
        let position = computed == nil ? "" : " --at \(blame.position)"
        console.print(
            "  \(style.faint("all its changes"))  \(tool.name) history \(file) \(path)\(follow)\(position)"
        )
    }

    private func printTable() throws {
        let shown = console.terminal.isLimited ? blame.places.prefix(Self.maxPlaces) : blame.places[...]
        let origins = Set(blame.places.filter { !$0.isRedacted }.map(\.origin))
        let place = wanted.isRoot ? "" : " in \(escape(wanted.description))"
        let from = blame.places.contains { !$0.isRedacted && $0.origin == .start } ? " or the start" : ""
        let count = origins.subtracting([.start]).count
        console.print(
            "\(Quantities.counted(blame.places.count, "value"))\(place) at position \(blame.position), "
                + "set by \(Quantities.counted(count, "step"))\(from):"
        )
        let budget = max(24, min(60, width / 3))
        let text = OriginText(recording: recording, budget: budget, computed: computed)
        for line in try lines(of: shown, by: text) { console.print(line, hanging: 4) }
        let rest = blame.places.count - shown.count
        console.printRest(rest, "value", " (--json has all, and PATH chooses a part)")
        let last = blame.places.filter { !$0.isRedacted }.compactMap { place -> Recording.Position? in
            if case .step(let position) = place.origin { position } else { nil }
        }.max()
        if let last {
            console.print(style.faint("The last of these: ") + "\(tool.name) show \(tool.quoted(recording)) \(last)")
        }
    }

    private func lines(of places: some Collection<Blame.Place>, by text: OriginText) throws -> [String] {
        let values = ValueText(budget: 40, maxStringLength: 36)
        var known: [ChangeOrigin: OriginText.Parts] = [:]
        let cells = try places.map { place -> [String] in
            let parts: OriginText.Parts
            if place.isRedacted {
                parts = OriginText.Parts(position: "?", action: "redacted: its changes are not recorded")
            } else {
                parts = try known[place.origin] ?? text.parts(of: place.origin)
                known[place.origin] = parts
            }
            return [place.path.shown(), values.text(of: place.value), parts.position] + parts.others
        }
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
