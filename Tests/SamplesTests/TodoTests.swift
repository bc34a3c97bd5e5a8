import HindsightStore
import Testing

@testable import Samples

@Suite("Todo")
struct TodoTests {
    private func state(after actions: TodoAction...) -> TodoState {
        let store = Store(initial: TodoState(), reducer: todoReducer)
        for action in actions { store.dispatch(action) }
        return store.state
    }

    @Test("Items can be added, changed, moved and removed")
    func items() {
        let state = state(
            after: .add(title: "tea"),
            .add(title: "milk", tags: ["shop"]),
            .add(title: "bread"),
            .toggle(id: 1),
            .rename(id: 2, title: "oat milk"),
            .move(id: 3, index: 0),
            .remove(id: 1),
            .tag(id: 3, name: "shop"),
            .annotate(id: 3, text: "rye")
        )
        #expect(state.items.map(\.title) == ["bread", "oat milk"])
        #expect(state.items.map(\.note) == ["rye", nil])
        #expect(state.counts == TodoCounts(open: 2, done: 0, byTag: ["shop": 2]))
        #expect(state.nextID == 4)
        #expect(state.notice == nil)
    }

    @Test(
        "Undo reverts an edit, and redo repeats it",
        arguments: [
            .add(title: "c"), .rename(id: 1, title: "x"), .toggle(id: 2), .annotate(id: 1, text: "n"),
            .tag(id: 1, name: "t"), .move(id: 1, index: 1), .remove(id: 1), .clearDone,
        ] as [TodoAction]
    )
    func undo(action: TodoAction) {
        let store = Store(
            initial: state(after: .add(title: "a"), .add(title: "b"), .toggle(id: 1)),
            reducer: todoReducer
        )
        let before = store.state
        store.dispatch(action)
        let after = store.state
        #expect(after.items != before.items)
        store.dispatch(.undo)
        #expect(store.state.items == before.items)
        #expect(store.state.counts == before.counts)
        store.dispatch(.redo)
        #expect(store.state.items == after.items)
        #expect(store.state.history == after.history)
    }

    @Test(
        "An invalid action changes only the notice",
        arguments: [
            .add(title: " \n"), .rename(id: 1, title: ""), .rename(id: 9, title: "x"), .toggle(id: 0),
            .untag(id: 1, name: "t"), .move(id: 1, index: 0), .move(id: 1, index: 1), .move(id: 1, index: .max),
            .remove(id: .min), .clearDone, .redo,
        ] as [TodoAction]
    )
    func refused(action: TodoAction) {
        var expected = state(after: .add(title: "a"))
        let state = state(after: .add(title: "a"), action)
        #expect(state.notice != nil)
        expected.notice = state.notice
        #expect(state == expected)
    }

    @Test("The history keeps the latest edits up to its limit, and a new edit clears the redo stack")
    func history() {
        let store = Store(initial: TodoState(), reducer: todoReducer)
        store.dispatch(.add(title: "a"))
        for _ in 0..<TodoHistory.limit + 5 { store.dispatch(.toggle(id: 1)) }
        #expect(store.state.history.undo.count == TodoHistory.limit)
        for _ in 0..<TodoHistory.limit + 5 { store.dispatch(.undo) }
        #expect(store.state.notice == "There is nothing to undo.")
        #expect(store.state.history.redo.count == TodoHistory.limit)
        store.dispatch(.toggle(id: 1))
        #expect(store.state.history.redo.isEmpty)
    }

    @Test("A change that does not fit the list is not made")
    func decodingFailure() {
        var items = [TodoItem(id: 1, title: "a")]
        for at in [-1, 1, 2, Int.max, Int.min] {
            items.make(TodoChange(at: at, removed: items))
        }
        #expect(items.map(\.id) == [1])
    }

    @Test("The filter determines the visible items")
    func filter() {
        let done = state(after: .add(title: "a"), .add(title: "b"), .toggle(id: 2), .setFilter(to: .done))
        #expect(done.visible.map(\.id) == [2])
        #expect(done.history.undo.count == 3)
    }
}
