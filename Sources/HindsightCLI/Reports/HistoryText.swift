import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Lists the changes of a place, after a sentence about the last one:
///
/// ```
/// /cart/total changed 3 times, last at 415.4, in cart.totals, by applyCoupon("HALF"), dispatched at CartView.swift:88.
///   412.3  +00:12.345  cart.totals  addLine(…)           0 → 12.50
///   415.4  +00:14.002  cart.totals  applyCoupon("HALF")  12.50 → 6.25
/// ```
///
/// Changes inside a container are listed as `diff` lists them.
struct HistoryText: ToolReport {
    let history: PlaceHistory
    let wanted: NodePath
    let recording: Recording
    /// The steps that were computed; `nil` if none were.
    var computed: ComputedSteps?
    /// Whether values at the place are redacted, so that it may have changed more often.
    let isRedacted: Bool
    let tool: Tool

    private var width: Int { console.terminal.width }

    func print() throws {
        let name = wanted.shown("The state")
        guard let last = history.changes.last else {
            let value = history.first.map { ValueText(budget: width).text(of: $0) } ?? "nothing"
            let since =
                recording.droppedCount == 0
                ? "since the start" : "since the recording begins, after the \(recording.droppedCount) dropped actions"
            guard !isRedacted else {
                console.print("\(console.style.strong(name)) is \(value) \(since). Whether it changes is not known.")
                return printUnknown()
            }
            guard history.unknown.isEmpty else {
                console.print("\(console.style.strong(name)) is \(value) at all recorded positions \(since).")
                return printUnknown()
            }
            return console.print("\(console.style.strong(name)) never changes: it is \(value) \(since).")
        }
        let text = OriginText(recording: recording, budget: max(24, min(60, width / 3)), computed: computed)
        let clause = try OriginText(recording: recording, budget: width, computed: computed).clause(of: last.origin)
        console.print("\(console.style.strong(name)) changed \(count), last \(clause).")
        printUnknown()
        if let line = cut { console.print(faint: line) }
        try printRows(by: text)
        if let command = text.command(last.origin, tool) {
            console.print(console.style.faint("The last of these: ") + command)
        }
    }

    func printJSON() throws {
        if let earlier = history.earlier { console.print(answer: Joined(EventName(event: "cut"), earlier)) }
        if let unrecorded = history.unrecorded {
            console.print(answer: Joined(EventName(event: "unknown"), unrecorded))
        }
        for change in history.changes where console.isOpen {
            console.print(answer: try change.line(in: recording, computed: computed))
        }
    }

    /// Names the actions in which the place may have changed more often than the rows say.
    private func printUnknown() {
        guard !history.unknown.isEmpty else { return }
        let clause = UnknownText.changes(in: history.unknown)
        console.print("\(console.style.bad("Not known:")) \(clause).", hanging: 2)
    }

    private var count: String {
        let known = history.changes.count
        if !history.unknown.isEmpty || isRedacted {
            let least = known + (history.earlierIsExact ? history.earlierCount : 0)
            return least == 1 ? "at least once" : "at least \(Quantities.grouped(least)) times"
        }
        if history.earlierCount == 0 { return known == 1 ? "once" : "\(Quantities.grouped(known)) times" }
        return history.earlierIsExact
            ? "\(Quantities.grouped(known + history.earlierCount)) times"
            : "at least \(Quantities.counted(known, "time"))"
    }

    private var cut: String? {
        guard history.earlierCount > 0 else { return nil }
        let most = history.earlierIsExact ? "" : "up to "
        let changes = Quantities.counted(history.earlierCount, "earlier change")
        return "  … after \(most)\(changes) (--limit N shows more, --json has all)"
    }

    private func printRows(by text: OriginText) throws {
        let parts = try history.changes.map { try text.parts(of: $0.origin) }
        // Values follow the last column.
        let cells = parts.map { [$0.position, $0.time, $0.reducer, $0.action, ""] }
        var table = Table(cells, most: 60, rightAligned: [0])
        table.dropsEmptyColumns = true
        for (row, change) in zip(cells, history.changes) {
            let who = table.line(row)
            let place = change.path == wanted ? "" : "  \(escape(change.path.description))"
            if let old = change.old, let new = change.new, old.isContainer, new.isContainer {
                console.print("  \(who.trimmed)\(place)")
                console.print(Patch(from: old, to: new), margin: "      ", maxLines: 8)
                continue
            }
            let room = max(24, (min(width, 400) - who.columns - 8) / 2)
            let (old, new) = ValueText(budget: room, maxStringLength: room).texts(of: change.old, change.new)
            console.print(
                "  \(who)  \(console.style.removed(old)) → \(console.style.added(new))\(place)",
                hanging: 6
            )
        }
    }
}
