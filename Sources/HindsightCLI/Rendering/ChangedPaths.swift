import HindsightQuery
import HindsightSupport
import HindsightTree

/// The places that an action changed, as `log` shows them.
struct ChangedPaths {
    /// Every place once, in the order in which it first changed; those that were asked for come first.
    private(set) var paths: [NodePath]
    /// The places that were asked for, with their values.
    private(set) var asked: [PlaceWatch.Change] = []
    private var changes: [NodePath: PlaceWatch.Change] = [:]

    init(_ patches: some Sequence<Patch>) { paths = patches.places }

    /// Lets the places that were asked for stand first: by what changed inside a container, and by the value otherwise.
    mutating func begin(with asked: [PlaceWatch.Change]) {
        self.asked = asked
        changes = Dictionary(asked.map { ($0.path, $0) }) { first, _ in first }
        let containers = Set(asked.filter(\.isInside).map(\.path))
        var inside: [NodePath: [NodePath]] = [:]
        if !containers.isEmpty {
            for path in paths {
                for outer in path.ancestors where containers.contains(outer) { inside[outer, default: []].append(path) }
            }
        }
        let first = asked.flatMap { inside[$0.path] ?? [$0.path] }
        let isFirst = Set(first)
        paths = first + paths.filter { !isFirst.contains($0) }
    }

    /// `/items/3, /nextID`, with a count for the paths beyond `width` columns. Without a limit, lists all of them. A place
    /// that was asked for stands with its values: `/items/3/done false → true`.
    func text(width: Int) -> String {
        var text = ""
        var columns = 0
        for (index, path) in paths.enumerated() {
            let rest = paths.count - index - 1
            let count = rest > 0 ? " +\(Quantities.grouped(rest))" : ""
            let room = width - count.columns
            let label = self.label(path, room)
            columns += label.columns + (index > 0 ? 2 : 0)
            if index > 0, columns > room { return text + " +\(Quantities.grouped(rest + 1))" }
            text += (index > 0 ? ", " : "") + label
        }
        return text
    }

    private func label(_ path: NodePath, _ room: Int) -> String {
        let longest = Terminal.isLimit(room) ? max(12, min(60, room)) : .max
        let name = path.shown().clippedInside(to: longest)
        guard let change = changes[path] else { return name }
        let left = Terminal.isLimit(room) ? max(8, (room - name.columns - 5) / 2) : Terminal.unlimited
        let (old, new) = ValueText(budget: left, maxStringLength: left).texts(of: change.old, change.new)
        return "\(name)  \(old) → \(new)"
    }
}

extension PlaceWatch.Change {
    /// Whether it is a container before and after.
    fileprivate var isInside: Bool {
        switch (old, new) {
        case (.array?, .array?), (.object?, .object?): true
        default: false
        }
    }
}
