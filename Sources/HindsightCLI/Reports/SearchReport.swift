import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Prints where a text appears: the first place in full, then a row for each.
final class SearchReport: ToolReport {
    private let recording: Recording
    private let text: String
    /// Where the text is looked for.
    private let scopes: Set<SearchScope>
    private let listsAll: Bool
    let tool: Tool
    /// The first places. Their cells decide the widths of the columns.
    private var rows: [[String]] = []
    private var count = 0
    private var actions = 0
    private var lastAction = -1
    private var table = Table([])

    /// The number of places to list.
    static let most = 20

    init(_ recording: Recording, for text: String, in scopes: Set<SearchScope>, listsAll: Bool, tool: Tool) {
        (self.recording, self.text, self.scopes) = (recording, text, scopes)
        (self.listsAll, self.tool) = (listsAll, tool)
    }

    // MARK: Places

    func add(_ hit: SearchHit) throws {
        count += 1
        if hit.position.seq != lastAction, hit.source != .initialState {
            lastAction = hit.position.seq
            actions += 1
        }
        if count == 1 {
            tool.console.clearProgress()
            try printFirst(hit)
            // Reading the rest may take long.
            tool.console.output.flush()
        }
        if count > Self.most {
            if listsAll { print(try cells(of: hit)) }
            return
        }
        rows.append(try cells(of: hit))
        if count == Self.most { printRows() }
    }

    /// Shows how far the search is.
    func show(_ part: Double) {
        let what = count < Self.most || listsAll ? "Searching" : "Counting the places in"
        tool.console.progress("\(what) \(tool.shown(recording)): \(Int(part * 100)) %")
    }

    /// - Parameter isWhole: Whether nothing of the recording was left out because of damage.
    func finish(isWhole: Bool) throws {
        tool.console.clearProgress()
        if count < Self.most { printRows() }
        let shown = quote(text)
        if count == 0 {
            let place =
                scopes == [.actions]
                ? "no action" : scopes == [.state] ? "no recorded state" : "no action and no recorded state"
            let limit = isWhole ? "" : " that can be read"
            tool.console.note("\(shown) appears in \(place) of \(tool.shown(recording))\(limit).")
        } else {
            if count > Self.most, !listsAll {
                tool.console.print("… and \(Quantities.grouped(count - Self.most)) more; --all lists them")
            }
            let places = Quantities.counted(count, "place")
            tool.console.print(actions > 0 ? "\(places) in \(Quantities.counted(actions, "action"))" : places)
        }
        for line in unknown { tool.console.print(style.faint(line)) }
    }

    /// Says what was left out because of damage.
    func note(_ parts: [UnsearchedPart]) {
        let most = 3
        let names = parts.prefix(most).map { part in
            switch part.content {
            case .payload: "the payload of action \(part.seq)"
            case .changes: "the changes of action \(part.seq)"
            case .states: "the states from action \(part.seq) on"
            }
        }
        let more = parts.count > most ? ", and \(Quantities.counted(parts.count - most, "more part"))" : ""
        tool.console.note("Not searched: \(names.joined(separator: ", "))\(more).")
    }

    private func printFirst(_ hit: SearchHit) throws {
        let place = hit.path.shown("the whole value")
        let origins = OriginText(recording: recording, budget: 80)
        let clause: String
        switch hit.source {
        case .action:
            let action = try recording.action(hit.position.seq)
            let text = ActionText(budget: 80).text(of: action.payload, type: action.type)
            let source = action.origin.map { ", dispatched at \(brief($0))" } ?? ""
            clause = "in action \(action.seq), at \(place) of \(text)\(source)"
        case .initialState where recording.droppedCount == 0:
            clause = "in the initial state, at \(place)"
        case .initialState:
            clause = "in \(place), \(try origins.clause(of: .dropped(recording.droppedCount)))"
        case .reducer(let number):
            let position = Recording.Position(seq: hit.position.seq, reducer: number == 0 ? nil : number)
            clause = "in \(place), \(try origins.clause(of: .step(position)))"
        case .run(let run):
            clause = "in \(place), \(try origins.clause(of: .oneOf(run)))"
        case .missedChange(let run):
            clause = "in \(place), in \(Quantities.actions(run)), by a change that the recorder missed"
        }
        let doubt = hit.isDoubtful ? " (doubtful)" : ""
        tool.console.print("\(style.strong(quote(text))) first appears \(clause)\(doubt).")
        if hit.isName {
            tool.console.print("  the name \(ValueText.string(hit.value.stringValue ?? hit.value.json, longest: 400))")
        } else {
            let room = tool.console.terminal.width * 3
            tool.console.print("  \(ValueText(budget: room, maxStringLength: room).text(of: hit.value))")
        }
        let command = hit.source == .initialState ? "jump" : "show"
        let position = Self.position(hit)
        tool.console.print(faint: "  \(tool.name) \(command) \(tool.quoted(recording)) \(position)")
        tool.console.print()
    }

