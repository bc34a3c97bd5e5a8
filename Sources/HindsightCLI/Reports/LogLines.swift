import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The lines that `log` and `tail` print for a recording's actions.
struct LogLines {
    private let recording: Recording
    private let reader: StateReader
    let filter: LogFilter
    private var places: FollowedPlaces?
    private let line: ActionLine
    private let ending: EndingText
    private let asJSON: Bool
    private let tool: Tool
    /// The notes by their actions.
    private let notes: [Int: [RecordedNote]]

    /// - Throws: A `RecordingError` if the notes cannot be read.
    init(of reader: StateReader, _ filter: LogFilter, asJSON: Bool, _ tool: Tool) throws {
        notes = Dictionary(grouping: try reader.recording.notes(), by: \.position.seq)
        recording = reader.recording
        self.reader = reader
        self.tool = tool
        self.filter = filter
        places = filter.path.map { FollowedPlaces($0, by: reader) }
        self.asJSON = asJSON
        line = ActionLine(of: recording, style: tool.console.style, width: tool.console.terminal.width)
        ending = EndingText(recording: recording, style: tool.console.style)
    }

    /// The indentation of wrapped lines.
    var indentation: Int { line.indentation + 2 }

    /// An action's line, and a second one if the process ended in it; `nil` if the filter excludes it.
    ///
    /// Call it for each action in order.
    ///
    /// - Throws: A `RecordingError` if a state is needed and cannot be read.
    mutating func text(of action: RecordedAction, _ steps: [RecordedStep]) throws -> String? {
        guard filter.type.map({ action.isOf(type: $0) }) ?? true else {
            // Does not compute changes of an action that the filter excludes.
            _ = try places?.changes(of: action.seq, reader.recordedSteps(steps))
            return nil
        }
        let answer = reader.changes(of: action, recorded: steps)
        var changes = answer.steps.map { ChangedPaths($0.compactMap(\.patch)) }
        if places != nil {
            guard let found = try places?.changes(of: action.seq, answer.steps), !found.isEmpty else {
                if case .computedPart = answer { reader.markUnknown(action.seq) }
                return nil
            }
            changes?.begin(with: found)
        }
        if answer.isComputed { reader.showsComputed = true }
        let doubt = answer.isComputed ? nil : recording.doubt(in: action.seq)
        reader.show(doubt)
        let crash = recording.crash(in: action.seq)
        if asJSON {
            let facts = LogFacts(
                changed: changes?.paths,
                places: places == nil ? nil : changes?.asked,
                computed: answer.isComputed ? true : nil,
                doubtful: doubt == nil ? nil : true,
                crash: crash,
                notes: notes[action.seq]
            )
            return printable(answer: LogLine(ActionFacts(action), facts))
        }
        let text = line.text(
            of: action,
            changes: changes,
            isComputed: answer.isComputed,
            isDoubtful: doubt != nil,
            unknown: recording.absence(ofChangesIn: action.seq) == .notYet ? "not yet" : "not known"
        )
        let mark = crash == nil ? nil : ending.mark
        return ([text] + lines(below: (notes[action.seq] ?? []).map(noteLine) + (mark.map { [$0] } ?? [])))
            .joined(separator: "\n")
    }

    /// The lines of the notes at the start, before the first action; none if the filter excludes some actions.
    var notesAtStart: [String] {
        let notes = filter.isOpen && !asJSON ? notes[recording.start.seq] ?? [] : []
        return lines(below: notes.map(noteLine))
    }

    private func noteLine(_ note: RecordedNote) -> String { NoteText.line(note, tool.console.style) }

    private func lines(below texts: [String]) -> [String] {
        texts.map { String(repeating: " ", count: line.indentation) + $0 }
    }

    /// The remarks after the lines, if not all changes were recorded.
    var remarks: [String] {
        let text = UnknownText(reader: reader, filter: filter, tool: tool)
        return asJSON ? text.json : text.lines
    }
}

/// The type and the path of the actions to show.
struct LogFilter {
    var type: String?
    var path: NodePath?

    var isOpen: Bool { type == nil && path == nil }

    /// Throws a usage error for a type that does not occur.
    func checkType(in recording: Recording) throws {
        guard let type else { return }
        let known = try recording.summary().types.flatMap(\.names)
        // ``EmptyAnswer`` says that a recording has no actions.
        if known.isEmpty || known.contains(where: { $0.utf8.elementsEqual(type.utf8) }) { return }
        // The user may give only the inner name of a nested case.
        let inside = known.first { $0.hasSuffix("." + type) }
        let nearest = inside ?? Suggestion.nearest(to: type, in: known)
        throw Failure(
            .usage,
            "No action in this recording is of type \(quote(type)).",
            nearest.map { "Did you mean \(escape($0))?" }
                ?? "There are: \(Quantities.list(known.map { ValueText.key($0) }, most: 12))."
        )
    }
}
