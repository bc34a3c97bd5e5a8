import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

extension Node {
    /// A node, or null if there is none.
    static func optional(_ node: Node?) -> Node { node ?? .null }

    /// `[first, last]`
    static func range(_ range: ClosedRange<Int>) -> Node { [.int(range.lowerBound), .int(range.upperBound)] }

    static func ranges(_ ranges: [ClosedRange<Int>]) -> Node { .array(ranges.map(Node.range)) }
}

/// The shapes of JSON that several commands print.
enum JSONShapes {
    /// An action: `log`, `show`, `replay`.
    static func members(of action: RecordedAction) -> [Node.Member] {
        var members: [Node.Member] = [
            .init("seq", .int(action.seq)),
            .init("parent", .optional(action.parent.map(Node.int))),
            .init("type", .string(action.type)),
            .init("action", .optional(action.payload)),
            .init("at", .int(Int(action.nanosecondsSinceEpoch))),
            .init("duration", .optional(action.durationInNanoseconds.map { .int(Int($0)) })),
            .init("origin", .optional(action.origin.map(Node.string))),
        ]
        if let thread = action.thread { members.append(.init("thread", thread.node)) }
        if let problem = action.problem { members.append(.init("problem", .string(problem))) }
        return members
    }

    /// A line of `log` and `replay`.
    ///
    /// - Parameters:
    ///   - changes: The changes; `nil` if they are unknown.
    ///   - isComputed: Whether the changes were computed, not recorded.
    ///   - isDoubtful: Whether the recorded changes may be incomplete.
    ///   - notes: The notes at the action.
    static func logLine(
        _ action: RecordedAction,
        _ changes: ChangedPaths?,
        isComputed: Bool = false,
        isDoubtful: Bool = false,
        crash: Node? = nil,
        notes: [RecordedNote] = []
    ) -> String {
        let changed = changes.map { Node.array($0.paths.map { .string($0.description) }) }
        var members = members(of: action) + [.init("changed", .optional(changed))]
        if let asked = changes?.asked, !asked.isEmpty { members.append(.init("places", .array(asked.map(node)))) }
        if isComputed { members.append(.init("computed", true)) }
        if isDoubtful { members.append(.init("doubtful", true)) }
        if let crash { members.append(.init("crash", crash)) }
        if !notes.isEmpty { members.append(.init("notes", .array(notes.map(NoteText.node)))) }
        return printable(.object(members))
    }

    /// What became of a place: `log --path`.
    private static func node(of change: PlaceWatch.Change) -> Node {
        var members: [Node.Member] = [.init("path", .string(change.path.description))]
        if let old = change.old { members.append(.init("old", old)) }
        if let new = change.new { members.append(.init("new", new)) }
        return .object(members)
    }

    /// A file that could not be verified: `verify`.
    static func node(ofUnverified file: String, because failure: Failure, _ crash: Node? = nil) -> Node {
        [
            "file": .string(file),
            "equal": false,
            "error": .string(failure.lines.joined(separator: " ")),
            "crash": .optional(crash),
        ]
    }

    /// The step of a reducer: `show`.
    static func node(of step: RecordedStep, name: String, isComputed: Bool) -> Node {
        [
            "reducer": .int(step.reducer),
            "name": .string(name),
            "duration": isComputed ? .null : .int(Int(step.durationInNanoseconds)),
            "patch": .optional(step.patch?.node),
        ]
    }
}

/// JSON for programs. Unsafe scalars are escaped, because it may reach a terminal; its meaning stays the same.
func printable(_ node: Node) -> String {
    escape(node.json)
}
