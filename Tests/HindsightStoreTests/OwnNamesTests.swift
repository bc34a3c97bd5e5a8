import HindsightStore
import Testing

// An app whose types have the names that Redux suggests, and extensions of the store's types that use them.

private protocol Action: Sendable {}
private struct Add: Action { let amount: Int }

private struct State: Sendable, Equatable {
    var count = 0
}

private let adding = Reducer<State, any Action>("adding", on: Add.self) { $0.count += $1.amount }

extension Store<State, any Action> {
    fileprivate func add(_ amounts: Int...) {
        let actions: [any Action] = amounts.map(Add.init)
        actions.forEach(dispatch)
    }

    fileprivate var next: State { State(count: state.count + 1) }
}

extension Store {
    fileprivate func isAction(_ value: Any) -> Bool { value is any Action }
    fileprivate func isState(_ value: Any) -> Bool { value is State }
}

extension Reducer<State, any Action> {
    fileprivate func result(of action: any Action) -> State {
        var state = State()
        reduce(&state, action)
        return state
    }
}

extension Middleware<State, any Action> {
    fileprivate static func dropping(_ isDropped: @escaping @Sendable (any Action) -> Bool) -> Middleware {
        .filter { (action: any Action) in !isDropped(action) }
    }
}

extension Effect<any Action> {
    fileprivate static func answer(_ action: any Action) -> Effect { .task { $0(action) } }
}

private final class Last: ReductionObserver {
    let states = Notes<State>()
    func storeStarted(initial: State, reducers: [String]) {}
    func willReduce(_ action: any Action, context: ActionContext) {}
    func didRun(reducer: Int, state: State) {}
    func didReduce(state: State) { states.add(state) }
}

@Suite struct OwnNamesTests {
    @Test func `An app may call its types State and Action, also in extensions of the store`() async {
        let last = Last()
        let answering = Middleware<State, any Action>.effects { action, _ in
            (action as? Add)?.amount == 5 ? .answer(Add(amount: 100)) : .none
        }
        let store = Store(
            initial: State(),
            reducer: adding,
            middleware: [.dropping { ($0 as? Add)?.amount == 13 }, answering, Middleware(observer: last)]
        )
        store.add(1, 13, 2)
        #expect(store.next == State(count: 4))
        #expect(store.isAction(Add(amount: 1)) && store.isState(State()) && !store.isState(1))
        #expect(adding.result(of: Add(amount: 7)).count == 7)
        store.dispatch(Add(amount: 5))
        await store.waitForEffects()
        #expect(last.states.all.map(\.count) == [1, 3, 8, 108])
    }
}
