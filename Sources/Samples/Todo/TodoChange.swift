/// A run of items replaced by another: what edits, undo and redo are made of.
public struct TodoChange: Codable, Sendable, Equatable {
    public var at: Int
    public var removed: [TodoItem] = []
    public var inserted: [TodoItem] = []

    /// The change that takes this one back.
    var inverted: TodoChange {
        TodoChange(at: at, removed: inserted, inserted: removed)
    }
}

extension [TodoItem] {
    /// Makes a change, or does nothing if it does not fit.
    mutating func make(_ change: TodoChange) {
        guard indices.contains(change.at) || change.at == count, change.removed.count <= count - change.at else {
            return
        }
        replaceSubrange(change.at..<change.at + change.removed.count, with: change.inserted)
    }
}

extension [TodoChange] {
    /// The changes that take these back.
    var inverted: [TodoChange] { reversed().map(\.inverted) }
}
