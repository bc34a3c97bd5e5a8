import HindsightStore
import Synchronization
import Testing

// The examples of the documentation, as they stand there, and what else dispatches.

private typealias AppAction = CounterAction

private func importLines(_ lines: [String], into target: some Dispatching<AppAction>) {
    for line in lines { target.dispatch(.rename(line)) }
}

private final class ActionLog: Dispatching {
    let actions = Mutex<[AppAction]>([])
    func dispatch(_ action: AppAction, from origin: Origin) { actions.withLock { $0.append(action) } }
}

@Suite struct DispatchingTests {
    let origins = Notes<String>()

    private func makeStore() -> Store<Counter, CounterAction> {
        Store(initial: Counter(), reducer: counter, middleware: [.noting { [origins] in origins.add("\($0.origin)") }])
    }

    @Test func `A store's dispatch is a function`() {
        let store = makeStore()
        let actions: [AppAction] = [.add(1), .add(2)]
        let send: (AppAction) -> Void = store.dispatch
        actions.forEach(store.dispatch)
        send(.add(3))
        let sendable: @Sendable (AppAction) -> Void = store.dispatch
        sendable(.add(4))
        [.add(5), .add(6)].forEach(store.dispatch)
        _ = actions.map(store.dispatch)
        #expect(store.state.count == 24)
        #expect(origins.all == Array(repeating: "unknown", count: 8))
    }

    @Test func `A store of existential actions has a function, too`() {
        protocol LifeAction: Sendable {}
        struct Birthday: LifeAction {}
        let life = Reducer<Int, any LifeAction>("birthdays", on: Birthday.self) { age, _ in age += 1 }
        let store = Store(initial: 0, reducer: life)
        let send: (any LifeAction) -> Void = store.dispatch
        send(Birthday())
        [Birthday()].forEach(store.dispatch)
        #expect(store.state == 2)
    }

    @Test func `A call knows the line that it stands in, whatever is called`() {
        let store = makeStore()
        let line = #line
        store.dispatch(.add(1))
        store.dispatcher(.add(1))
        store.dispatcher.dispatch(.add(1))
        func generic(_ target: some Dispatching<AppAction>) { target.dispatch(.add(1)) }
        generic(store)
        let any: any Dispatching<AppAction> = store.dispatcher
        any.dispatch(.add(1))
        let lines = [1, 2, 3, 4, 7].map { "HindsightStoreTests/DispatchingTests.swift:\(line + $0)" }
        #expect(origins.all == lines)
    }

    @Test func `Code that only dispatches takes a store, a dispatcher, or a log`() {
        let store = makeStore()
        let log = ActionLog()
        importLines(["a", "b"], into: store)
        importLines(["c"], into: store.dispatcher)
        importLines(["d"], into: log)
        #expect(store.state.name == "c")
        #expect(log.actions.withLock { $0 } == [.rename("d")])
        ["e", "f"].map(CounterAction.rename).forEach(log.dispatch)
        #expect(log.actions.withLock { $0.count } == 3)
    }

    @Test func `A store's dispatcher does not keep the store, and does nothing when that is gone`() {
        var store: Store? = makeStore()
        weak let gone = store
        let dispatch = store?.dispatcher
        dispatch?(.add(1))
        #expect(store?.state.count == 1)
        store = nil
        #expect(gone == nil)
        dispatch?(.add(1))
        #expect(origins.all.count == 1)
    }

    @Test func `A store's dispatcher works in the store's own subscribers and middleware`() {
        let dispatchers = Notes<Dispatcher<CounterAction>>()
        let answering = Middleware<Counter, CounterAction>.layer { action, next, _ in
            next(action)
            if action == .add(1) { dispatchers.all[0](.add(10)) }
        }
        let contexts = Notes<Int?>()
        let store = counterStore([answering, .noting { contexts.add($0.parent) }])
        dispatchers.add(store.dispatcher)
        let token = store.subscribe(\.count) { count in if count == 1 { dispatchers.all[0](.rename("one")) } }
        store.dispatch(.add(1))
        #expect(store.state == Counter(count: 11, name: "one"))
        #expect(contexts.all == [nil, 1, 1])
        withExtendedLifetime(token) {}
    }

    @Test func `The documentation's dispatcher`() {
        let store = makeStore()
        let dispatch = store.dispatcher
        dispatch(.add(1))
        #expect(store.state.count == 1)
    }
}
