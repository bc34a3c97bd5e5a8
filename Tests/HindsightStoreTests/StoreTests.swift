import HindsightStore
import Testing

@Suite struct StoreTests {
    @Test func `An action runs every reducer in order`() {
        let store = Store(initial: Counter(), reducer: counter)
        store.dispatch(.add(2))
        store.dispatch(.rename("two"))
        #expect(store.state == Counter(count: 2, name: "two"))
    }

    @Test func `Middleware sees an action in order before the reducers, and in reverse after them`() {
        let notes = Notes<String>()
        func layer(_ name: String) -> Middleware<Counter, CounterAction> {
            Middleware { getState, _ in
                { next in
                    { action in
                        notes.add("\(name) before \(getState().count)")
                        next(action)
                        notes.add("\(name) after \(getState().count)")
                    }
                }
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [layer("a"), layer("b")])
        store.dispatch(.add(1))
        #expect(notes.all == ["a before 0", "b before 0", "b after 1", "a after 1"])
    }

    @Test func `An observer is notified before the first reducer, after each, and after the last`() {
        let watcher = Watcher()
        let swallowing = Middleware<Counter, CounterAction> { _, _ in
            { next in { action in if action != .add(13) { next(action) } } }
        }
        let store = counterStore([Middleware(observer: watcher), swallowing])
        store.dispatch(.add(13))
        store.dispatch(.add(5))
        #expect(
            watcher.notes.all == [
                #"start ["counting", "naming"]"#, "1 add(5) parent 0 adopted []", "1: 5", "2: 5", "done 5",
            ]
        )
    }

    @Test func `An action that middleware dispatches has its parent, even if it is reduced first`() {
        let watcher = Watcher()
        let answering = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            if action == .add(1) { dispatch(.rename("before")) }
            next(action)
            if action == .add(1) { dispatch(.rename("after")) }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [answering, Middleware(observer: watcher)])
        store.dispatch(.add(1))
        #expect(
            watcher.notes.all.filter { $0.contains("parent") } == [
                #"1 rename("before") parent 0 adopted []"#, "2 add(1) parent 0 adopted [1]",
                #"3 rename("after") parent 2 adopted []"#,
            ]
        )
    }

    @Test func `Reducers with equal names get distinct names`() {
        let names = Reducer.combine(counting, naming, counting, counting.prefixed(with: "a")).uniqueNames
        #expect(names == ["counting", "naming", "counting#2", "a.counting"])
    }

    @Test func `Middleware of a released store cannot dispatch`() {
        let late = Notes<Dispatcher<CounterAction>>()
        let keeping = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            late.add(dispatch)
            next(action)
        }
        var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [keeping])
        weak let gone = store
        store?.dispatch(.add(1))
        store = nil
        #expect(gone == nil)
        late.all[0](.add(1))
    }

    /// Something that a program must not do with a store.
    private enum Misuse: String, CaseIterable, Codable {
        case readingState = "Use the state that the reducer is given"
        case observing = "|Use the state that the reducer is given"
        case running = "change it there directly"
        case subscribing = "subscribe outside of the reducer"
        case passingOn = "in a subscriber, dispatch an action instead"
        case undoingNothing = "keeps nothing. Remove the undo middleware"
        case dispatching = "A reducer dispatched an action|dispatch from middleware"
        case travelling = "or travel once the action has passed"
        case undoingWithoutMiddleware = "Put `.undo(of:)` among its middleware"
        case sharingUndo = "Make a new one for each store"

        func commit() {
            switch self {
            case .undoingWithoutMiddleware: Store(initial: Counter(), reducer: counter).undo()
            case .sharingUndo:
                let undo = Middleware<Counter, CounterAction>.undo(of: \.self)
                let stores = [1, 2].map { _ in Store(initial: Counter(), reducer: counter, middleware: [undo]) }
                withExtendedLifetime(stores) {}
            default: commitInReducer()
            }
        }

        private func commitInReducer() {
            let own = Notes<Store<Counter, CounterAction>>()
            let kept = Notes<@Sendable (CounterAction) -> Void>()
            let bad = Reducer<Counter, CounterAction>("bad") { state, _ in
                guard let store = own.all.first else { return }
                switch self {
                case .readingState: state = store.state
                case .observing: _ = store.observed.count
                case .dispatching: store.dispatch(.add(1))
                case .travelling: store.travel(toState: Counter())
                case .running: store.run { _, _ in }
                case .subscribing: _ = store.subscribe { _ in }
                case .passingOn: state.count += 1
                case .undoingNothing: _ = Middleware<Counter, CounterAction>.undo(of: \.self, limit: 0)
                case .undoingWithoutMiddleware, .sharingUndo: break
                }
            }
            let keeping = Middleware<Counter, CounterAction> { _, _ in
                { next in
                    kept.add(next)
                    return next
                }
            }
            let store = Store(initial: Counter(), reducer: bad, middleware: [keeping])
            own.add(store)
            let token = store.subscribe { _ in kept.all[0](.add(1)) }
            store.dispatch(.add(1))
            token.cancel()
        }
    }

    @Test(arguments: Misuse.allCases)
    private func `A program that misuses a store ends with advice, in release builds too`(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [misuse = misuse as Misuse] in
            misuse.commit()
        }
        for words in misuse.rawValue.split(separator: "|") { #expect(result.says(String(words))) }
    }

    @Test func `A function that reads the state does not keep the store alive, and returns its last state`() {
        let readers = Notes<@Sendable () -> Counter>()
        let keeping = Middleware<Counter, CounterAction> { getState, _ in
            readers.add(getState)
            return { $0 }
        }
        var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [keeping])
        weak let gone = store
        store?.run { getState, _ in readers.add(getState) }
        store?.dispatch(.add(5))
        store = nil
        #expect(gone == nil)
        #expect(readers.all.map { $0().count } == [5, 5])
    }
}
