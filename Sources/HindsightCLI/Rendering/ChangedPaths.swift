import HindsightTree

/// The places that patches changed: what `log` shows of them, and how it filters.
struct ChangedPaths {
    /// Every place once, in the order in which it first changed.
    private(set) var paths: [NodePath] = []
    private let operations: [Patch.Operation]

    init(_ patches: some Sequence<Patch>) {
        operations = patches.flatMap(\.operations)
        var seen: Set<NodePath> = []
        for operation in operations {
            let path = Self.place(of: operation)
            if seen.insert(path).inserted { paths.append(path) }
        }
    }

    /// One element that came, went or changed is named itself; several are named by their array.
    static func place(of operation: Patch.Operation) -> NodePath {
        if case .splice(let path, let at, let removed, let inserted) = operation,
            max(removed.count, inserted.count) == 1
        {
            return path.appending(String(at))
        }
        return operation.path
    }

    /// Whether something at this place, inside it, or around it changed.
    func touch(_ place: NodePath) -> Bool { touch(PlacePattern(place)) }

    func touch(_ pattern: PlacePattern) -> Bool { operations.contains(where: pattern.isTouched) }

    /// `/items/3, /nextID`, the paths beyond `width` columns as a count. Without a limit all are there.
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

    /// A long path's end says more than its middle.
    private static func shortened(_ path: String, to room: Int) -> String {
        let longest = Terminal.isLimit(room) ? max(12, min(60, room)) : .max
        guard path.columns > longest else { return path }
        let front = longest / 3
        return path.prefix(front) + "…" + path.suffix(longest - front - 1)
    }
}
