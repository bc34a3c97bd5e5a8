/// The new numbers of actions, some of which were split or removed.
struct ActionNumbers {
    /// The number of the last action in the output.
    private(set) var last: Int
    private let start: Int
    /// The number of the last action in the output after each recorded action.
    private var ends: [Int] = []
    /// The number of parts of the actions that are not one action.
    private var counts: [Int: Int] = [:]
    /// The new numbers of the parents of removed actions that have one.
    private var parents: [Int: Int] = [:]
    /// New actions whose parents come after them, with the recorded numbers of these.
    private(set) var pending: [(child: Int, parent: Int)] = []

    init(start: Int) { (last, self.start) = (start, start) }

    /// Whether each action has its recorded number.
    var isUnchanged: Bool { counts.isEmpty }

    /// Ends an action that is `count` actions in the output. Actions end in their order.
    mutating func end(_ action: RecordedAction, with count: Int) {
        last += count
        ends.append(last)
        if count == 1 { return }
        counts[action.seq] = count
        if count == 0 { parents[action.seq] = action.parent.flatMap { self[$0] } }
    }

    /// The new number of an action: of its last part; of its parent if it was removed; `nil` if there is none.
    subscript(seq: Int) -> Int? {
        guard seq > start, seq - start <= ends.count else { return nil }
        return counts[seq] == 0 ? parents[seq] : ends[seq - start - 1]
    }

    /// The new number of an action, or of the nearest kept action before it.
    func end(at seq: Int) -> Int {
        seq <= start ? start : ends.isEmpty ? last : ends[min(seq - start, ends.count) - 1]
    }

    /// Whether an action is one action in the output.
    func isWhole(_ seq: Int) -> Bool { counts[seq] == nil }

    /// The new parent of an action that gets the number `child`. A parent after it is noted.
    mutating func parent(of action: RecordedAction, at child: Int) -> Int? {
        guard let parent = action.parent else { return nil }
        if parent > action.seq { pending.append((child, parent)) }
        return parent < action.seq ? self[parent] : nil
    }
}
