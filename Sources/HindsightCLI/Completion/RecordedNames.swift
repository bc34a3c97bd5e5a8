import HindsightRecording
import HindsightSupport
import HindsightTree

/// The names in a recording that begin with a text, for completion. What cannot be read gives no names.
///
/// Names that a terminal would interpret are left out.
struct RecordedNames {
    let recording: Recording
    let start: String
    /// The state whose paths count; `nil` for the last one.
    var state: Node?

    /// Longer recordings are not read as a whole.
    private static let maxActions = 20_000

    func values(of kind: ValueKind) -> [String] {
        do {
            return try all(kind).filter { $0.utf8.starts(with: start.utf8) && escape($0) == $0 }
        } catch {
            // A damaged recording; the command itself will say so.
            return []
        }
    }

    private func all(_ kind: ValueKind) throws -> [String] {
        switch kind {
        case .position: try positions()
        case .actionType: try types()
        case .reducer: recording.reducers
        case .path: try paths()
        case .words, .other: []
        }
    }

    private func positions() throws -> [String] {
        var names = ["start", "end"]
        if case .crashed = recording.ending { names.append("crash") }
        return names + (try recording.notes().map(\.text))
    }

    private func types() throws -> [String] {
        let (first, last) = (recording.start.seq + 1, recording.actionCount)
        guard last - first > Self.maxActions else {
            return try recording.summary().types.flatMap(\.names).sorted()
        }
        var types: Set<String> = []
        for range in [first...first + Self.maxActions / 2, last - Self.maxActions / 2...last] {
            var entries = try recording.entries(in: range, withSteps: false)
            while let (action, _) = try entries.next() { types.insert(action.type) }
        }
        return types.sorted()
    }

    /// The parts of the state one level below the path so far. A whole path is followed by what is in it.
    private func paths() throws -> [String] {
        let state = try state ?? recording.state(at: recording.end)
        var words: [String] = []
        if let whole = NodePath(start), !whole.isRoot { words = children(of: state[whole], at: whole) }
        let parent = start.lastIndex(of: "/").map { String(start[..<$0]) } ?? ""
        if let outer = NodePath(parent) { words += children(of: state[outer], at: outer) }
        return words
    }

    private func children(of node: Node?, at path: NodePath) -> [String] {
        switch node {
        case .object(let members): members.prefix(Completer.most).map { path.appending($0.key).description }
        case .array(let elements):
            elements.prefix(Completer.most).indices.map { path.appending("\($0)").description }
        default: []
        }
    }
}
