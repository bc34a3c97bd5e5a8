import HindsightStore
import Testing

// The documentation's examples, verbatim.

private enum Case {
    struct Draft: Sendable, Equatable { var title = "" }
    enum Screen: Sendable { case list, editor(Draft) }
}

private typealias Screen = Case.Screen
extension Screen {
    fileprivate static let editor = EnumCase(
        extract: { if case .editor(let draft) = $0 { draft } else { nil } },
        embed: Screen.editor
    )
}

private struct Todo: Sendable, Identifiable {
    var id: Int
    var isDone = false
}

private struct Session: Sendable { var user = "" }

private struct AppState: Sendable {
    var count = 0
    var screen = Screen.editor(Case.Draft())
    var todos = [Todo(id: 1)]
    var todosByID = [1: Todo(id: 1)]
    var session: Session?
}

private enum EditorAction: Sendable { case insert(String) }
private enum TodoAction: Sendable { case toggle }
private enum SessionAction: Sendable { case signIn(String) }

private enum AppAction: Sendable {
    case counter(Counting.CounterAction)
    case editor(EditorAction)
    case todo(Int, TodoAction)
    case session(SessionAction)
    case save

    static let counter = EnumCase(
        extract: { if case .counter(let action) = $0 { action } else { nil } },
        embed: AppAction.counter
    )
    static let editor = EnumCase(
        extract: { if case .editor(let action) = $0 { action } else { nil } },
        embed: AppAction.editor
    )
    static let session = EnumCase(
        extract: { if case .session(let action) = $0 { action } else { nil } },
        embed: AppAction.session
    )
}

private let editor = Reducer<Case.Draft, EditorAction>("editor") { draft, action in
    if case .insert(let text) = action { draft.title += text }
}
private let todo = Reducer<Todo, TodoAction>("todo") { todo, _ in todo.isDone.toggle() }
private let session = Reducer<Session, SessionAction>("session") { session, action in
    if case .signIn(let user) = action { session.user = user }
}
private enum Counting {
    enum CounterAction: Sendable { case increment, decrement }

    static func make() -> Reducer<AppState, AppAction> {
        let counter = Reducer<Int, CounterAction>("counter") { count, action in
            switch action {
            case .increment: count += 1
            case .decrement: count -= 1
            }
        }
        let app = Reducer.combine(
            counter.lift(state: \AppState.count, action: AppAction.counter),
            audit
        )
        return app
    }
}

private let audit = Reducer<AppState, AppAction>("audit") { _, _ in }

private enum Pets {
    struct Pet: Sendable { var name = "" }
    protocol PetAction: Sendable {}
    struct Rename: PetAction { let name: String }

    static func make() -> Reducer<Pet, any PetAction> {
        let naming = Reducer<Pet, any PetAction>("naming", on: Rename.self) { pet, rename in
            pet.name = rename.name
        }
        return naming
    }
}

private enum Updating {
    typealias CounterAction = Counting.CounterAction

    struct Counter: Updatable {
        var count = 0
        var name = ""
    }

    static func make() -> Reducer<Counter, CounterAction> {
        let counter = Reducer<Counter, CounterAction>.returning("counter") { state, action in
            switch action {
            case .increment: state.update { $0.count += 1 }
            case .decrement: state.update { $0.count -= 1 }
            }
        }
        return counter
    }

    struct Order: Sendable {
        var customer: String
        var items: [String]
        var isPaid: Bool
    }
}

private typealias Order = Updating.Order
extension Order: UpdatableDefaults {
    fileprivate static var defaults: Order { Order(customer: "Ada", items: [], isPaid: false) }
}

private enum Thunks {
    struct AppState: Sendable { var count = 1 }
    protocol AppAction: Sendable {}
    struct Add: AppAction {
        let amount: Int
        init(_ amount: Int) { self.amount = amount }
    }
    static let adding = Reducer<AppState, any AppAction>("adding", on: Add.self) { $0.count += $1.amount }

    static func addIfOdd(_ amount: Int) -> Thunk<AppState, any AppAction> {
        Thunk { getState, dispatch in
            if !getState().count.isMultiple(of: 2) { dispatch(Add(amount)) }
        }
    }
}

