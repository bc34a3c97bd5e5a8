import HindsightStore
import Testing

@Suite struct StoreTests {
    @Test func `An action changes the state by every reducer in order`() {
        let store = Store(initial: Counter(), reducer: counter)
        store.dispatch(.add(2))
        store.dispatch(.rename("two"))
        #expect(store.state == Counter(count: 2, name: "two"))
    }

    @Test func `Middleware sees an action in order before, and in reverse after`() {
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

    @Test func `An observer is told before the first reducer, after each, and after the last`() {
        let watcher = Watcher()
        let swallowing = Middleware<Counter, CounterAction> { _, _ in
            { next in { action in if action != .add(13) { next(action) } } }
        }
        let store = Store(
            initial: Counter(),
            reducer: counter,
            middleware: [Middleware(observer: watcher), swallowing]
        )
        store.dispatch(.add(13))
        store.dispatch(.add(5))
        #expect(
            watcher.notes.all == [
                #"start ["counting", "naming"]"#, "1 add(5) parent 0 adopted []", "1: 5", "2: 5", "done 5",
            ]
        )
    }

    @Test func `Actions that middleware dispatches know their parent, also those reduced before it`() {
        let watcher = Watcher()
        let answering = Middleware<Counter, CounterAction> { _, dispatch in
            { next in
                { action in
                    if action == .add(1) { dispatch(.rename("before")) }
                    next(action)
                    if action == .add(1) { dispatch(.rename("after")) }
                }
            }
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

    @Test func `Reducers of one name are told apart`() {
        let names = Reducer.combine(counting, naming, counting, counting.prefixed(with: "a")).uniqueNames
        #expect(names == ["counting", "naming", "counting#2", "a.counting"])
    }

    @Test func `A dropped store ends its middleware's dispatching`() {
        let late = Notes<Dispatcher<CounterAction>>()
        let keeping = Middleware<Counter, CounterAction> { _, dispatch in
            { next in
                { action in
                    late.add(dispatch)
                    next(action)
                }
            }
        }
        var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [keeping])
        weak let gone = store
        store?.dispatch(.add(1))
        store = nil
        #expect(gone == nil)
        late.all[0](.add(1))
    }

    @Test func `A reducer that dispatches is told what to do instead, also where it is built for release`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let own = Notes<Store<Counter, CounterAction>>()
            let bad = Reducer<Counter, CounterAction>("bad") { _, _ in own.all.first?.dispatch(.add(1)) }
            let store = Store(initial: Counter(), reducer: bad)
            own.add(store)
            store.dispatch(.add(1))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("A reducer dispatched an action"))
        #expect(message.contains("dispatch from middleware"))
    }

    @Test func `Who was handed a way to read the state does not keep the store, and reads its last state`() {
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
