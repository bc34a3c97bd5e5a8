import HindsightStore

/// The reducers of a text buffer.
///
/// The order matters: `rejected` checks an action before anything changes, and the others ignore a rejected action.
/// `lines` counts the deleted lines before `text` deletes them.
///
/// An edit costs its own length, and moving the bytes after it.
package let notepadReducer: Reducer<NotepadState, NotepadAction> = .combine(
    rejected,
    accepted("lines") { state, action in
        guard case .edit(let at, let delete, let insert) = action,
            let range = state.text.scalarRange(at: at, count: delete)
        else { return }
        state.lines &+= insert.utf8.newlines &- state.text.utf8[range].newlines
    },
    accepted("text") { state, action in
        guard case .edit(let at, let delete, let insert) = action,
            let range = state.text.scalarRange(at: at, count: delete)
        else { return }
        // If another copy of the text is alive, replacing in place costs some 25 times as much as copying the text
        // first.
        state.text.reserveCapacity(state.text.utf8.count - delete + insert.utf8.count)
        state.text.replaceSubrange(range, with: insert)
    },
    accepted("cursor") { state, action in
        switch action {
        case .edit(let at, _, let insert): state.cursor = at + insert.utf8.count
        case .moveCursor(let offset): state.cursor = offset
        }
    },
    accepted("edits") { state, action in
        guard case .edit = action else { return }
        state.edits &+= 1
    }
)

private let rejected = Reducer<NotepadState, NotepadAction>("rejected") { state, action in
    let range =
        switch action {
        case .edit(let at, let delete, _): state.text.scalarRange(at: at, count: delete)
        case .moveCursor(let offset): state.text.scalarRange(at: offset, count: 0)
        }
    state.rejected = range == nil
}

/// A reducer of actions that were not rejected.
private func accepted(
    _ name: String,
    _ reduce: @escaping @Sendable (inout NotepadState, NotepadAction) -> Void
) -> Reducer<NotepadState, NotepadAction> {
    Reducer(name) { state, action in
        if !state.rejected { reduce(&state, action) }
    }
}
