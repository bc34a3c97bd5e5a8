import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Why `log` or `tail` has nothing to show.
struct EmptyAnswer {
    /// A reader that has read no changes yet.
    let reader: StateReader
    let filter: LogFilter
    let tool: Tool

    private var recording: Recording { reader.recording }

    /// Why no action of a range is shown.
    ///
    /// Costs a pass over the whole recording and a whole state, if the filter has a path.
    ///
    /// - Parameters:
    ///   - first: The first action of the range.
    ///   - last: The last one.
    /// - Throws: ``Failure`` with the code `usage` if the path is in no state.
    func sentence(from first: Int, to last: Int) throws -> String {
        let all = recording.start.seq + 1...max(recording.start.seq + 1, recording.actionCount)
        if recording.actionCount <= recording.start.seq {
            let isLive = recording.ending == .open(live: true)
            return "\(tool.shown(recording)) has no actions\(isLive ? " yet" : "")."
        }
        if last < all.lowerBound {
            return "There is no action up to position \(last): the first action is \(all.lowerBound)."
        }
        guard first <= last else {
            return "There is no action from \(first) to \(last), as \(first) comes after \(last)."
        }
        let range = first <= all.lowerBound && last >= all.upperBound ? "" : " from \(first) to \(last)"
        let type = filter.type.map { " of type \(ValueText.key($0, longest: 80))" } ?? ""
        guard let path = filter.path else { return "There is no action\(type)\(range)." }
        let changes = try ChangesOfPlace(of: path, in: reader, all)
        let name = escape(path.description)
        let unknown = changes.unknown.map { "; what \(Self.actions($0)) changed is not known" } ?? ""
        if let first = changes.first, let last = changes.last {
            let others =
                first == last
                ? "action \(first) does" : "\(changes.count) others do, \(first) the first and \(last) the last"
            let verb = changes.unknown == nil ? "changes" : "is known to change"
            return "No action\(type)\(range) \(verb) \(name); \(others)\(unknown)."
        }
        if let run = changes.runs.first {
            let more = changes.runs.count > 1 ? ", and others" : ""
            return
                "\(name) changed in \(Self.actions(run))\(more), whose states were not recorded; the action is not known."
        }
        var near = NearPaths(to: path)
        // One whole state at a time. A place that never changes is in the first; the last usually has more to suggest.
        let end = recording.end.seq == recording.start.seq ? [] : [recording.end]
        for position in end + [recording.start] {
            let state = try recording.state(at: position)
            if PlacePattern(path).isMatched(in: state) {
                if try !recording.redacted([path]).isEmpty {
                    let cause = "it is redacted, or has redacted values"
                    return "\(name) exists, and whether it changes is not known: \(cause)\(unknown)."
                }
                return unknown.isEmpty
                    ? "\(name) exists and never changes in this recording."
                    : "\(name) exists, and no change of it is known\(unknown)."
            }
            near.look(in: state)
        }
        near.look(among: changes.paths)
        let verb = changes.unknown == nil ? "There is no" : "No state that is known has"
        let absence = ["\(verb) \(name) in this recording\(unknown)."] + near.question
        // The unknown states may have it.
        if changes.unknown != nil { return absence.joined(separator: " ") }
        throw Failure(.usage, lines: absence)
    }

    private static func actions(_ range: ClosedRange<Int>) -> String {
        range.count == 1
            ? "action \(range.lowerBound)" : "some of the actions \(range.lowerBound) to \(range.upperBound)"
    }

    /// The actions that change the places of a pattern.
    private struct ChangesOfPlace {
        var first: Int?
        var last: Int?
        var count = 0
        /// The runs of actions without states that changed it.
        var runs: [ClosedRange<Int>] = []
        /// The first and the last action whose changes are not known.
        var unknown: ClosedRange<Int>?
        /// Some of the changed places.
        var paths: Set<NodePath> = []

        private static let maxPaths = 5000

