import Foundation
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight diff FILE P Q`, `hindsight diff FILE:P FILE2:Q`
enum DiffCommand: Command {
    enum Format: String, CaseIterable, Sendable {
        case text
        case jsonPatch = "json-patch"
    }

    static let first = Positional("FILE", help: "The recording; or FILE:P, a position in it.")
    static let second = Positional("P", help: "The position to start from; or FILE2:Q.")
    static let third = Positional("Q", required: false, help: "The position to compare with.")
    static let format = Option<Format>("format", help: "The format of the output; json-patch is plain RFC 6902.")

    static let syntax = Syntax(
        "diff",
        abstract: "Shows the differences between two positions, of one recording or of two",
        discussion: """
            Exits with 0 if there is no difference and with 1 if there is one, like diff. With * in --path, it
            compares the values at each place that matches at either position. If a state was not recorded and this tool
            has the app's reducers, it computes the state like jump, and the last line says so.
            """,
        isPaged: true,
        arguments: [first, second, third, SharedArguments.path, format, SharedArguments.recordedOnly],
        examples: [
            "diff session.hindsight 41 42": "The changes of action 42.",
            "diff good.hindsight:end bad.hindsight:end --path /cart":
                "The difference between the ends of two sessions.",
            "diff session.hindsight start end --format json-patch":
                "The whole session as a patch that any tool can apply.",
        ],
        jsonShape: "one object, \(Shape.text(of: StateDifference.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        if try arguments[format] == .jsonPatch { try arguments.checkAtMostOne(of: GlobalOptions.json, format) }
        var sides = try Sides(arguments, tool)
        let path = try arguments[SharedArguments.path]
        try sides.from.readState()
        try sides.to.readState()
        let pattern = path.map { PlacePattern($0) }.flatMap { $0.isOpen ? $0 : nil }
        let place = path ?? NodePath()
        let (old, new) = (sides.from.state[place], sides.to.state[place])
        let patch: Patch
        if let pattern {
            if try arguments[format] == .jsonPatch {
                throw Failure(
                    .usage,
                    "--format json-patch cannot be combined with * in --path, because the patch would fit no state.",
                    "Name one place with --path, or leave --path out."
                )
            }
            let (left, right) = (sides.from.state, sides.to.state)
            guard pattern.isMatched(in: left) || pattern.isMatched(in: right) else {
                throw tool.missing(pattern.path, in: left, sides.from.position)
            }
            patch = pattern.differences(from: left, to: right)
        } else {
            if old == nil, new == nil { return try absent(place, sides, arguments, tool) }
            patch = Self.patch(from: old, to: new)
        }
        let asJSON = arguments[GlobalOptions.json]
        let hidden = patch.isEmpty || asJSON ? try sides.redacted(place) : []
        if patch.isEmpty {
            // Placeholders do not tell whether values differ.
            for path in hidden { tool.console.note(RedactionText.line(path)) }
        }
        if asJSON {
            tool.console.print(answer: StateDifference(sides, patch, redacted: hidden))
        } else if try arguments[format] == .jsonPatch {
            tool.console.printExactly(printable(try plain(patch, from: old, to: new)))
            for side in sides.computed { side.reader.noteComputed(side.position) }
        } else {
            if patch.isEmpty {
                tool.console.print("No difference.")
            } else {
                if let path, pattern == nil { tool.console.print(faint: "below \(escape(path.description)):") }
                // Each place of a pattern has a base of its own, so unchanged parts are not counted.
                tool.console.print(patch, margin: "", base: pattern == nil ? old : nil)
            }
            printComputed(sides, tool)
        }
        return patch.isEmpty ? .fine : .difference
    }

    /// The result for a place that neither state has: no difference if the place existed in between, otherwise a usage
    /// error.
    private static func absent(
        _ path: NodePath,
        _ sides: Sides,
        _ arguments: Arguments,
        _ tool: Tool
    ) throws -> ExitCode {
        let name = escape(path.description)
        let positions = [sides.from.position, sides.to.position].map { escape($0) }
        let absence = "There is nothing at \(name) at position \(positions[0]), nor at \(positions[1])"
        guard let position = try sides.lastPosition(with: path) else {
            let hints = tool.missing(path, in: sides.from.state, sides.from.position).lines.dropFirst()
            let unknown = try sides.lackChangesBetween ? " Whether it was there in between was not recorded." : ""
            throw Failure(.usage, lines: [absence + "." + unknown] + hints)
        }
        let between = "\(absence). It was there in between, as at position \(position)."
        if arguments[GlobalOptions.json] {
            tool.console.print(answer: StateDifference(sides, Patch(), redacted: []))
            tool.console.note(between)
        } else if try arguments[format] == .jsonPatch {
            tool.console.printExactly(printable([]))
            tool.console.note(between)
        } else {
            tool.console.print("No difference. \(between)")
            printComputed(sides, tool)
        }
        return .fine
    }

    private static func printComputed(_ sides: Sides, _ tool: Tool) {
        for side in sides.computed {
            let words = ActionLine.computedNote(for: side.reader.recording)
            tool.console.print(faint: "\(escape(side.position)) is \(words)")
        }
    }

    /// If a part exists on one side only, the patch adds or removes it as a whole.
    private static func patch(from old: Node?, to new: Node?) -> Patch {
        switch (old, new) {
        case (let old?, let new?): Patch(from: old, to: new)
        case (nil, let new?): Patch([.add(path: NodePath(), value: new, at: nil)])
        case (let old?, nil): Patch([.remove(path: NodePath(), old: old, at: nil)])
        case (nil, nil): Patch()
        }
    }

    /// The patch in RFC 6902 form, which can also add or remove the whole document.
    private static func plain(_ patch: Patch, from old: Node?, to new: Node?) throws -> Node {
        switch (old, new) {
        case (nil, let new?): [["op": "add", "path": "", "value": new]]
        case (_?, nil): [["op": "remove", "path": ""]]
        default: try patch.rfc6902(base: old ?? .null)
        }
    }
}

/// The answer of `diff`.
private struct StateDifference: Answer {
    struct Side: Answer {
        let file: String
        let position: String
        let computed: Bool
        /// Whether the recorded state is doubtful.
        let doubtful: Bool
    }

    let from: Side
    let to: Side
    /// Whether the recorded states are equal.
    let equal: Bool
    /// The compared place if it or values below it are placeholders.
    let redacted: [String]
    let patch: Patch

    static let notes = [
        "redacted": "the compared path if placeholders are there, or below: they are equal whatever the values were",
        "patch": "Hindsight's own, reversible",
    ]

    init(_ sides: Sides, _ patch: Patch, redacted: [NodePath]) {
        (from, to) = (sides.from.facts, sides.to.facts)
        equal = patch.isEmpty
        self.redacted = redacted.map(\.description)
        self.patch = patch
    }
}

/// A position in a recording, and the state there.
private struct Side {
    let reader: StateReader
    let position: String
    var state = Node.null
    var isComputed = false
    var isDoubtful = false

    mutating func readState() throws {
        let place = try reader.position(position)
        reader.noteEarlyEnd(at: position)
        (state, isComputed) = try reader.state(at: place)
        if isComputed { return }
        reader.noteDoubt(at: place)
        isDoubtful = reader.recording.doubtfulStates(at: place) != nil
    }

    var facts: StateDifference.Side {
        StateDifference.Side(
            file: reader.recording.url.relativePath,
            position: position,
            computed: isComputed,
            doubtful: isDoubtful
        )
    }
}

/// The two sides of a diff, in either of its two forms.
private struct Sides {
    var from: Side
    var to: Side

    /// Those whose states were computed.
    var computed: [Side] { [from, to].filter(\.isComputed) }

    init(_ arguments: Arguments, _ tool: Tool) throws {
        let first = try arguments.require(DiffCommand.first)
        let second = try arguments.require(DiffCommand.second)
        func reader(_ recording: Recording) -> StateReader {
            StateReader(of: recording, tool, computingNothing: SharedArguments.refusal(arguments))
        }
        if let third = arguments[DiffCommand.third] {
            let reader = reader(try tool.open(first))
            from = Side(reader: reader, position: second)
            to = Side(reader: reader, position: third)
        } else {
            let (left, right) = (try Self.split(first, tool), try Self.split(second, tool))
            from = Side(reader: reader(try tool.open(left.file)), position: left.position)
            to = Side(reader: reader(try tool.open(right.file)), position: right.position)
        }
    }

    /// A path if one of the recordings hides its value, or values below it.
    func redacted(_ path: NodePath) throws -> [NodePath] {
        try [from, to].contains { try !$0.reader.recording.redacted([path]).isEmpty } ? [path] : []
    }

    /// The last position between the two at which a place existed; `nil` if none is known, or if the positions are of two
    /// recordings.
    ///
    /// Costs a pass over the recorded changes, and those that touch the place.
    func lastPosition(with path: NodePath) throws -> Recording.Position? {
        guard let actions = try between() else { return nil }
        let recording = from.reader.recording
        let last = Recording.Position(seq: min(actions.upperBound, recording.end.seq))
        guard actions.lowerBound <= last.seq else { return nil }
        let change = try recording.history(of: path, upTo: last).changes.last { $0.old != nil }
        guard let before = change?.origin.positionBefore, before.seq >= actions.lowerBound else { return nil }
        return before
    }

    /// Whether the changes of some actions between the two positions were not recorded.
    var lackChangesBetween: Bool {
        get throws {
            guard let actions = try between() else { return false }
            let recording = from.reader.recording
            return actions.upperBound > recording.end.seq || recording.skipped.contains { $0.overlaps(actions) }
        }
    }

    /// The actions between the two positions; `nil` if there are none, or if the positions are of two recordings.
    private func between() throws -> ClosedRange<Int>? {
        let recording = from.reader.recording
        guard recording.url.resolvingSymlinksInPath() == to.reader.recording.url.resolvingSymlinksInPath() else {
            return nil
        }
        let seqs = try [from, to].map { try $0.reader.position($0.position).seq }.sorted()
        let first = max(seqs[0], recording.start.seq + 1)
        return first <= seqs[1] ? first...seqs[1] : nil
    }

    /// Splits `FILE:P` after the longest path that exists, because a file name may contain colons; at the last colon if
    /// none exists.
    private static func split(_ text: String, _ tool: Tool) throws -> (file: String, position: String) {
        let colons = text.indices.reversed().filter { text[$0] == ":" }
        guard let last = colons.first else {
            throw Failure(
                .usage,
                "\(quote(text)) names no position.",
                "Use '\(tool.name) diff FILE P Q', or '\(tool.name) diff FILE:P FILE2:Q'."
            )
        }
        let colon = colons.first { FileManager.default.fileExists(atPath: String(text[..<$0])) } ?? last
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
