import HindsightStore
import Testing

@Suite struct SubscriptionTests {
    private let store = Store(initial: Counter(), reducer: counter)
    private let notes = Notes<String>()

    @Test func `Subscribers of a key path are notified only if its value changed`() {
        let tokens = [
            store.subscribe(\.count) { notes.add("count \($0)") },
            store.subscribe(\.isEven) { notes.add("even \($0)") },
            store.subscribe { (state: Counter) in notes.add("state \(state.count)") },
        ]
        store.dispatch(.add(2))
        store.dispatch(.add(0))
        store.dispatch(.add(1))
        #expect(notes.all == ["count 2", "state 2", "count 3", "even false", "state 3"])
        tokens.forEach { $0.cancel() }
        store.dispatch(.add(1))
        #expect(notes.all.count == 5)
    }

    @Test func `A subscriber may also receive the present value at once`() {
        let doubled = DerivedSelector(\Counter.count) { $0 * 2 }
        let tokens = [
            store.subscribe(initial: true) { notes.add("state \($0.count)") },
            store.subscribe(\.count, initial: true) { notes.add("count \($0)") },
            store.subscribe(doubled, initial: true) { notes.add("doubled \($0)") },
            store.subscribe(\.count, initial: true, .on(Delivery { $0() }) { notes.add("delivered \($0)") }),
            store.subscribe(\.count, initial: false) { notes.add("later \($0)") },
        ]
        #expect(notes.all == ["state 0", "count 0", "doubled 0", "delivered 0"])
        store.dispatch(.add(1))
        #expect(notes.all.dropFirst(4) == ["state 1", "count 1", "doubled 2", "delivered 1", "later 1"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A released token ends its subscription, whose value is then not read`() {
        let looked = Notes<Int>()
        let received = Notes<Int>()
        let selector = DerivedSelector(\Counter.count) { count in
            looked.add(count)
            return count
        }
        var tokens = (0..<1000).map { _ in store.subscribe(selector) { received.add($0) } }
        store.dispatch(.add(1))
        #expect(looked.all == [0, 1] && received.all.count == 1000)
        withExtendedLifetime(tokens) {}
        tokens.removeAll()
        store.dispatch(.add(1))
        #expect(looked.all == [0, 1] && received.all.count == 1000)
    }

    @Test func `An ended subscription releases its closure, which may hold other subscriptions`() {
        final class Owner: Sendable {
            let token: SubscriptionToken
            init(_ token: SubscriptionToken) { self.token = token }
        }
        let kept = store.subscribe(\.count) { _ in }
        var tokens: [SubscriptionToken] = []
        weak var first: Owner?
        for _ in 0..<100 {
            let owner = Owner(store.subscribe(\.count) { _ in })
            if first == nil { first = owner }
            tokens.append(store.subscribe(\.count) { _ in withExtendedLifetime(owner) {} })
        }
        #expect(first != nil)
        tokens.removeFirst()
        #expect(first == nil)
        tokens.removeAll()
        withExtendedLifetime(kept) {}
    }

    @Test func `A released store has released its subscribers' closures`() {
        final class Thing: Sendable {}
        weak var held: Thing?
        var store: Store? = Store(initial: Counter(), reducer: counter)
        var token: SubscriptionToken?
        do {
            let thing = Thing()
            held = thing
            token = store?.subscribe(\.count) { _ in withExtendedLifetime(thing) {} }
        }
        #expect(held != nil)
        store = nil
        #expect(held == nil)
        withExtendedLifetime(token) {}
    }

    @Test func `All subscribers are notified in the order of their subscription`() {
        let notes = Notes<Int>()
        let tokens = (0..<40).map { index in
            switch index % 3 {
            case 0: store.subscribe(\.count) { _ in notes.add(index) }
            case 1: store.subscribe(\.isEven) { _ in notes.add(index) }
            default: store.subscribe { (_: Counter) in notes.add(index) }
            }
        }
        store.dispatch(.add(1))
        #expect(notes.all == Array(0..<40))
        withExtendedLifetime(tokens) {}
    }

    @Test func `Actions that subscribers dispatch run after the round, in order`() {
        let tokens = [
            store.subscribe(\.count) { count in
                notes.add("a \(count)")
                if count == 1 {
                    store.dispatch(.add(10))
                    store.dispatch(.add(100))
                    notes.add("a dispatched")
                }
            },
            store.subscribe(\.count) { notes.add("b \($0)") },
        ]
        store.dispatch(.add(1))
        #expect(notes.all == ["a 1", "a dispatched", "b 1", "a 11", "b 11", "a 111", "b 111"])
        #expect(store.state.count == 111)
        withExtendedLifetime(tokens) {}
    }

    @Test func `Cancelling and subscribing during a round take effect as documented`() {
        let held = Notes<SubscriptionToken>()
        let first = store.subscribe(\.count) { count in
            notes.add("first \(count)")
            held.all.first?.cancel()
            held.add(store.subscribe(\.count) { notes.add("new \($0)") })
        }
        held.add(store.subscribe(\.count) { notes.add("cancelled \($0)") })
        store.dispatch(.add(1))
        #expect(notes.all == ["first 1"])
        store.dispatch(.add(1))
        #expect(notes.all == ["first 1", "first 2", "new 2"])
        withExtendedLifetime(first) {}
    }

    @Test func `A subscriber with step timing is notified after each reducer`() {
        let twice = Reducer<Counter, CounterAction>.combine(counting, counting)
        let store = Store(initial: Counter(), reducer: twice)
        let tokens = [
            store.subscribe(\.count, timing: .eachReducer) { notes.add("step \($0)") },
            store.subscribe(\.count) { notes.add("action \($0)") },
            store.subscribe(timing: .eachReducer) { (state: Counter) in notes.add("state \(state.count)") },
        ]
        store.dispatch(.add(1))
        #expect(notes.all == ["step 1", "state 1", "step 2", "state 2", "action 2"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A subscription releases its value if it or its store ends`() {
        final class Thing: Sendable {}
        struct Holder: Sendable { var thing: Thing? = Thing() }
        var store: Store? = Store(
            initial: Holder(),
            reducer: Reducer<Holder, Bool>("clear") { holder, clears in
                holder.thing = clears ? nil : Thing()
            }
        )
        weak var held = store?.state.thing
        let ended = store?.subscribe { (_: Holder) in }
        ended?.cancel()
        store?.dispatch(true)
        #expect(held == nil)

        store?.dispatch(false)
        held = store?.state.thing
        let outliving = store?.subscribe { (_: Holder) in }
        #expect(held != nil)
        store = nil
        #expect(held == nil)
        withExtendedLifetime((ended, outliving)) {}
    }

    @Test func `A token may be part of the state, and ends its subscription when it leaves the state`() {
        final class Owner: Sendable {
            let token: SubscriptionToken
            init(_ token: SubscriptionToken) { self.token = token }
        }
        struct Holder: Sendable {
            var owner: Owner?
            var count = 0
        }
        let leaving = Reducer<Holder, Int>("leaving") { holder, amount in
            holder.count += amount
            if holder.count > 1 { holder.owner = nil }
        }
        let store = Store(initial: Holder(), reducer: leaving, history: .last(actions: 1, reducers: 1))
        let counts = Notes<Int>()
        store.travel(toState: Holder(owner: Owner(store.subscribe(\.count) { counts.add($0) })))
        let all = store.subscribe { (_: Holder) in }
        for _ in 1...6 { store.dispatch(1) }
        // History holds the previous state, and with it the token.
        #expect(counts.all == [1, 2])
        withExtendedLifetime(all) {}
    }
}
