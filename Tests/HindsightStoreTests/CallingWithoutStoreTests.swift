import HindsightStore
import Testing

// The examples of the documentation, as they stand there, and what else needs no store.

private let printed = Notes<String>()
private func print(_ items: Any...) { printed.add(items.map { "\($0)" }.joined(separator: " ")) }

private typealias AppState = Counter
private typealias AppAction = CounterAction
private let appReducer = counter

private enum ScreenAction: Sendable {
    case add(Int)
    case run(Thunk<Int, ScreenAction>)
}

private let addingNumbers = Reducer<Int, ScreenAction>("adding") { count, action in
    if case .add(let amount) = action { count += amount }
}

@Suite(.serialized) struct CallingWithoutStoreTests {
    private let logging = Middleware<AppState, AppAction> { getState, dispatch in
        { next in
            { action in
                print("before", getState().count)
                next(action)
                dispatch(.rename("after"))
            }
        }
    }

    @Test func `A reducer changes a state without a store`() {
        var state = AppState()
        appReducer.reduce(&state, .add(1))
        Reducer.combine(appReducer, counting).reduce(&state, .add(2))
        #expect(state.count == 5)
    }

    @Test func `A reducer that only traps or has several statements is not ambiguous`() {
        final class Box: Sendable { let notes = Notes<Int>() }
        struct Boxed: Sendable { let box = Box() }
        enum Deadly: Sendable { case live, die }
        let trapping = Reducer<Int, Deadly>("x") { state, action in if case .die = action { fatalError() } }
        let boxing = Reducer<Boxed, Deadly>("x") { s, _ in
            s.box.notes.add(1)
            s.box.notes.add(2)
        }
        var number = 1
        trapping.reduce(&number, .live)
        var boxed = Boxed()
        boxing.reduce(&boxed, .live)
        #expect(number == 1 && boxed.box.notes.all == [1, 2])
    }

    @Test func `Middleware is called without a store`() {
        let before = printed.all.count
        let handle = logging({ AppState(count: 3) }, Dispatcher { action, _ in print("dispatched", action) })
        handle({ action in print("passed on", action) })(.add(1))
        #expect(printed.all[before...] == ["before 3", "passed on add(1)", "dispatched rename(\"after\")"])
        let dispatch = Dispatcher<AppAction> { action, origin in print(action, "from", origin) }
        dispatch(.add(2))
        let noting = Dispatcher<AppAction> { action, origin in printed.add("\(action) from \(origin)") }
        noting(.add(2))
        #expect(printed.all.last == "add(2) from HindsightStoreTests/CallingWithoutStoreTests.swift:\(#line - 1)")
    }

    @Test func `Combined middleware is as its parts in a row`() {
        func noting(_ name: String, _ notes: Notes<String>) -> Middleware<Counter, CounterAction> {
            Middleware { _, _ in
                { next in
                    { action in
                        notes.add("\(name) before")
                        next(action)
                        notes.add("\(name) after")
                    }
                }
            }
        }
        func run(_ make: (Notes<String>) -> [Middleware<Counter, CounterAction>]) -> [String] {
            let notes = Notes<String>()
            let store = Store(initial: Counter(), reducer: counter, middleware: make(notes))
            store.dispatch(.add(1))
            return notes.all
        }
        let observer: (Notes<String>) -> Middleware<Counter, CounterAction> = { notes in
            .noting { notes.add("observed \($0.seq)") }
        }
        let apart = run { [noting("a", $0), observer($0), noting("b", $0), noting("c", $0)] }
        let together = run { [.combine(noting("a", $0), observer($0), .combine([noting("b", $0), noting("c", $0)]))] }
        #expect(apart == ["a before", "b before", "c before", "observed 1", "c after", "b after", "a after"])
        #expect(together == apart)
        let timing = Middleware<AppState, AppAction>.timing { _, _ in }
        let debugging = Middleware.combine([logging, timing])
        #expect(Store(initial: Counter(), reducer: counter, middleware: [debugging, .combine()]).state.count == 0)
    }

    @Test func `Middleware may be replaced while its store lives, by middleware that calls it`() {
        let current = Notes<Middleware<Counter, CounterAction>>()
        current.add(.empty)
        let replaceable = Middleware<Counter, CounterAction> { getState, dispatch in
            { next in
                { action in (current.all.last ?? .empty)(getState, dispatch)(next)(action) }
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [replaceable])
        store.dispatch(.add(1))
        current.add(.filter { $0 != .add(1) })
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        #expect(store.state.count == 3)
    }

    @Test func `Effects run without a store, and end with their dispatcher`() async {
        let answers = Notes<CounterAction>()
        let counting = Middleware<Counter, CounterAction>.effects { action, _ in
            if case .rename = action { .task { dispatch in dispatch(.add(7)) } } else { .none }
        }
        let dispatch = Dispatcher<CounterAction> { action, _ in answers.add(action) }
        counting({ Counter() }, dispatch)({ _ in })(.rename("go"))
        while answers.all.isEmpty { await Task.yield() }
        #expect(answers.all == [.add(7)])
        withExtendedLifetime(dispatch) {}
    }

    @Test func `A store of enum actions runs thunks`() {
        let addIfOdd = Thunk<Int, ScreenAction> { getState, dispatch in
            if !getState().isMultiple(of: 2) { dispatch(.add(10)) }
        }
        let both = Thunk<Int, ScreenAction> { getState, dispatch in
            dispatch(.add(1))
            addIfOdd(getState, dispatch)
        }
        let thunks = Middleware<Int, ScreenAction>.thunks { action in
            if case .run(let thunk) = action { thunk } else { nil }
        }
        let store = Store(initial: 0, reducer: addingNumbers, middleware: [thunks], history: .last(actions: 9))
        store.run(both)
        #expect(store.state == 11)
        store.dispatch(.run(addIfOdd))
        #expect(store.state == 21)
        #expect(store.history.map(\.seq) == [0, 1, 2, 3])
    }

    @Test func `Functions select, and values need not be comparable`() {
        struct Opaque: Sendable { var count = 0 }
        let notes = Notes<String>()
        let store = Store(initial: Counter(), reducer: counter)
        let opaque = Store(initial: Opaque(), reducer: Reducer<Opaque, Int>("add") { $0.count += $1 })
        let initials = DerivedSelector { (state: AppState) in state.name.prefix(1) }
        let tokens = [
            store.observe { $0.count / 2 }.subscribe { notes.add("half \($0)") },
            store.observe { Opaque(count: $0.count) }.subscribe { notes.add("opaque \($0.count)") },
            store.observe(initials).subscribe { notes.add("\($0)") },
            opaque.subscribe(DerivedSelector(\.self) { "is \($0.count)" }) { notes.add($0) },
            opaque.subscribe(DerivedSelector(\.self, \.count) { "is \($0.count) \($1)" }) { notes.add($0) },
        ]
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        opaque.dispatch(3)
        opaque.dispatch(0)
        #expect(
            notes.all == ["half 0", "opaque 0", "c", "opaque 1", "half 1", "opaque 2", "is 3", "is 3 3"]
        )
        withExtendedLifetime(tokens) {}
    }
}
