import HindsightRecording

/// An action on one line: ` 42  +00:01.234  toggle(id: 3)      /items/3/done      12 µs`.
struct ActionLine {
    private let start: Int64
    private let digits: Int
    private let style: Style
    private let actionWidth: Int
    private let pathWidth: Int

    /// Columns before the time.
    var indentation: Int { digits + 2 }

    init(recording: Recording, console: Console) {
        start = recording.created
        digits = max(3, String(recording.actionCount).count)
        style = console.style
        // What the number, the time and the duration leave, in two columns.
        let room = max(40, console.terminal.width - digits - 26)
        actionWidth = room * 3 / 5
        pathWidth = room - actionWidth
    }

    /// Stands before what was computed, and not recorded.
    static let computedMark = "≈ "

    /// - Parameters:
    ///   - changes: What it changed; `nil` where that is not known.
    ///   - isComputed: Whether that was computed, and not recorded.
    ///   - unknown: What to say where it is not known.
    func text(
        of action: ActionRecord,
        changes: ChangedPaths?,
        isComputed: Bool = false,
        unknown: String = "not known"
    ) -> String {
        let seq = style.faint(String(action.seq).alignedRight(to: digits))
        let time = style.faint(Quantities.elapsed(nanoseconds: Quantities.interval(from: start, to: action.at)))
        let what = words(of: action).clipped(to: actionWidth)
        let paths = words(of: changes, isComputed ? Self.computedMark : "", unknown)
        let duration = action.duration.map { Quantities.duration(nanoseconds: $0) } ?? style.bad("unfinished")
        return "\(seq)  \(time)  \(what.padded(to: actionWidth))  \(paths)  \(duration.alignedRight(to: 7))"
    }

    private func words(of changes: ChangedPaths?, _ mark: String, _ unknown: String) -> String {
        guard let changes else { return style.faint(unknown.padded(to: pathWidth)) }
        if changes.paths.isEmpty { return style.faint("\(mark)-".padded(to: pathWidth)) }
        return (mark + changes.text(width: pathWidth - mark.count)).padded(to: pathWidth)
    }

    private func words(of action: ActionRecord) -> String {
        let nested = action.parent == nil ? "" : "↳ "
        if action.isTravel, let problem = action.problem { return nested + escape(problem) }
        guard let payload = action.payload else {
            return nested
                + "\(ValueText.key(action.type)) (not recorded: \(brief(action.problem ?? "unknown reason")))"
        }
        let budget = actionWidth - 14
        let text = nested + ActionText(budget: budget).text(of: payload)
        let excess = text.columns - actionWidth
        // A budget is no promise: once more, with as much less as it was too long.
        return excess > 0 ? nested + ActionText(budget: max(budget / 2, budget - excess)).text(of: payload) : text
    }
}
