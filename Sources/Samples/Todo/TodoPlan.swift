/// The changes of an action to the items, computed in one place so that all reducers agree.
enum TodoPlan {
    case changes([TodoChange])
    case refused(String)

    /// The changes; empty if the action is refused.
    var changes: [TodoChange] {
        if case .changes(let changes) = self { changes } else { [] }
    }
}

extension TodoState {
    /// Computes the changes that `action` makes to the present items.
    func plan(for action: TodoAction) -> TodoPlan {
        switch action {
        case .add(let title, let tags):
            guard !title.allSatisfy(\.isWhitespace) else { return .refused("A title needs a letter.") }
            let item = TodoItem(id: nextID, title: title, tags: tags ?? [])
            return .changes([TodoChange(at: items.count, inserted: [item])])
        case .rename(let id, let title):
            guard !title.allSatisfy(\.isWhitespace) else { return .refused("A title needs a letter.") }
            return edit(id) { $0.title = title }
        case .toggle(let id):
            return edit(id) { $0.done.toggle() }
        case .annotate(let id, let text):
            return edit(id) { $0.note = text }
        case .tag(let id, let name):
            return edit(id, unless: { $0.tags.contains(name) ? "It is tagged \(name) already." : nil }) {
                $0.tags.append(name)
            }
        case .untag(let id, let name):
            return edit(id, unless: { $0.tags.contains(name) ? nil : "It has no tag \(name)." }) {
                $0.tags.removeAll { $0 == name }
            }
        case .move(let id, let index):
            return move(id, to: index)
        case .remove(let id):
            guard let at = items.firstIndex(where: { $0.id == id }) else { return .refused("There is no item \(id).") }
            return .changes([TodoChange(at: at, removed: [items[at]])])
        case .clearDone:
            let done = items.indices.filter { items[$0].done }
            guard !done.isEmpty else { return .refused("Nothing is done yet.") }
            return .changes(done.reversed().map { TodoChange(at: $0, removed: [items[$0]]) })
        case .setFilter:
            return .changes([])
        case .undo:
            guard let last = history.undo.last else { return .refused("There is nothing to undo.") }
            return .changes(last.inverted)
        case .redo:
            guard let last = history.redo.last else { return .refused("There is nothing to redo.") }
            return .changes(last)
        }
    }

    private func edit(
        _ id: Int,
        unless refusal: (TodoItem) -> String? = { _ in nil },
        _ body: (inout TodoItem) -> Void
    ) -> TodoPlan {
        guard let at = items.firstIndex(where: { $0.id == id }) else { return .refused("There is no item \(id).") }
        if let reason = refusal(items[at]) { return .refused(reason) }
        var item = items[at]
        body(&item)
        return .changes([TodoChange(at: at, removed: [items[at]], inserted: [item])])
    }

    private func move(_ id: Int, to index: Int) -> TodoPlan {
        guard let at = items.firstIndex(where: { $0.id == id }) else { return .refused("There is no item \(id).") }
        guard items.indices.contains(index) else { return .refused("There is no place \(index) in the list.") }
        guard at != index else { return .refused("It is there already.") }
        return .changes([
            TodoChange(at: at, removed: [items[at]]),
            TodoChange(at: index, inserted: [items[at]]),
        ])
    }
}
