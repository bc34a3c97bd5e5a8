import HindsightStore
import Observation
import Testing

// The documentation's examples, verbatim.

private let printed = Notes<String>()
private func print(_ items: Any...) { printed.add(items.map { "\($0)" }.joined(separator: " ")) }
private func show(_ value: some Any) { print("show", value) }
private func log(_ value: some Any) { print("log", value) }
private func search(_ query: String) async { print("search", query) }

private struct Todo: Sendable, Equatable {
    var title = "write"
    var isDone = false
}

private enum Visibility: Sendable {
    case all
    func shows(_ todo: Todo) -> Bool { true }
}

private struct AppState: Sendable, Equatable {
    struct User: Sendable, Equatable {
        var id = 1
        var name = "Ada"
    }

    var count = 0
    var name = "app"
    var query = "swift"
    var isOnline = true
    var user = User()
    var todos = [Todo()]
    var filter = Visibility.all
    var document = "text"
    var items = [Todo()]
}

private enum AppAction: Sendable {
    case add(Int)
    case rename(String)
    case typed(String)
    case delete(Int)
}

private let appReducer = Reducer<AppState, AppAction>("app") { state, action in
    switch action {
    case .add(let amount): state.count += amount
    case .rename(let name): state.name = name
    case .typed(let text): state.document += text
    case .delete(let index): state.items.remove(at: index)
    }
}

extension AppState {
    fileprivate static let visible = DerivedSelector(\AppState.todos, \.filter) { todos, filter in
        todos.filter { filter.shows($0) }
    }
}

private struct OpenTodos: StateSelector {
    func select(_ todos: [Todo]) -> [Todo] { todos.filter { !$0.isDone } }
}

/// A label as a view has one.
private final class Label: @unchecked Sendable {
    // Sound: the examples use it on one thread at a time.
    var text = ""
}

private enum Observed {
    public enum Filter: ObservedValue { case all, open, done }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct FollowingDocumentationTests {
    private let store = Store(initial: AppState(), reducer: appReducer)

    @Test func `Selectors can be subscribed to and combined`() {
        let tokens: [SubscriptionToken] = [
            {
                let token = store.subscribe(AppState.visible) { show($0) }; return token
            }(),
            {
                let token = store.subscribe(OpenTodos().lift(\.todos)) { print($0.count, "to do") }; return token
            }(),
        ]
        store.travel(toState: AppState(todos: []))
        #expect(printed.all.suffix(2) == ["show []", "0 to do"])
        withExtendedLifetime(tokens) {}
    }

    @Test @MainActor func `A signal can be delivered on the main actor`() async {
        let label = Label()
        let welcome: SubscriptionToken = {
            let token = store.observe(\.name)
                .filter { !$0.isEmpty }
                .map { "Welcome, \($0)" }
                .subscribe { label.text = $0 }
            return token
        }()
        #expect(label.text == "Welcome, app")
        welcome.cancel()
        let token = store.subscribe(\.count, .onMain { [weak label] count in label?.text = "\(count)" })
        store.dispatch(.add(3))
        while label.text != "3" { await Task.yield() }
        withExtendedLifetime(token) {}
    }

    @Test func `Pairs of a signal's values`() {
        let token = store.observe(\.count).pairwise()
            .filter { $0.new > $0.old }
            .subscribe { old, new in print("it rose by", new - old) }
        store.dispatch(.add(7))
        #expect(printed.all.last == "it rose by 7")
        withExtendedLifetime(token) {}
    }

    @Test func `Changes of a value`() {
        let token = store.changes(of: \.count)
            .filter { $0.new > $0.old }
            .subscribe { print("it rose by", $0.new - $0.old) }
        store.dispatch(.add(8))
        #expect(printed.all.last == "it rose by 8")
        withExtendedLifetime(token) {}
    }

    @Test func `An operator of several statements`() {
        let token = store.observe(\.count)
            .map { count -> Int in
                let doubled = count * 2
                return doubled
            }
            .subscribe { print($0) }
        token.cancel()
    }

    @Test func `Signal of a function`() {
        let token = store.observe { $0.items.count }.subscribe { print($0, "items") }
        store.dispatch(.delete(0))
        #expect(printed.all.suffix(2) == ["1 items", "0 items"])
        withExtendedLifetime(token) {}
    }

    @Test func `Streams can be read`() async {
        let network = store
        for await (name, isOnline) in store.observe(\.name).combineLatest(network.observe(\.isOnline)).values {
            #expect(name == "app" && isOnline)
            break
        }
        let users = store.observe(\.user).removeDuplicates { $0.id == $1.id }.values
        for await user in users {
            #expect(user.id == 1)
            break
        }
        var first = Task { [store] in
            for await name in store.observe(\.name).throttle(for: .milliseconds(100)).values { show(name) }
        }
        while !printed.all.contains("show app") { await Task.yield() }
        first.cancel()
        first = Task { [store] in
            for await query in store.observe(\.query).debounce(for: .milliseconds(300)).values { await search(query) }
        }
        while !printed.all.contains("search swift") { await Task.yield() }
        first.cancel()
        first = Task { [store] in
            for await count in store.observe(\.count).values.buffering(.unbounded) { log(count) }
        }
        while !printed.all.contains("log 0") { await Task.yield() }
        first.cancel()
        first = Task { [store] in
            for await name in store.observe(\.name).values {
                print(name)
            }
        }
        while !printed.all.contains("app") { await Task.yield() }
        first.cancel()
    }

    @Test func `Observed state reports a change`() {
        withObservationTracking {
            print(store.observed.user.name)
        } onChange: {
            print("the name is about to be drawn anew")
        }
        store.travel(toState: AppState(user: .init(id: 1, name: "Bob")))
        #expect(printed.all.suffix(2) == ["Ada", "the name is about to be drawn anew"])
        #expect(store.observed[\.items.first?.title] == "write")
        store.dispatch(.delete(0))
        #expect(store.observed[\.items.first?.title] == nil)
        #expect(Observed.Filter.open == .open)
    }

    @Test func `A part can be undone, and several actions at once if they have one key`() {
        let undo = Middleware<AppState, AppAction>
            .undo(of: \AppState.document)
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [undo])
        store.dispatch(.typed("!"))
        store.undo()
        #expect(store.state.document == "text")
        let whole = Middleware<AppState, AppAction>.undo(of: \.self) { action in
            if case .delete = action { return "deletion" }
            return nil
        }
        let other = Store(initial: AppState(items: [Todo(), Todo()]), reducer: appReducer, middleware: [whole])
        for id in [1, 0] { other.dispatch(.delete(id)) }
        other.undo()
        #expect(other.state.items.count == 2)
    }
}
