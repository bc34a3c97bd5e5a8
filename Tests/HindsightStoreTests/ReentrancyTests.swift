import HindsightStore
import Observation
import Testing

@Suite struct ReentrancyTests {
    /// The callback that uses the store while it handles an action.
    enum Place: CaseIterable, Sendable {
        case middlewareBefore, middlewareAfter, thunk, subscriber, stepSubscriber, observation

        /// Whether the operation takes effect at once, and not after the round of notifications.
        var isAtOnce: Bool { self == .middlewareBefore || self == .middlewareAfter || self == .thunk }
    }

    enum Operation: CaseIterable, Sendable {
        case dispatch, run, travel, travelToState, undo

        func act(on store: Store<Counter, CounterAction>) {
            switch self {
            case .dispatch: store.dispatch(.add(-7))
            case .run: store.run { _, dispatch in dispatch(.add(-7)) }
            case .travel: #expect(throws: Never.self) { try store.travel(to: 0) }
            case .travelToState: store.travel(toState: Counter(count: 0, name: store.state.name))
            case .undo: store.undo()
            }
        }
    }

    @Test(arguments: Place.allCases, Operation.allCases)
    func `An operation during an action takes effect at once or after the round`(_ place: Place, _ operation: Operation)
    {
        let stores = Notes<Store<Counter, CounterAction>>()
        let seen = Notes<Int>()
        let act: @Sendable () -> Void = {
            guard seen.all.isEmpty, let store = stores.all.first else { return }
            seen.add(store.state.count)
            operation.act(on: store)
            seen.add(store.state.count)
        }
        let layer = Middleware<Counter, CounterAction>.layer { action, next, _ in
            let isIt = action == .rename("go")
            if isIt && place == .middlewareBefore { act() }
            next(action)
            if isIt && place == .middlewareAfter { act() }
        }
        let store = counterStore([layer, .undo(of: \.count)], history: .last(actions: 9))
        stores.add(store)
        store.dispatch(.add(7))
        var tokens: [SubscriptionToken] = []
        switch place {
        case .subscriber: tokens = [store.subscribe(\.name) { _ in act() }]
        case .stepSubscriber: tokens = [store.subscribe(\.name, timing: .eachReducer) { _ in act() }]
        case .observation:
            withObservationTracking {
                _ = store.observed.name
            } onChange: {
                act()
            }
        case .middlewareBefore, .middlewareAfter, .thunk: break
        }
        store.dispatch(.rename("go"))
        if place == .thunk { store.run { _, _ in act() } }
        #expect(seen.all == (place.isAtOnce ? [7, 0] : [7, 7]))
        #expect(store.state.count == 0)
        withExtendedLifetime(tokens) {}
    }

    @Test func `An action that middleware passes on later has no parent, and is reduced`() {
        let held = Notes<@Sendable () -> Void>()
        let holding = Middleware<Counter, CounterAction> { _, _ in
            { next in { action in held.add { next(action) } } }
        }
        let watcher = Watcher()
        let store = Store(initial: Counter(), reducer: counting, middleware: [holding, Middleware(observer: watcher)])
        store.dispatch(.add(1))
        #expect(store.state.count == 0)
        held.all[0]()
        #expect(store.state.count == 1)
        #expect(watcher.notes.all.contains("1 add(1) parent 0 adopted []"))
    }

    @Test func `A subscriber may cancel its subscription and subscribe again`() {
        let store = Store(initial: Counter(), reducer: counter)
        let notes = Notes<String>()
        let held = Notes<SubscriptionToken>()
        held.add(
            store.subscribe(\.count) { count in
                notes.add("old \(count)")
                held.all[0].cancel()
                held.add(store.subscribe(\.count) { notes.add("new \($0)") })
            }
        )
        for _ in 1...3 { store.dispatch(.add(1)) }
        #expect(notes.all == ["old 1", "new 2", "new 3"])
    }

    @Test func `A subscriber of one store may use another store`() {
        let (left, right) = (Store(initial: Counter(), reducer: counter), Store(initial: Counter(), reducer: counter))
        let token = left.subscribe(\.count) { count in right.dispatch(.add(count)) }
        left.dispatch(.add(2))
        left.dispatch(.add(3))
        #expect(right.state.count == 7)
        withExtendedLifetime(token) {}
    }

    @Test func `An action is reduced if the last subscriber dispatches it and then cancels itself`() {
        for timing in [SubscriptionTiming.action, .eachReducer] {
            let store = Store(initial: Counter(), reducer: counter)
            let held = Notes<SubscriptionToken>()
            held.add(
                store.subscribe(\.count, timing: timing) { _ in
                    store.dispatch(.rename("answered"))
                    held.all[0].cancel()
                }
            )
            store.dispatch(.add(1))
            #expect(store.state == Counter(count: 1, name: "answered"))
        }
    }

    @Test func `An action that an observer dispatches is reduced after the current one, its parent`() {
        final class Answering: ReductionObserver {
            typealias StateValue = Counter
            typealias ActionValue = CounterAction
            let stores = Notes<Store<Counter, CounterAction>>()
            private let answers = Notes<String>()

            private func answer(_ name: String) {
                if answers.all.contains(name) { return }
                answers.add(name)
                stores.all[0].dispatch(.rename(name))
            }

            func storeStarted(initial: Counter, reducers: [String]) {}
            func willReduce(_ action: CounterAction, context: ActionContext) { answer("will") }
            func didRun(reducer: Int, state: Counter) { answer("run") }
            func didReduce(state: Counter) { answer("reduced") }
        }
        let (observer, watcher) = (Answering(), Watcher())
        let store = counterStore(
            [Middleware(observer: observer), Middleware(observer: watcher)],
            history: .last(actions: 9)
        )
        observer.stores.add(store)
        store.dispatch(.add(1))
        #expect(store.history.map(\.seq) == Array(0...4))
        #expect(store.history.dropFirst(2).map(\.state.name) == ["will", "run", "reduced"])
        #expect(watcher.notes.all.filter { $0.hasSuffix("parent 1 adopted []") }.count == 3)
    }

    @Test func `An action that a selector dispatches waits until all subscribers are notified`() {
        final class Answer: Sendable {
            let stores = Notes<Store<Counter, CounterAction>>()
        }
        struct Answering: StateSelector {
            let answer: Answer
            func select(_ state: Counter) -> Int {
                if state.name == "counter" { answer.stores.all.first?.dispatch(.rename("selected \(state.count)")) }
                return state.count
            }
            static func == (one: Self, other: Self) -> Bool { one.answer === other.answer }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(answer)) }
        }
        let answer = Answer()
        let store = Store(initial: Counter(), reducer: counter)
        let names = Notes<String>()
        answer.stores.add(store)
        let early = store.subscribe { (state: Counter) in names.add(state.name) }
        var token = store.subscribe(Answering(answer: answer)) { _ in }
        #expect(store.state.name == "selected 0")
        token.cancel()
        store.dispatch(.rename("counter"))
        token = store.subscribe(\.count) { _ in }
        store.travel(toState: Counter(count: 1, name: "early"))
        token = store.subscribe(Answering(answer: answer)) { _ in }
        store.dispatch(.rename("counter"))
        #expect(names.all == ["selected 0", "counter", "early", "counter", "selected 1"])
        withExtendedLifetime((early, token)) {}
    }
}