extension Thunks {
    fileprivate static func makeTwice() -> Thunk<AppState, any AppAction> {
        let twice = Thunk<AppState, any AppAction> { getState, dispatch in
            for _ in 1...2 { addIfOdd(1)(getState, dispatch) }
        }
        return twice
    }
}

extension Thunk: Thunks.AppAction where StateValue == Thunks.AppState, ActionValue == any Thunks.AppAction {}

@Suite struct ComposingDocumentationTests {
    @Test func `A reducer of a number can be lifted`() {
        let store = Store(initial: AppState(), reducer: Counting.make())
        store.dispatch(.counter(.increment))
        #expect(store.state.count == 1)
    }

    @Test func `Reducers can be lifted to an enum case, a collection, a dictionary and an optional`() {
        let screen = editor.lift(case: Screen.editor)
        let whole: Reducer<AppState, AppAction> = {
            let app = screen.lift(state: \AppState.screen, action: AppAction.editor)
            return app
        }()
        let listed: Reducer<AppState, AppAction> = {
            let app = todo.forEach(\AppState.todos) { (action: AppAction) in
                if case .todo(let id, let action) = action { (id, action) } else { nil }
            }
            return app
        }()
        let keyed: Reducer<AppState, AppAction> = {
            let app = todo.forEach(\AppState.todosByID) { (action: AppAction) in
                if case .todo(let id, let action) = action { (id, action) } else { nil }
            }
            return app
        }()
        let optional: Reducer<AppState, AppAction> = {
            let app = session.optional().lift(state: \AppState.session, action: AppAction.session)
            return app
        }()
        let screens = whole
        let todos = listed
        let store: Store<AppState, AppAction> = {
            let screen = screens
            let app = Reducer.combine(screen, todos)
            return Store(initial: AppState(session: Session()), reducers: [app, keyed, optional])
        }()
        store.dispatch(.editor(.insert("text")))
        store.dispatch(.todo(1, .toggle))
        store.dispatch(.session(.signIn("Ada")))
        #expect(Screen.editor.extract(store.state.screen)?.title == "text")
        #expect(store.state.todos[0].isDone && store.state.todosByID[1]?.isDone == true)
        #expect(store.state.session?.user == "Ada")
    }

    @Test func `A dispatch and effects can be narrowed to one case`() async {
        let typing = Middleware<AppState, AppAction> { _, dispatch in
            let editor = dispatch.lift(AppAction.editor)
            return { next in
                { action in
                    next(action)
                    if case .save = action {
                        editor(.insert("!"))
                    }
                }
            }
        }
        @Sendable func editorEffects(_ action: EditorAction) -> Effect<EditorAction> {
            if case .insert("!") = action { .task { $0(.insert("?")) } } else { .none }
        }
        let search = Middleware<AppState, AppAction>.effects { action, getState in
            guard case .editor(let action) = action else { return .none }
            return editorEffects(action).lift(AppAction.editor)
        }
        let reducer = editor.lift(case: Screen.editor).lift(state: \AppState.screen, action: AppAction.editor)
        let store = Store(initial: AppState(), reducer: reducer, middleware: [typing, search])
        store.dispatch(.save)
        await store.waitForEffects()
        #expect(Screen.editor.extract(store.state.screen)?.title == "!?")
    }

    @Test func `A store can take actions of many types`() {
        let store = Store(initial: Pets.Pet(), reducer: Pets.make())
        store.dispatch(Pets.Rename(name: "Tom"))
        #expect(store.state.name == "Tom")
    }

    @Test func `An updatable value is changed by a closure`() {
        let store = Store(initial: Updating.Counter(), reducer: Updating.make())
        store.dispatch(.increment)
        #expect(store.state.count == 1)
        let paid = Order.with { $0.isPaid = true }
        #expect(paid.isPaid)
    }

    @Test func `A thunk dispatches actions`() {
        let store = Store(initial: Thunks.AppState(), reducer: Thunks.adding, middleware: [.thunks])
        let addIfOdd = Thunks.addIfOdd
        store.dispatch(addIfOdd(3))
        #expect(store.state.count == 4)
        store.dispatch(Thunks.makeTwice())
        #expect(store.state.count == 4)
    }
}
