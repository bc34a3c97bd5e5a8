import HindsightStore
import Testing

private protocol ThunkAction: Sendable {}
private struct Add: ThunkAction { let amount: Int }
extension Thunk: ThunkAction where StateValue == Int, ActionValue == any ThunkAction {}

private let adding = Reducer<Int, any ThunkAction>("adding") { count, action in
    if let add = action as? Add { count += add.amount }
}

private func addIfOdd(_ amount: Int) -> Thunk<Int, any ThunkAction> {
    Thunk { getState, dispatch in
        if !getState().isMultiple(of: 2) { dispatch(Add(amount: amount)) }
    }
}

@Suite struct ThunkTests {
    @Test func `A thunk is an action that reads the state and dispatches others`() {
        let store = Store(initial: 0, reducer: adding, middleware: [.thunks], history: .last(actions: 9))
        store.dispatch(addIfOdd(10))
        store.dispatch(Add(amount: 1))
        store.dispatch(addIfOdd(10))
        #expect(store.state == 11)
        #expect(store.history.map(\.seq) == [0, 1, 2])
    }

    @Test func `A function runs on a store of any actions, and its result is returned`() throws {
        struct Refused: Error {}
        let store = Store(initial: Counter(), reducer: counter)
        let count = store.run { getState, dispatch in
            dispatch(.add(2))
            dispatch(.add(3))
            return getState().count
        }
        #expect(count == 5)
        #expect(throws: Refused.self) { try store.run { _, _ in throw Refused() } }
        store.dispatch(.add(1))
        #expect(store.state.count == 6)
    }

    @Test func `An action that a function dispatches has the parent of an action in its place, even later`() {
        let origins = Notes<ActionContext>()
        let stores = Notes<Store<Counter, CounterAction>>()
        let kept = Notes<Dispatcher<CounterAction>>()
        let running = Middleware<Counter, CounterAction>.layer { action, next, _ in
            let isFirst = action == .add(1)
            if isFirst { stores.all[0].run { _, dispatch in dispatch(.rename("before")) } }
            next(action)
            if isFirst {
                stores.all[0].run { _, dispatch in
                    dispatch(.rename("after"))
                    kept.add(dispatch)
                }
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [running, .noting(origins.add)])
        stores.add(store)
        store.dispatch(.add(1))
        kept.all[0](.rename("later"))
        #expect(origins.all.map(\.parent) == [nil, nil, 2, 2])
        #expect(origins.all.map(\.adopted) == [[], [1], [], []])
    }

    @Test func `A dispatch function that middleware keeps has a parent only if it is bound`() {
        let origins = Notes<ActionContext>()
        let kept = Notes<Dispatcher<CounterAction>>()
        let keeping = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            let bound = dispatch.bound()
            next(action)
            if action == .add(1) {
                kept.add(dispatch)
                kept.add(bound)
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [keeping, .noting(origins.add)])
        store.dispatch(.add(1))
        for dispatch in kept.all { dispatch(.add(2)) }
        #expect(origins.all.map(\.parent) == [nil, nil, 1])
    }

    @Test func `A function's actions in a subscriber wait for the end of the round`() {
        let store = Store(initial: Counter(), reducer: counter)
        let notes = Notes<String>()
        let tokens = [
            store.subscribe(\.count) { [weak store] count in
                guard count == 1 else { return }
                store?.run { getState, dispatch in
                    dispatch(.add(10))
                    notes.add("run \(getState().count)")
                }
            },
            store.subscribe(\.count) { notes.add("told \($0)") },
        ]
        store.dispatch(.add(1))
        #expect(notes.all == ["run 1", "told 1", "told 11"])
        withExtendedLifetime(tokens) {}
    }
}
