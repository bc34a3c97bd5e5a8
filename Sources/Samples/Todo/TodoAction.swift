/// An action on a to-do list. In JSON: `{"toggle":{"id":3}}`.
package enum TodoAction: Codable, Sendable, Equatable {
    case add(title: String, tags: [String]? = nil)
    case rename(id: Int, title: String)
    case toggle(id: Int)
    /// Sets the note of an item, or removes it if `text` is `nil`.
    case annotate(id: Int, text: String? = nil)
    case tag(id: Int, name: String)
    case untag(id: Int, name: String)
    /// Moves an item to `index`.
    case move(id: Int, index: Int)
    case remove(id: Int)
    case clearDone
    case setFilter(to: TodoFilter)
    case undo
    case redo
}
