import Foundation
import HindsightStore
import Testing

// The documentation's examples, verbatim.

private let printed = Notes<String>()
private func print(_ items: Any...) { printed.add(items.map { "\($0)" }.joined(separator: " ")) }

private struct AppState: Sendable, Equatable {
    var count = 0
    var name = "counter"
}

private enum AppAction: Sendable {
    case add(Int)
    case rename(String)

    var isPublic: Bool { if case .add = self { true } else { false } }
}

private func makeStore() -> Store<AppState, AppAction> {
    let counting = Reducer<AppState, AppAction>("counting") { state, action in
        if case .add(let amount) = action { state.count += amount }
    }
    let naming = Reducer<AppState, AppAction>("naming") { state, action in
        if case .rename(let name) = action { state.name = name }
    }
    let store = Store(initial: AppState(), reducers: [counting, naming])
    return store
}

private let appReducer = Reducer<AppState, AppAction>.combine(
    Reducer("counting") { state, action in
        if case .add(let amount) = action { state.count += amount }
    },
    Reducer("naming") { state, action in
        if case .rename(let name) = action { state.name = name }
    }
)

private final class Printer: ReductionObserver {
    func storeStarted(initial: AppState, reducers: [String]) { print(reducers) }
    func willReduce(_ action: AppAction, context: ActionContext) { print(context.seq, action) }
    func didRun(reducer: Int, state: AppState) { print("  reducer", reducer) }
    func didReduce(state: AppState) { print("  count is", state.count) }
}

private final class PhasePrinter: ReductionObserver {
    func storeStarted(initial: AppState, reducers: [String]) {}
    func willReduce(_ action: AppAction, context: ActionContext) {}
    func didRun(reducer: Int, state: AppState) {}
    func didReduce(state: AppState) {}
    func didEnter(_ phase: DispatchPhase) {
        if case .subscribers(let seq) = phase { print("subscribers hear of", seq) }
    }
}

private final class ContextPrinter: ReductionObserver {
    func storeStarted(initial: AppState, reducers: [String]) {}
    func willReduce(_ action: AppAction, context: ActionContext) {
        print("\(context.seq) answers \(context.parent ?? 0), from \(context.origin)")
    }
    func didRun(reducer: Int, state: AppState) {}
    func didReduce(state: AppState) {}
}

private final class Screen {
    private var token: SubscriptionToken?

    func appear(_ store: Store<AppState, AppAction>) {
        token = store.subscribe(\.count) { print("count is", $0) }
    }

    func disappear() { token = nil }
}

private enum Logger {
    static func fault(_ text: String) { printed.add(text) }
}
private let logger = Logger.self

