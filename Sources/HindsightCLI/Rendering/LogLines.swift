import HindsightRecording
import HindsightTree

/// What `log` and `tail` print of a recording's actions, and which of them.
struct LogLines {
    private let recording: Recording
    let filter: LogFilter
    private let line: ActionLine
    private let ending: EndingText
    private let asJSON: Bool

    /// - Throws: ``Failure`` where no action is of the type.
    init(of recording: Recording, type: String?, path: NodePath?, _ arguments: Arguments, _ tool: Tool) throws {
        let filter = LogFilter(type: type, path: path)
        try filter.checkType(in: recording)
        self.init(of: recording, filter, asJSON: arguments[Common.json], tool.console)
    }

    init(of recording: Recording, _ filter: LogFilter, asJSON: Bool, _ console: Console) {
        self.recording = recording
        self.filter = filter
        self.asJSON = asJSON
        line = ActionLine(recording: recording, console: console)
        ending = EndingText(recording: recording, style: console.style)
    }

    /// Where a line goes on that has to be wrapped.
    var indentation: Int { line.indentation + 2 }

    /// An action's line, and a second one where the process ended in it; `nil` where it is not asked for.
    func text(of action: ActionRecord, _ steps: [StepRecord]) -> String? {
        let changes = ChangedPaths(of: steps, in: recording)
        guard filter.accepts(action, changes) else { return nil }
        var isFatal = false
        if case .crashed(action.seq, _) = recording.ending { isFatal = true }
        if asJSON {
            let crash = isFatal ? JSONShapes.ending(of: recording).crash : nil
            return JSONShapes.logLine(action, changes, crash: crash)
        }
        let text = line.text(of: action, changes: changes)
        guard isFatal, let mark = ending.mark else { return text }
        return text + "\n" + String(repeating: " ", count: line.indentation) + mark
    }
}

/// Which actions are shown.
struct LogFilter {
    var type: String?
    var path: NodePath?

    var isOpen: Bool { type == nil && path == nil }

    func accepts(_ action: ActionRecord, _ changes: ChangedPaths?) -> Bool {
        guard type.map({ action.isOf(type: $0) }) ?? true else { return false }
        return path.map { changes?.touch(pattern($0)) ?? false } ?? true
    }

    func pattern(_ path: NodePath) -> PlacePattern { PlacePattern(path) }

    /// A type that does not occur is a slip, not an empty answer.
    func checkType(in recording: Recording) throws {
        guard let type else { return }
        let known = try recording.summary().types.flatMap(\.names)
        if known.contains(where: { $0.utf8.elementsEqual(type.utf8) }) { return }
        var lines = ["No action in this recording is of type \(quote(type))."]
        // The name of a case inside another may be given alone.
        let inside = known.first { $0.hasSuffix("." + type) }
        if let nearest = inside ?? Suggestion.nearest(to: type, in: known) {
            lines.append("Did you mean \(escape(nearest))?")
        } else {
            let more = known.count > 12 ? " and \(known.count - 12) more" : ""
            lines.append("There are: \(known.prefix(12).map { ValueText.key($0) }.joined(separator: ", "))\(more).")
        }
        throw Failure(.usage, lines: lines)
    }
}
