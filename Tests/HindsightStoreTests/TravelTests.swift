import HindsightStore
import Testing

@Suite struct TravelTests {
    @Test func `A store travels to a state of its history, and continues from there`() throws {
        let store = Store(initial: Counter(), reducer: counter, history: .last(actions: 10))
        for amount in 1...3 { store.dispatch(.add(amount)) }
        try store.travel(to: 1)
        #expect(store.state.count == 1)
        store.dispatch(.add(10))
        #expect(store.state.count == 11)
    }

    @Test func `History is a log: travel adds an entry of its own, and removes none`() throws {
        let store = Store(initial: Counter(), reducer: counter, history: .last(actions: 10))
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        try store.travel(to: 0)
        store.dispatch(.add(10))
        #expect(store.history.map(\.state.count) == [0, 1, 3, 0, 10])
        #expect(store.history.map(\.isTravel) == [false, false, false, true, false])
        #expect(store.history.map(\.travelledTo) == [nil, nil, nil, 0, nil])
        try store.travel(to: 2)
        #expect(store.state.count == 3)
        store.travel(toState: Counter(count: 42))
        #expect(store.history.last?.travelledTo == nil)
        try store.travel(to: 6)
        #expect(store.state.count == 42)
    }

    @Test func `Travel to a state that is not kept throws an error that names the kept ones, and changes nothing`() {
        let store = Store(initial: Counter(), reducer: counter, history: .last(actions: 2))
        for _ in 1...5 { store.dispatch(.add(1)) }
        for (seq, says) in [(1, "not kept any more"), (6, "no action 6 yet")] {
            let error = #expect(throws: TravelError.self) { try store.travel(to: seq) }
            #expect(error?.seq == seq)
            #expect(error?.kept == 3...5)
            #expect(error?.description.contains(says) == true)
        }
        #expect(store.state.count == 5)

        let forgetful = Store(initial: Counter(), reducer: counter)
        let error = #expect(throws: TravelError.self) { try forgetful.travel(to: 0) }
        #expect(error?.kept == nil)
        #expect(error?.description.contains("keeps no history") == true)
    }

    @Test func `Subscribers and observers can tell travel from an action`() throws {
        let watcher = Watcher()
        let store = counterStore([Middleware(observer: watcher)], history: .last(actions: 10), of: counting)
        let notes = Notes<String>()
        let tokens = [
            store.changes(of: \.count).subscribe { notes.add("\($0.new): \($0.seq) \($0.isTravel)") },
            store.subscribe(\.count, timing: .eachReducer) { notes.add("step \($0)") },
            store.subscribe(\.name) { _ in notes.add("no change, not told") },
        ]
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        try store.travel(to: 1)
        store.travel(toState: Counter(count: 7))
        store.dispatch(.add(1))
        #expect(
            notes.all == [
                "step 1", "1: 1 false", "step 2", "2: 2 false", "step 1", "1: 1 true", "step 7", "7: 4 true", "step 8",
                "8: 5 false",
            ]
        )
        #expect(
            watcher.notes.all.filter { $0.contains("travel") } == ["3 travelled to 1: 1", "4 travelled to -1: 7"]
        )
        withExtendedLifetime(tokens) {}
    }

    @Test func `A subscriber's travel happens after the round, and is the parent of later actions`() {
        let origins = Notes<ActionContext>()
        let store = counterStore([.noting(origins.add)], history: .last(actions: 10))
        let notes = Notes<String>()
        let tokens = [
            store.changes(of: \.count).subscribe { [weak store] change in
                notes.add("a \(change.new)")
                if change.new == 5 { #expect(throws: Never.self) { try store?.travel(to: 1) } }
                if change.isTravel { store?.dispatch(.rename("travelled")) }
            },
            store.subscribe(\.count) { notes.add("b \($0)") },
        ]
        store.dispatch(.add(1))
        store.dispatch(.add(4))
        #expect(notes.all == ["a 1", "b 1", "a 5", "b 5", "a 1", "b 1"])
        #expect(store.state == Counter(count: 1, name: "travelled"))
        #expect(origins.all.map(\.seq) == [1, 2, 3, 4])
        #expect(origins.all.map(\.parent) == [nil, nil, 2, 3])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Travel in middleware happens at once`() {
        let stores = Notes<Store<Counter, CounterAction>>()
        let resetting = Middleware<Counter, CounterAction>.layer { action, next, _ in
            if action == .rename("reset") { stores.all[0].travel(toState: Counter()) }
            next(action)
        }
        let watcher = Watcher()
        let store = counterStore([resetting, Middleware(observer: watcher)], of: counting)
        stores.add(store)
        store.dispatch(.add(3))
        store.dispatch(.rename("reset"))
        #expect(
            watcher.notes.all.suffix(4) == [
                "2 travelled to -1: 0", #"3 rename("reset") parent 0 adopted [2]"#, "1: 0", "done 0",
            ]
        )
    }

    @Test func `Subscribers that travel forever are stopped, and the message shows the loop`() {
        let loops = Notes<DispatchLoop>()
        let store = Store(initial: Counter(), reducer: counter, onLoop: { loops.add($0) })
        let token = store.subscribe(\.count) { [weak store] count in store?.travel(toState: Counter(count: count + 1)) }
        store.dispatch(.add(1))
        #expect(loops.all.count == 1)
        #expect(loops.all[0].description.contains("time travel"))
        withExtendedLifetime(token) {}
    }

    @Test func `An action that a subscriber dispatches after a reducer is reduced after the current action`() {
        let store = Store(initial: Counter(), reducer: .combine(counting, counting))
        let notes = Notes<Int>()
        let token = store.subscribe(\.count, timing: .eachReducer) { [weak store] count in
            notes.add(count)
            if count == 1 { store?.dispatch(.add(10)) }
        }
        store.dispatch(.add(1))
        #expect(notes.all == [1, 2, 12, 22])
        withExtendedLifetime(token) {}
    }
}