@Suite(.serialized, .timeLimit(.minutes(1))) struct StoreDocumentationTests {
    /// What an example printed.
    private func output(_ body: () throws -> Void) rethrows -> [String] {
        let before = printed.all.count
        try body()
        return Array(printed.all[before...])
    }

    @Test func `A store can have middleware and a subscriber`() {
        let logging = Middleware<AppState, AppAction> { getState, dispatch in
            { next in
                { action in
                    print("before", getState())
                    next(action)
                    print("after", getState())
                }
            }
        }
        let recorder = (middleware: Middleware<AppState, AppAction>.empty, 0)
        let lines = output {
            let store = Store(initial: AppState(), reducer: appReducer, middleware: [logging, recorder.middleware])
            let token = store.subscribe(\.count) { print("count is", $0) }
            store.dispatch(.add(1))
            withExtendedLifetime(token) {}
        }
        #expect(lines.count == 3)
        #expect(lines[1] == "count is 1")
    }

    @Test func `A store can have several reducers`() {
        let lines = output {
            let store = makeStore()
            let token = store.subscribe(\.count) { print("count is", $0) }
            store.dispatch(.add(1))
            withExtendedLifetime(token) {}
        }
        #expect(lines == ["count is 1"])
    }

    @Test func `Subscription to the state`() {
        let lines = output {
            let store = makeStore()
            let token = store.subscribe { state in print("the state is", state) }
            store.dispatch(.add(1))
            store.dispatch(.add(0))
            withExtendedLifetime(token) {}
        }
        #expect(lines.count == 1)
    }

    @Test func `A subscription has a timing, and reports what changed`() {
        let lines = output {
            let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 9))
            let screen = Screen()
            screen.appear(store)
            store.dispatch(.add(1))
            screen.disappear()
            do {
                let token = store.changes(of: \.count).subscribe { count in
                    print(count.isTravel ? "back at \(count.new)" : "action \(count.seq) made it \(count.new)")
                    if count.new > count.old { print("it rose by", count.new - count.old) }
                }
                store.dispatch(.add(1))
                store.travel(toState: AppState())
                withExtendedLifetime(token) {}
            }
            let token = store.subscribe(\.count, timing: .eachReducer) { print("a reducer made it", $0) }
            store.dispatch(.add(5))
            withExtendedLifetime(token) {}
        }
        #expect(lines == ["count is 1", "action 2 made it 2", "it rose by 1", "back at 0", "a reducer made it 5"])
    }

    @Test func `A dispatch knows which action it answers`() {
        let greeting = Middleware<AppState, AppAction> { getState, dispatch in
            { next in
                { action in
                    next(action)
                    if getState().count == 1 { dispatch(.rename("first")) }
                }
            }
        }
        let once = Middleware<AppState, AppAction>.filter { action in action.isPublic }
        let lines = output {
            let store = Store(
                initial: AppState(),
                reducer: appReducer,
                middleware: [once, greeting, Middleware(observer: ContextPrinter())]
            )
            store.dispatch(.add(1), from: Origin(file: "session.jsonl", line: 12))
        }
        #expect(lines == ["1 answers 0, from session.jsonl:12"])
        let isSignedIn = false
        let filter = Middleware<AppState, AppAction>
            .filter { action in isSignedIn || action.isPublic }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [filter, greeting])
        store.dispatch(.add(1))
        #expect(store.state.name == "counter")
    }

    @Test func `An observer follows the reduction`() {
        let lines = output {
            let store = Store(initial: AppState(), reducer: appReducer, middleware: [Middleware(observer: Printer())])
            store.dispatch(.add(1))
            let app = appReducer
            print(app.leaves.map(\.name))
        }
        #expect(lines.first == lines.last)
        #expect(lines.dropFirst().dropLast() == ["1 add(1)", "  reducer 1", "  reducer 2", "  count is 1"])
    }

    @Test func `History and micro-history keep past states`() throws {
        let lines = output {
            let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100, reducers: 10))
            store.dispatch(.add(1))
            for record in store.history where !record.isTravel {
                let action = record.action.map { "\($0)" } ?? "start"
                print(record.seq, action, record.state.count)
            }
            for step in store.microHistory { print("\(step.seq).\(step.reducer) \(step.name): \(step.state.count)") }
        }
        #expect(lines.suffix(2) == ["1.1 counting: 1", "1.2 naming: 1"])
        let errors = output {
            let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100))
            for _ in 1...6 { store.dispatch(.add(1)) }
            do {
                try store.travel(to: 400)
            } catch {
                print(error)  // There is no action 400 yet: history holds the states after 0 to 6.
            }
        }
        #expect(errors == ["There is no action 400 yet: history holds the states after 0 to 6."])
    }

    @Test func `A loop can be reported`() {
        let lines = output {
            let store = Store(initial: AppState(), reducer: appReducer, onLoop: { loop in logger.fault("\(loop)") })
            let token = store.subscribe(\.count) { _ in store.dispatch(.add(1)) }
            store.dispatch(.add(1))
            withExtendedLifetime(token) {}
        }
        #expect(lines.count == 1)
    }

    @Test func `Timing middleware reports durations`() {
        let timing = Middleware<AppState, AppAction>
            .timing { action, duration in
                if duration > .milliseconds(8) { print("slow:", action, duration) }
            }
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [timing])
        store.dispatch(.add(1))
        #expect(store.state.count == 1)
    }

    @Test func `A delivery schedules notifications`() async {
        let store = Store(initial: AppState(), reducer: appReducer)
        let onQueue = store.subscribe(\.count, .on(DispatchQueue(label: "subscribers")) { print($0) })
        let operations = OperationQueue()
        let background = Delivery { work in operations.addOperation(work) }
        let token = store.subscribe(\.count, .on(background) { print($0) })
        store.dispatch(.add(77))
        while printed.all.count(where: { $0 == "77" }) < 2 { await Task.yield() }
        withExtendedLifetime((token, onQueue)) {}
    }
}