        init(of path: NodePath, in reader: StateReader, _ range: ClosedRange<Int>) throws {
            var places = FollowedPlaces(path, by: reader)
            let pattern = PlacePattern(path)
            var entries = try reader.recording.entries(in: range)
            while let (action, recorded) = try entries.next() {
                let answer = reader.changes(of: action, recorded: recorded)
                if !answer.isWhole {
                    unknown = (unknown?.lowerBound ?? action.seq)...action.seq
                    let recording = reader.recording
                    if let run = recording.skippedRun(with: action.seq), run.upperBound == action.seq,
                        try recording.hasChanged(pattern, across: run)
                    {
                        runs.append(run)
                    }
                }
                let changed = try places.changes(of: action.seq, answer.steps)
                guard let steps = answer.steps else { continue }
                if paths.count < Self.maxPaths { paths.formUnion(ChangedPaths(steps.compactMap(\.patch)).paths) }
                guard let changed, !changed.isEmpty else { continue }
                first = first ?? action.seq
                last = action.seq
                count += 1
            }
        }
    }
}

extension Recording {
    /// Whether a place of a pattern differs before and after a run of actions without states.
    fileprivate func hasChanged(_ pattern: PlacePattern, across run: ClosedRange<Int>) throws -> Bool {
        let (before, after) = (Position(seq: run.lowerBound - 1), Position(seq: run.upperBound))
        guard absence(at: before) == nil, absence(at: after) == nil else { return false }
        let (old, new) = (pattern.places(in: try state(at: before)), pattern.places(in: try state(at: after)))
        return !old.elementsEqual(new) { $0 == $1 }
    }
}

/// Finds paths of a recording that are similar to a missing one.
struct NearPaths {
    private let path: NodePath
    /// Whether `*` may stand for the index of an element.
    private let isPattern: Bool
    private var found: [String] = []

    private static let most = 3
    /// The most nodes of a state to search.
    private static let maxNodes = 100_000

    init(to path: NodePath, isPattern: Bool = true) {
        (self.path, self.isPattern) = (path, isPattern)
    }

    /// Searches a state.
    mutating func look(in state: Node) {
        if !correct(in: state) { search(in: state) }
    }

    /// Searches the changed places.
    mutating func look(among changed: Set<NodePath>) {
        let descriptions = changed.map(\.description).sorted()
        if let nearest = Suggestion.nearest(to: path.description, in: descriptions) { add(nearest) }
    }

    /// `Did you mean /a or /b?`, or nothing.
    var question: [String] {
        guard let last = found.last else { return [] }
        let others = found.dropLast().map(escape).joined(separator: ", ")
        return ["Did you mean \(others.isEmpty ? "" : others + " or ")\(escape(last))?"]
    }

    private mutating func add(_ path: String) {
        guard found.count < Self.most, path != self.path.description else { return }
        if !found.contains(where: { $0.hasPrefix(path) }) { found.append(path) }
    }

    /// Adds the path with its first missing name replaced by a similar one.
    ///
    /// - Returns: Whether the whole corrected path exists.
    private mutating func correct(in state: Node) -> Bool {
        var reached = NodePath()
        for (index, name) in path.components.enumerated() {
            guard name != "*", name != "**", case .object(let members)? = state[reached] else { return false }
            if members.contains(where: { $0.key.utf8.elementsEqual(name.utf8) }) {
                reached = reached.appending(name)
                continue
            }
            guard let nearest = Suggestion.nearest(to: name, in: members.map(\.key)) else { return false }
            let whole = NodePath(reached.components + [nearest] + path.components[(index + 1)...])
            let isWhole = isPattern ? PlacePattern(whole).isMatched(in: state) : state[whole] != nil
            add((isWhole ? whole : reached.appending(nearest)).description)
            return isWhole
        }
        return false
    }

    /// Adds a place elsewhere with the path's last name, or with a similar one.
    private mutating func search(in state: Node) {
        guard let name = path.components.last(where: { $0 != "*" && $0 != "**" }), !name.isEmpty else { return }
        var places: [String: String] = [:]
        var left = Self.maxNodes
        collect(state, [], &places, &left)
        if let same = places[name] ?? Suggestion.nearest(to: name, in: places.keys.sorted()).flatMap({ places[$0] }) {
            add(same)
        }
    }

    /// Collects the first place of each key.
    private func collect(_ node: Node, _ path: [String], _ places: inout [String: String], _ left: inout Int) {
        left -= 1
        if left <= 0 { return }
        switch node {
        case .object(let members):
            for member in members {
                let path = path + [member.key]
                if places[member.key] == nil { places[member.key] = NodePath(path).description }
                collect(member.value, path, &places, &left)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, path + [isPattern ? "*" : "\(index)"], &places, &left)
            }
        default:
            break
        }
    }
}
