import HindsightTree

/// Compares a recorded node with the same one, decoded and encoded by today's types.
struct FieldComparison {
    /// The fields that today's types do not read.
    private(set) var onlyRecorded: [NodePath] = []
    /// The fields that the app's `init(from:)` adds.
    private(set) var onlyToday: [NodePath] = []
    /// The fields that are `null` in one and missing in the other, which mean the same to most types.
    private(set) var nullable: [NodePath] = []
    /// The places whose values differ.
    private(set) var changed: [Fit.Conversion] = []

    /// Whether nothing differs that counts.
    var isEmpty: Bool { onlyRecorded.isEmpty && onlyToday.isEmpty && changed.isEmpty }

    init(_ recorded: Node, _ today: Node) {
        // Most are, and this is quicker.
        if !recorded.isEquivalent(to: today) { compare(recorded, today, at: NodePath()) }
    }

    /// Leaves out what is redacted: one of both may have a placeholder.
    mutating func remove(hiddenBy mask: RedactionMask) {
        for list in [\FieldComparison.onlyRecorded, \.onlyToday, \.nullable] {
            self[keyPath: list].removeAll(where: mask.hides)
        }
        changed.removeAll { mask.hides($0.path) }
    }

    private mutating func compare(_ recorded: Node, _ today: Node, at path: NodePath) {
        switch (recorded, today) {
        case (.object(let left), .object(let right)):
            for (key, left, right) in left.paired(with: right) {
                let path = path.appending(key)
                if let left, let right {
                    compare(left, right, at: path)
                } else {
                    let isNull = (left ?? right) == .null
                    add(path, to: isNull ? \.nullable : left == nil ? \.onlyToday : \.onlyRecorded)
                }
            }
        case (.array(let left), .array(let right)) where left.count == right.count:
            for (index, (left, right)) in zip(left, right).enumerated() {
                compare(left, right, at: path.appending("\(index)"))
            }
        default:
            if recorded.isEquivalent(to: today) || recorded.isSameWholeNumber(as: today) { return }
            if seen.insert("changed \(path.pattern)").inserted {
                changed.append(Fit.Conversion(path: path, recorded: recorded, read: today))
            }
        }
    }

    /// Adds a path, unless it differs from one only in its numbers. Elements of an array are alike.
    private mutating func add(_ path: NodePath, to list: WritableKeyPath<FieldComparison, [NodePath]>) {
        if seen.insert("\(list.hashValue) \(path.pattern)").inserted { self[keyPath: list].append(path) }
    }

    private var seen: Set<String> = []
}

extension Node {
    /// Whether both are the same whole number, and only one is written as a floating-point number: `3` and `3.0`. So it
    /// is if the type of a field changes from `Int` to `Double`.
    func isSameWholeNumber(as other: Node) -> Bool {
        switch (self, other) {
        case (.int(let int), .number(let text)), (.number(let text), .int(let int)):
            Double(text).map { "\($0)" == text && Int(exactly: $0) == int } ?? false
        default: false
        }
    }
}
