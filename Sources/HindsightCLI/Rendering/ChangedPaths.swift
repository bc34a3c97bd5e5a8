import HindsightSupport
import HindsightTree

/// The places that patches changed, as `log` shows them and filters by them.
struct ChangedPaths {
    /// Every place once, in the order in which it first changed.
    private(set) var paths: [NodePath] = []
    private let operations: [Patch.Operation]

    init(_ patches: some Sequence<Patch>) {
        operations = patches.flatMap(\.operations)
        var seen: Set<NodePath> = []
        for operation in operations {
            let path = operation.place
            if seen.insert(path).inserted { paths.append(path) }
        }
    }

    /// Whether something at this place, inside it, or around it changed.
    func touch(_ place: NodePath) -> Bool { touch(PlacePattern(place)) }

    func touch(_ pattern: PlacePattern) -> Bool { operations.contains(where: pattern.isTouched) }

    /// `/items/3, /nextID`, with a count for the paths beyond `width` columns. Without a limit, lists all of them.
    func text(width: Int) -> String {
        var text = ""
        for (index, path) in paths.enumerated() {
            let rest = paths.count - index - 1
            let count = rest > 0 ? " +\(Quantities.grouped(rest))" : ""
            let room = width - count.columns
            let label = path.isRoot ? "(whole)" : Self.shortened(escape(path.description), to: room)
            if index > 0, text.columns + label.columns + 2 > room {
                return text + " +\(Quantities.grouped(rest + 1))"
            }
            text += (index > 0 ? ", " : "") + label
        }
        return text
    }

    /// Truncates a long path in the middle, because its end says more.
    private static func shortened(_ path: String, to room: Int) -> String {
        let longest = Terminal.isLimit(room) ? max(12, min(60, room)) : .max
        guard path.columns > longest else { return path }
        let front = longest / 3
        return path.prefix(front) + "…" + path.suffix(longest - front - 1)
    }
}
