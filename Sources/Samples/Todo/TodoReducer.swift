import HindsightStore

/// The reducers of a to-do list.
///
/// The order matters: `history.note` must run before `items`, whose changes it writes down, and `history.step` after
/// it.
package let todoReducer: Reducer<TodoState, TodoAction> = .combine(
    notice,
    noteHistory.prefixed(with: "history"),
    items,
    ids,
    stepHistory.lift(state: \.history).prefixed(with: "history"),
    filter.lift(state: \.filter) { action in
        if case .setFilter(let filter) = action { filter } else { nil }
    },
    counts
)

private let notice = Reducer<TodoState, TodoAction>("notice") { state, action in
    if case .refused(let reason) = state.plan(for: action) {
        state.notice = reason
    } else {
        state.notice = nil
    }
}

private let noteHistory = Reducer<TodoState, TodoAction>("note") { state, action in
    switch action {
    case .undo, .redo, .setFilter: return
    default: break
    }
    let changes = state.plan(for: action).changes
    guard !changes.isEmpty else { return }
    state.history.redo = []
    state.history.undo.append(changes)
    if state.history.undo.count > TodoHistory.limit {
        state.history.undo.removeFirst()
    }
}

private let items = Reducer<TodoState, TodoAction>("items") { state, action in
    for change in state.plan(for: action).changes {
        state.items.make(change)
    }
}

private let ids = Reducer<TodoState, TodoAction>("ids") { state, action in
    // `items` has added the new item, unless the action was refused.
    guard case .add = action, state.items.last?.id == state.nextID else { return }
    state.nextID &+= 1
}

private let stepHistory = Reducer<TodoHistory, TodoAction>("step") { history, action in
    switch action {
    case .undo:
        if let last = history.undo.popLast() { history.redo.append(last) }
    case .redo:
        if let last = history.redo.popLast() { history.undo.append(last) }
    default:
        break
    }
}

private let filter = Reducer<TodoFilter, TodoFilter>("filter") { filter, chosen in
    filter = chosen
}

private let counts = Reducer<TodoState, TodoAction>("counts") { state, action in
    if case .setFilter = action { return }
    var counts = TodoCounts()
    for item in state.items {
        if item.done { counts.done += 1 } else { counts.open += 1 }
        for tag in item.tags { counts.byTag[tag, default: 0] += 1 }
    }
    state.counts = counts
}
