/// Replaces a range of items by others. Edits, undo and redo consist of such changes.
package struct TodoChange: Codable, Sendable, Equatable {
    package var at: Int
    package var removed: [TodoItem] = []
    package var inserted: [TodoItem] = []

    /// The change that undoes this one.
    var inverted: TodoChange {
        TodoChange(at: at, removed: inserted, inserted: removed)
    }
}

extension [TodoItem] {
    /// Applies a change, if it fits the items.
    mutating func make(_ change: TodoChange) {
        guard indices.contains(change.at) || change.at == count, change.removed.count <= count - change.at else {
            return
        }
        replaceSubrange(change.at..<change.at + change.removed.count, with: change.inserted)
    }
}

extension [TodoChange] {
    /// The changes that undo these.
    var inverted: [TodoChange] { reversed().map(\.inverted) }
}
