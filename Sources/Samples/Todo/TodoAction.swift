/// What can be done to a to-do list. In JSON: `{"toggle":{"id":3}}`.
public enum TodoAction: Codable, Sendable, Equatable {
    case add(title: String, tags: [String]? = nil)
    case rename(id: Int, title: String)
    case toggle(id: Int)
    /// Writes a note on an item, or takes it away if `text` is missing.
    case annotate(id: Int, text: String? = nil)
    case tag(id: Int, name: String)
    case untag(id: Int, name: String)
    /// Moves an item so that it ends at `index`.
    case move(id: Int, index: Int)
    case remove(id: Int)
    case clearDone
    case setFilter(to: TodoFilter)
    case undo
    case redo
}
