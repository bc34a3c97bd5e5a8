import HindsightStore
import Testing

/// A store of a number with several reducers, and listeners that live as long as their tokens.
@Suite struct ListenerExampleTests {
    enum Step: Sendable {
        case up
        case down
    }

    static let stepping = Reducer<Int, Step>("stepping") { number, step in
        switch step {
        case .up: number += 1
        case .down: number -= 1
        }
    }

    @Test func `A listener receives changes until its token is released`() {
        let store = Store(initial: 0, reducer: Self.stepping)
        let heard = Notes<Int>()
        var token: SubscriptionToken? = store.subscribe { (number: Int) in heard.add(number) }
        store.dispatch(.up)
        #expect(store.state == 1)
        #expect(heard.all == [1])
        withExtendedLifetime(token) {}
        token = nil
        store.dispatch(.down)
        #expect(store.state == 0)
        #expect(heard.all == [1])
    }

    @Test func `Reducers in a list run in order`() {
        let doubling = Reducer<Int, Step>("doubling") { number, _ in number *= 2 }
        let store = Store(initial: 1, reducers: [Self.stepping, doubling])
        store.dispatch(.up)
        #expect(store.state == 4)
        store.dispatch(.down)
        #expect(store.state == 6)
    }

    @Test func `A cancelled listener costs nothing: its value is not read`() {
        let looked = Notes<Int>()
        let store = Store(initial: 0, reducer: Self.stepping)
        let selector = DerivedSelector(\Int.self) { number in
            looked.add(number)
            return number
        }
        var tokens = (0..<1000).map { _ in store.subscribe(selector) { _ in } }
        store.dispatch(.up)
        #expect(looked.all == [0, 1])
        withExtendedLifetime(tokens) {}
        tokens.removeAll()
        store.dispatch(.up)
        #expect(looked.all == [0, 1])
    }
}
