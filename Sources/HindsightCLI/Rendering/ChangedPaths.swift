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
            let label = path.isRoot ? "(whole)" : Self.shortened(escape(path.description), to: width)
            if index > 0, text.count + label.count + 2 > width {
                return text + " +\(Quantities.grouped(paths.count - index))"
            }
            text += (index > 0 ? ", " : "") + label
        }
        return text
    }

    /// A long path's end says more than its middle.
    private static func shortened(_ path: String, to width: Int) -> String {
        let longest = width < Terminal.unlimited ? 60 : .max
        return path.count <= longest ? path : path.prefix(20) + "…" + path.suffix(38)
    }
}
