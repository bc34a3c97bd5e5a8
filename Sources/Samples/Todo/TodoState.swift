/// The state of a small to-do list, with its undo history inside.
public struct TodoState: Codable, Sendable, Equatable {
    public var items: [TodoItem] = []
    public var filter = TodoFilter.all
    public var counts = TodoCounts()
    public var history = TodoHistory()
    /// The id that the next new item gets.
    public var nextID = 1
    /// Why the last action did nothing, in words for the person at the screen.
    public var notice: String?

    public init() {}

    /// The items that the filter lets through.
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

/// One thing to do.
public struct TodoItem: Codable, Sendable, Equatable, Identifiable {
    public let id: Int
    public var title: String
    public var done = false
    public var tags: [String] = []
    public var note: String?
}

/// Which items are on the screen.
public enum TodoFilter: String, Codable, Sendable {
    case all, open, done
}

/// What the list's footer shows.
public struct TodoCounts: Codable, Sendable, Equatable {
    public var open = 0
    public var done = 0
    public var byTag: [String: Int] = [:]
}

/// What can be undone and redone, the latest last.
public struct TodoHistory: Codable, Sendable, Equatable {
    /// How many edits can be undone.
    public static let limit = 50

    public var undo: [[TodoChange]] = []
    public var redo: [[TodoChange]] = []
}
