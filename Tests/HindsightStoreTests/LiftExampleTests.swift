import HindsightStore
import Testing

/// Small reducers lifted into an app's state.
@Suite struct LiftExampleTests {
    struct Task: Sendable, Equatable, Identifiable {
        let id: Int
        var title: String
    }

    struct AppState: Sendable, Equatable {
        var count = 0
        var tasks: [Int: Task] = [:]
        var today: [Int] = []
    }

    enum AppAction: Sendable {
        case count(CountAction)
        case create(String)
    }

    enum CountAction: Sendable {
        case increment
        case decrement
    }

    static let counter = Reducer<Int, CountAction>("counter") { count, action in
        switch action {
        case .increment: count += 1
        case .decrement: count -= 1
        }
    }

    /// Between the two reducers, the list names a task that does not exist yet.
    static let tasks = Reducer<AppState, AppAction>("tasks") { state, action in
        guard case .create(let title) = action else { return }
        let id = state.today.count + 1
        state.today.append(id)
        state.tasks[id] = Task(id: id, title: title)
    }

    static let app = Reducer<AppState, AppAction>.combine(
        counter.lift(state: \.count, action: { if case .count(let action) = $0 { action } else { nil } }),
        tasks
    )

    @Test func `A reducer of a number counts in a larger state`() {
        let store = Store(initial: AppState(), reducer: Self.app)
        let counts = Notes<Int>()
        let token = store.subscribe(\.count) { counts.add($0) }
        store.dispatch(.count(.increment))
        store.dispatch(.create("write"))
        store.dispatch(.count(.decrement))
        #expect(counts.all == [1, 0])
        withExtendedLifetime(token) {}
    }

    @Test func `Subscribers never see a state in the middle of an action`() {
        let store = Store(initial: AppState(), reducer: Self.app)
        let titles = Notes<[String]>()
        let token = store.subscribe(\.today) { today in
            titles.add(today.map { store.state.tasks[$0]?.title ?? "missing" })
        }
        store.dispatch(.create("write"))
        store.dispatch(.create("test"))
        #expect(titles.all == [["write"], ["write", "test"]])
        withExtendedLifetime(token) {}
    }
}
