import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct EndOfSourceTests {
    typealias Signal = StateSignal<Int>

    @Test func `A kept token does not retain the closure once the store is gone, whatever the operator`() {
        let operators: [(String, @Sendable (Signal) -> Signal)] = [
            ("none", { $0 }),
            ("map", { $0.map { $0 + 1 } }),
            ("merge", { $0.merge(with: $0) }),
            ("combineLatest", { $0.combineLatest($0).map { $0 + $1 } }),
            ("throttle", { $0.throttle(for: .seconds(1), clock: ManualClock()) }),
            ("both", { $0.throttle(for: .seconds(1), clock: ManualClock()).merge(with: $0) }),
        ]
        for (name, transform) in operators {
            let ended = Notes<String>()
            let token: SubscriptionToken
            do {
                let store = Store(initial: Counter(), reducer: counter)
                let watch = AtEnd { ended.add(name) }
                token = transform(store.observe(\.count)).subscribe { _ in withExtendedLifetime(watch) {} }
                #expect(ended.all.isEmpty)
            }
            #expect(ended.all == [name])
            token.cancel()
        }
    }

    @Test func `A delayed value is still emitted after its store is gone, and then the closure is released`()
        async throws
    {
        let clock = ManualClock()
        let notes = ManualSequence<String>()
        let token: SubscriptionToken
        do {
            let store = Store(initial: Counter(), reducer: counter)
            let watch = AtEnd { notes.give("released") }
            token = store.observe(\.count).debounce(for: .seconds(1), clock: clock).subscribe { count in
                withExtendedLifetime(watch) { notes.give("\(count)") }
            }
            store.dispatch(.add(7))
        }
        clock.advance(by: .seconds(1))
        #expect(try await notes.next() == "7")
        #expect(try await notes.next() == "released")
        token.cancel()
    }

    @Test func `A stream with a combining or a timed operator ends with its store`() async {
        for isTimed in [false, true] {
            var store: Store? = Store(initial: Counter(), reducer: counter)
            let signal = store?.observe(\.count)
            let values =
                isTimed
                ? signal?.throttle(for: .seconds(1), clock: ManualClock()).values
                : signal?.merge().values
            var iterator = values?.makeAsyncIterator()
            #expect(await iterator?.next() == 0)
            store = nil
            #expect(await iterator?.next() == nil)
        }
    }
}