    // MARK: Rows

    private func cells(of hit: SearchHit) throws -> [String] {
        let seq = hit.position.seq
        let value = hit.isName ? "(name)" : excerpt(of: hit.value)
        let what: String
        switch hit.source {
        case .initialState: what = "initial state"
        case .action: what = ValueText.key(try recording.action(seq).type)
        case .reducer(0): what = "time travel"
        case .reducer(let number): what = brief(recording.name(ofReducer: number) ?? "reducer \(number)", longest: 40)
        case .run(let run): what = "one of \(run.lowerBound) to \(run.upperBound)"
        case .missedChange: what = "missed change"
        }
        let kind = if case .action = hit.source { "action" } else { "state" }
        let mark = hit.isDoubtful ? ActionLine.doubtMark : ""
        return [Self.position(hit), kind, what, mark + hit.path.shown(), value]
    }

    private func printRows() {
        tool.console.clearProgress()
        table = Table(rows, most: 60, rightAligned: [0])
        for row in rows { print(row) }
        rows = []
        tool.console.output.flush()
    }

    private func print(_ cells: [String]) {
        let line = table.line(cells) { $0 == 0 ? style.faint($1) : $1 }
        tool.console.print(line, hanging: table.widths[0] + 2)
    }

    /// The text with a little of what stands around it.
    private func excerpt(of value: Node) -> String {
        guard case .string(let string) = value, string.utf8.count > 60,
            let range = string.unicodeScalars.firstRange(of: text.unicodeScalars)
        else { return ValueText(budget: 60).text(of: value) }
        let scalars = string.unicodeScalars
        let start = scalars.index(range.lowerBound, offsetBy: -20, limitedBy: scalars.startIndex) ?? scalars.startIndex
        let end = scalars.index(start, offsetBy: 60, limitedBy: scalars.endIndex) ?? scalars.endIndex
        let part = quote(String(scalars[start..<end])).dropFirst().dropLast()
        return "\"\(start > scalars.startIndex ? "…" : "")\(part)\(end < scalars.endIndex ? "…" : "")\""
    }

    private static func position(_ hit: SearchHit) -> String {
        hit.source == .initialState ? "start" : hit.position.description
    }

    // MARK: What is not known

    /// What was not searched; `nil` if nothing.
    var unsearched: UnsearchedStates? {
        var actions = runs
        if let lost { actions.append(lost) }
        let redacted = redacted.sorted()
        return actions.isEmpty && redacted.isEmpty ? nil : UnsearchedStates(actions: actions, redacted: redacted)
    }

    /// The runs of actions whose states were left out. The only one of a run has its state.
    private var runs: [ClosedRange<Int>] {
        guard scopes.contains(.state) else { return [] }
        return recording.skipped.filter { $0.upperBound <= recording.end.seq && $0.count > 1 }
    }

    /// The last actions, whose states were not recorded.
    private var lost: ClosedRange<Int>? {
        guard scopes.contains(.state), recording.end.seq < recording.actionCount else { return nil }
        return recording.end.seq + 1...recording.actionCount
    }

    /// The paths of redacted values where the text is looked for, each once.
    private var redacted: [String] {
        var seen: Set<String> = []
        let (states, actions) = (recording.redaction.states, recording.redaction.actions)
        return ((scopes.contains(.state) ? states : []) + (scopes.contains(.actions) ? actions : []))
            .filter { seen.insert($0).inserted }
    }

    private var unknown: [String] {
        var lines: [String] = []
        if recording.droppedCount > 0 {
            lines.append("The recording begins after action \(recording.droppedCount); earlier ones were dropped.")
        }
        if let first = runs.first {
            let more = runs.count > 1 ? " and in \(Quantities.counted(runs.count - 1, "more run"))" : ""
            lines.append("Not known: the states within \(Quantities.actions(first))\(more); they were left out.")
        }
        if lost != nil {
            lines.append("Not known: the states after action \(recording.end.seq); they were not recorded.")
        }
        if !redacted.isEmpty { lines.append("Not searched: redacted values (\(RedactionText.list(redacted))).") }
        return lines
    }
}

/// A line of `search` about what it did not search.
struct UnsearchedStates: Answer {
    let actions: [ClosedRange<Int>]
    let redacted: [String]

    static let notes = [
        "actions": "whose states, or those within them, are not known", "redacted": "the paths of redacted values",
    ]
}
