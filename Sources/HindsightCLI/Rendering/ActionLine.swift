import HindsightRecording
import HindsightSupport

/// An action on one line: ` 42  +00:01.234  toggle(id: 3)      /items/3/done      12 µs`.
///
/// If the terminal is too narrow for columns, the action and its changes have lines of their own:
/// ```
///  42  +00:01.234  12 µs
///      toggle(id: 3)
///      /items/3/done
/// ```
struct ActionLine {
    private let recording: Recording
    private let digits: Int
    private let style: Style
    /// The greatest widths of the action and of the paths. In columns, they are padded to ``actionColumn`` and
    /// ``pathColumn``.
    private let actionWidth: Int
    private let pathWidth: Int
    private let actionColumn: Int
    private let pathColumn: Int
    private let isNarrow: Bool

    /// Columns before the time.
    var indentation: Int { digits + 2 }

    /// The least width for columns.
    private static let leastWidth = 80

    /// - Parameters:
    ///   - count: The number of actions; `nil` for that of the recording.
    ///   - width: The width of a line; ``Terminal/unlimited`` truncates nothing.
    init(of recording: Recording, count: Int? = nil, style: Style, width: Int) {
        self.recording = recording
        self.style = style
        digits = max(3, String(count ?? recording.actionCount).count)
        isNarrow = width < Self.leastWidth
        // The width that the number, the time and the duration leave; that of a usual screen if there is no limit.
        let isLimited = Terminal.isLimit(width)
        let room = max(40, (isLimited ? width : 120) - digits - 26)
        actionColumn = room * 3 / 5
        pathColumn = room - actionColumn
        if isNarrow {
            actionWidth = 3 * (width - digits - 2)
            pathWidth = actionWidth
        } else {
            actionWidth = isLimited ? actionColumn : width
            pathWidth = isLimited ? pathColumn : width
        }
    }

    /// The mark of changes that were computed, not recorded.
    static let computedMark = "≈ "

    /// The mark of recorded changes with doubtful states.
    static let doubtMark = "? "

    /// Explains ``computedMark``.
    static func computedNote(for recording: Recording) -> String {
        let hidden = recording.redaction.states.isEmpty && recording.redaction.actions.isEmpty
        return "computed by this build's reducers, not recorded"
            + (hidden ? "" : "; from placeholders for redacted values")
    }

    /// - Parameters:
    ///   - changes: The changes; `nil` if they are unknown.
    ///   - isComputed: Whether the changes were computed, not recorded.
    ///   - isDoubtful: Whether the recorded changes may be incomplete.
    ///   - unknown: The text for unknown changes.
    func text(
        of action: RecordedAction,
        changes: ChangedPaths?,
        isComputed: Bool = false,
        isDoubtful: Bool = false,
        unknown: String = "not known"
    ) -> String {
        let seq = style.faint(String(action.seq).alignedRight(to: digits))
        let elapsed = recording.elapsed(until: action)
        let time = style.faint(elapsed)
        let what = words(of: action).clipped(to: actionWidth)
        let took = action.durationInNanoseconds.map { Quantities.duration(nanoseconds: $0) }
        let duration = took ?? style.bad("unfinished")
        // If these are wider than usual, the paths have less room.
        let excess = max(0, elapsed.columns - 10) + max(0, (took ?? "unfinished").columns - 7)
        let mark = isComputed ? Self.computedMark : isDoubtful ? Self.doubtMark : ""
        let room = pathWidth - excess - mark.count
        let paths = changes.map { mark + ($0.paths.isEmpty ? "-" : $0.text(width: room)) } ?? unknown
        let isFaint = changes?.paths.isEmpty ?? true
        if isNarrow {
            let margin = String(repeating: " ", count: indentation)
            return "\(seq)  \(time)  \(duration)\n\(margin)\(what)\n\(margin)\(isFaint ? style.faint(paths) : paths)"
        }
        let column = paths.padded(to: pathColumn - excess)
        let faint = isFaint ? style.faint(column) : column
        return "\(seq)  \(time)  \(what.padded(to: actionColumn))  \(faint)  \(took?.alignedRight(to: 7) ?? duration)"
    }

    /// An action's name and payload in one line, at most `width` columns wide.
    static func name(of action: RecordedAction, width: Int) -> String {
        let width = max(20, width)
        if action.isTravel { return brief(action.problem ?? action.type).clipped(to: width) }
        return ActionText(budget: width).text(of: action.payload, type: action.type).clipped(to: width)
    }

    private func words(of action: RecordedAction) -> String {
        let nested = action.parent == nil ? "" : "↳ "
        if action.isTravel, let problem = action.problem { return nested + escape(problem) }
        guard let payload = action.payload else {
            return nested
                + "\(ValueText.key(action.type)) (not recorded: \(brief(action.problem ?? "unknown reason")))"
        }
        guard Terminal.isLimit(actionWidth) else {
            return nested + ActionText(budget: Terminal.unlimited).text(of: payload)
        }
        let budget = actionWidth - 14
        let text = nested + ActionText(budget: budget).text(of: payload)
        let excess = text.columns - actionWidth
        // The text may exceed the budget. If so, try again with a budget that is reduced by the excess.
        return excess > 0 ? nested + ActionText(budget: max(budget / 2, budget - excess)).text(of: payload) : text
    }
}
