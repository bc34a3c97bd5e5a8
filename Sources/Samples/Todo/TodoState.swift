/// The state of a small to-do list with its undo history.
public struct TodoState: Codable, Sendable, Equatable {
    public var items: [TodoItem] = []
    public var filter = TodoFilter.all
    public var counts = TodoCounts()
    public var history = TodoHistory()
    /// The id of the next new item.
    public var nextID = 1
    /// Why the last action was refused, as a text for the user.
    public var notice: String?

    public init() {}

    /// The items that match the filter.
    public var visible: [TodoItem] {
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
public struct TodoItem: Codable, Sendable, Equatable, Identifiable {
    public let id: Int
    public var title: String
    public var done = false
    public var tags: [String] = []
    public var note: String?
}

/// Selects the visible items.
public enum TodoFilter: String, Codable, Sendable {
    case all, open, done
}

/// The counts in the list's footer.
public struct TodoCounts: Codable, Sendable, Equatable {
    public var open = 0
    public var done = 0
    public var byTag: [String: Int] = [:]
}

/// The changes that can be undone and redone, the latest last.
public struct TodoHistory: Codable, Sendable, Equatable {
    /// The most edits that can be undone.
    public static let limit = 50

    public var undo: [[TodoChange]] = []
    public var redo: [[TodoChange]] = []
}
