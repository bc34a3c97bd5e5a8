import HindsightStore
import Testing

// The documentation's examples, verbatim.

private struct Todo: Sendable, Equatable, Identifiable {
    var id: Int
    var title: String
    var isDone = false
}

private enum Filter: Sendable {
    case all
    case open

    func shows(_ todo: Todo) -> Bool { self == .all || !todo.isDone }
}

private struct Draft: Sendable, Equatable {
    var title = ""
}

private enum Screen: Sendable, Equatable {
    case list
    case editor(Draft)

    static let editor = EnumCase(
        extract: { if case .editor(let draft) = $0 { draft } else { nil } },
        embed: Screen.editor
    )
}

private struct AppState: Sendable, Equatable {
    var todos = [Todo(id: 1, title: "write"), Todo(id: 2, title: "test", isDone: true)]
    var filter = Filter.all
    var name = "app"
    var count = 0
    var draft = Draft()
    var screen = Screen.editor(Draft())

    static let visible = DerivedSelector(\AppState.todos, \.filter) { todos, filter in
        todos.filter { filter.shows($0) }
    }
    static let title = DerivedSelector(\AppState.name, \.count) { name, count in "\(name): \(count)" }
}

private enum TodoAction: Sendable {
    case toggle
}

private enum EditorAction: Sendable {
    case insert(String)
}

private enum AppAction: Sendable {
    case editor(EditorAction)
    case todo(Int, TodoAction)
    case show(Filter)
    case rename(String)

    static let editor = EnumCase(
        extract: { if case .editor(let action) = $0 { action } else { nil } },
        embed: AppAction.editor
    )
}

private struct OpenTodos: StateSelector {
    func select(_ todos: [Todo]) -> [Todo] { todos.filter { !$0.isDone } }
}

private struct Titles: StateSelector {
    func select(_ todos: [Todo]) -> [String] { todos.map(\.title) }
}

private let editor = Reducer<Draft, EditorAction>("editor") { draft, action in
    if case .insert(let text) = action { draft.title += text }
}
private let todo = Reducer<Todo, TodoAction>("todo") { todo, _ in todo.isDone.toggle() }
private let rest = Reducer<AppState, AppAction>("rest") { state, action in
    switch action {
    case .show(let filter): state.filter = filter
    case .rename(let name): state.name = name
    default: break
    }
}

private func makeApp() -> Reducer<AppState, AppAction> {
    let screen = editor.lift(case: Screen.editor).lift(state: \AppState.screen, action: AppAction.editor)
    let todos = todo.forEach(\AppState.todos) { (action: AppAction) in
        if case .todo(let id, let action) = action { (id, action) } else { nil }
    }
    return Reducer.combine(screen, todos, rest)
}

@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    private let store = Store(initial: AppState(), reducer: makeApp())
    let notes = Notes<String>()

    @Test func `Selectors work as documented`() {
        let openTitles = PathSelector(\AppState.todos).then(OpenTodos()).then(Titles())
        let title = PathSelector(\AppState.draft).then(PathSelector(\.title))
        let tokens = [
            store.subscribe(OpenTodos().lift(\.todos)) { [notes] in notes.add("\($0.count) to do") },
            store.subscribe(AppState.visible) { [notes] in notes.add("\($0.count) visible") },
            store.subscribe(openTitles) { [notes] in notes.add($0.joined()) },
            store.subscribe(title) { [notes] in notes.add($0) },
            store.subscribe(AppState.title) { [notes] in notes.add($0) },
        ]
        store.dispatch(.show(.open))
        store.dispatch(.todo(1, .toggle))
        store.dispatch(.rename("new"))
        #expect(notes.all == ["1 visible", "0 to do", "0 visible", "", "new: 0"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Lifted reducers work as documented`() {
        #expect(makeApp().leaves.map(\.name) == ["editor", "todo", "rest"])
        store.dispatch(.editor(.insert("text")))
        store.dispatch(.todo(2, .toggle))
        #expect(store.state.screen == .editor(Draft(title: "text")))
        #expect(store.state.todos.map(\.isDone) == [false, false])

        let app = editor.lift(state: \AppState.draft, action: AppAction.editor)
        let other = Store(initial: AppState(), reducer: app)
        other.dispatch(.editor(.insert("draft")))
        #expect(other.state.draft.title == "draft")
    }
}
