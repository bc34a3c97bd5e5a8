import HindsightStore
import Observation
import Testing

// The documentation's examples, verbatim.

private struct AppState: Sendable, Equatable {
    struct User: Sendable, Equatable {
        var name = "Ada"
    }

    var count = 0
    var title = ""
    var user = User()
    var results: [String] = []
    var problem = ""
    var items = [1, 2, 3]
    var filter = Filter.all
}

private enum AppAction: Sendable, Equatable {
    case add(Int)
    case typed(String)
    case cleared
    case found([String])
    case failed(String)
    case rename(String)
    case delete(Int)
    case select(Int)
}

private enum Filter: ObservedValue { case all, open, done }

private let appReducer = Reducer<AppState, AppAction>("app") { state, action in
    switch action {
    case .add(let amount): state.count += amount
    case .typed, .select: break
    case .cleared: state.results = []
    case .found(let results): state.results = results
    case .failed(let problem): state.problem = problem
    case .rename(let title): state.title = title
    case .delete(let item): state.items.removeAll { $0 == item }
    }
}

private func lookUp(_ text: String) async -> [String] { ["\(text).org"] }
private struct Offline: Error {}
private func load() async throws -> [String] { throw Offline() }

@Suite struct TravelDocumentationTests {
    @Test func `An effect dispatches its result`() async {
        let search = Middleware<AppState, AppAction>.effects { action, getState in
            switch action {
            case .typed(let text):
                .task(id: "search") { dispatch in
                    dispatch(.found(await lookUp(text)))
                }
            case .cleared:
                .cancel(id: "search")
            default:
                .none
            }
        }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [search])
        store.dispatch(.typed("swift"))
        await store.waitForEffects()
        #expect(store.state.results == ["swift.org"])
    }

    @Test func `An effect may fail`() async {
        let loading = Middleware<AppState, AppAction>.effects { action, _ in
            guard action == .cleared else { return .none }
            return .task { dispatch in
                dispatch(.found(try await load()))
            } catch: { error, dispatch in
                dispatch(.failed("\(error)"))
            }
        }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [loading])
        store.dispatch(.cleared)
        await store.waitForEffects()
        #expect(store.state.problem == "Offline()")
    }

    @Test func `A dispatch can be bound to an action`() async {
        let tasks = Notes<Task<Void, Never>>()
        let answering = Middleware<AppState, AppAction> { getState, dispatch in
            { next in
                { action in
                    next(action)
                    guard case .typed(let text) = action else { return }
                    let answer = dispatch.bound()
                    tasks.add(Task { answer(.found(await lookUp(text))) })
                }
            }
        }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [answering])
        store.dispatch(.typed("swift"))
        await tasks.all[0].value
        #expect(store.state.results == ["swift.org"])
    }

    @Test func `An action can be passed on later`() async throws {
        let delaying = Middleware<AppState, AppAction> { getState, dispatch in
            { next in
                { action in
                    let next = dispatch.bound(next)
                    Task {
                        try await Task.sleep(for: .milliseconds(100))
                        next(action)
                    }
                }
            }
        }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [delaying])
        store.dispatch(.add(1))
        for _ in 0..<6000 where store.state.count == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(store.state.count == 1)
    }

    @Test func `A function can run on a store`() {
        let store = Store(initial: AppState(count: 1), reducer: appReducer)
        store.run { getState, dispatch in
            if !getState().count.isMultiple(of: 2) { dispatch(.add(1)) }
        }
        #expect(store.state.count == 2)
    }

    @Test func `A store can travel`() throws {
        let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100))
        for _ in 1...5 { store.dispatch(.add(1)) }
        try store.travel(to: 3)
        #expect(store.state.count == 3)
        do {
            try store.travel(to: 400)
        } catch {
            #expect(error.kept == 0...6)
        }
    }

    @Test func `Actions can be undone`() {
        let store = Store(
            initial: AppState(),
            reducer: appReducer,
            middleware: [
                .undo(of: \.self, limit: 50) { action in
                    if case .rename = action { return "typing" }
                    return nil
                } where: { action in
                    if case .select = action { return false }
                    return true
                }
            ]
        )
        for title in ["M", "Mi", "Mil", "Milk"] { store.dispatch(.rename(title)) }
        store.dispatch(.select(3))
        for id in [1, 2] { store.dispatch(.delete(id)) }
        #expect(store.state.items == [3])
        store.undo()
        #expect(store.state.items == [2, 3])
        store.undo()
        #expect(store.state.items == [1, 2, 3])
        store.undo()
        #expect(store.state.title == "")
        store.redo()
        #expect(store.state.title == "Milk")
    }

    @Test func `State can be observed`() {
        let store = Store(initial: AppState(), reducer: appReducer)
        let notes = Notes<String>()
        withObservationTracking {
            notes.add(store.observed.user.name)
        } onChange: {
            notes.add("the name is about to be drawn anew")
        }
        store.dispatch(.add(1))
        #expect(notes.all == ["Ada"])
        #expect(store.observed.filter == .all)
        #expect(store.observed[\.items[1]] == 2)
    }

    @Test func `A binding reads and dispatches`() {
        let store = Store(initial: AppState(), reducer: appReducer)
        let title = store.binding(\.title, sending: { .rename($0) })
        title.wrappedValue = "Milk"
        #expect(store.state.title == "Milk")
    }

    @Test func `Timing and filter are middleware`() {
        let notes = Notes<String>()
        let isSignedIn = false
        let store = Store(
            initial: AppState(),
            reducer: appReducer,
            middleware: [
                .timing { action, duration in
                    if duration > .seconds(60) { notes.add("slow: \(action) \(duration)") }
                },
                .filter { action in isSignedIn || action != .cleared },
            ]
        )
        store.dispatch(.found(["a"]))
        store.dispatch(.cleared)
        #expect(store.state.results == ["a"])
        #expect(notes.all.isEmpty)
    }
}
