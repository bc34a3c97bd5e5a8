/// The state of a small to-do list with its undo history.
package struct TodoState: Codable, Sendable, Equatable {
    package var items: [TodoItem] = []
    package var filter = TodoFilter.all
    package var counts = TodoCounts()
    package var history = TodoHistory()
    /// The id of the next new item.
    package var nextID = 1
    /// Why the last action was refused, as a text for the user.
    package var notice: String?

    package init() {}

    /// The items that match the filter.
    package var visible: [TodoItem] {
        items.filter { item in
            switch filter {
            case .all: true
            case .open: !item.done
            case .done: item.done
            }
        }
    }
}

/// An item of the list.
package struct TodoItem: Codable, Sendable, Equatable, Identifiable {
    package let id: Int
    package var title: String
    package var done = false
    package var tags: [String] = []
    package var note: String?
}

/// Selects the visible items.
package enum TodoFilter: String, Codable, Sendable {
    case all, open, done
}

/// The counts in the list's footer.
package struct TodoCounts: Codable, Sendable, Equatable {
    package var open = 0
    package var done = 0
    package var byTag: [String: Int] = [:]
}

/// The changes that can be undone and redone, the latest last.
package struct TodoHistory: Codable, Sendable, Equatable {
    /// The most edits that can be undone.
    package static let limit = 50

    package var undo: [[TodoChange]] = []
    package var redo: [[TodoChange]] = []
}
