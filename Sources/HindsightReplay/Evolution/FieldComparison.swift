import HindsightTree

/// Compares a recorded node with the same one, decoded and encoded by today's types.
struct FieldComparison {
    /// The fields that today's types do not read.
    private(set) var onlyRecorded: [NodePath] = []
    /// The fields that the app's `init(from:)` adds.
    private(set) var onlyToday: [NodePath] = []
    /// The places whose values differ.
    private(set) var changed: [NodePath] = []

    /// Whether today's types add fields and change no value.
    var hasOnlyAdditions: Bool { changed.isEmpty && !onlyToday.isEmpty }

    init(_ recorded: Node, _ today: Node) {
        // Most are, and this is quicker.
        if !recorded.isEquivalent(to: today) { compare(recorded, today, at: NodePath()) }
    }

    private mutating func compare(_ recorded: Node, _ today: Node, at path: NodePath) {
        switch (recorded, today) {
        case (.object(let left), .object(let right)):
            compare(left, right, at: path)
        case (.array(let left), .array(let right)) where left.count == right.count:
            for (index, (left, right)) in zip(left, right).enumerated() {
                compare(left, right, at: path.appending("\(index)"))
            }
        default:
            if !recorded.isEquivalent(to: today), !recorded.isSameWholeNumber(as: today) { changed.append(path) }
        }
    }

    private mutating func compare(_ left: [Node.Member], _ right: [Node.Member], at path: NodePath) {
        let today = Dictionary(right.map { (Node.string($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        for member in left {
            let path = path.appending(member.key)
            if let value = today[.string(member.key)] {
                compare(member.value, value, at: path)
            } else {
                add(path, to: \.onlyRecorded)
            }
        }
        let recorded = Set(left.map { Node.string($0.key) })
        for member in right where !recorded.contains(.string(member.key)) {
            add(path.appending(member.key), to: \.onlyToday)
        }
    }

    /// Adds a path, unless it differs from one only in its numbers. Elements of an array are alike.
    private mutating func add(_ path: NodePath, to list: WritableKeyPath<FieldComparison, [NodePath]>) {
        if seen.insert("\(list == \.onlyToday) \(path.pattern)").inserted { self[keyPath: list].append(path) }
    }

    private var seen: Set<String> = []
}
