import HindsightStore
import TestSupport
import Testing

@Suite struct HistoryTests {
    @Test func `History keeps the last states, and micro-history names the reducer of each`() {
        let store = Store(initial: Counter(), reducer: counter, history: .last(actions: 2, reducers: 3))
        let seen = Notes<Int>()
        let token = store.subscribe { [weak store] (_: Counter) in seen.add(store?.history.count ?? 0) }
        for amount in 1...3 { store.dispatch(.add(amount)) }
        #expect(seen.all == [2, 3, 3])
        token.cancel()
        #expect(store.history.map(\.seq) == [1, 2, 3])
        #expect(store.history.map(\.state.count) == [1, 3, 6])
        #expect(store.history.last?.action == .add(3))
        #expect(store.microHistory.map(\.name) == ["naming", "counting", "naming"])
        #expect(store.microHistory.map(\.seq) == [2, 3, 3])
        #expect(store.microHistory.map(\.state.count) == [3, 6, 6])
    }

    @Test func `A store keeps no history by default`() {
        let store = Store(initial: Counter(), reducer: counter)
        store.dispatch(.add(1))
        #expect(store.history.isEmpty)
        #expect(store.microHistory.isEmpty)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, Int.max - 1, Int.max])
    func `A history limit may be any number, and a negative one means none`(_ number: Int) {
        var limit = HistoryLimit.none
        limit.actions = number
        limit.reducers = number
        for limit in [limit, .last(actions: number, reducers: number)] {
            let store = Store(initial: Counter(), reducer: counter, history: limit)
            for amount in 1...3 { store.dispatch(.add(amount)) }
            let kept = min(max(0, number), 6)
            #expect(store.history.map(\.seq) == Array(0...3).suffix(kept == 0 ? 0 : kept + 1))
            #expect(store.microHistory.map(\.seq) == [1, 1, 2, 2, 3, 3].suffix(kept))
        }
    }

    @Test func `The end of an object in the history may read the history`() {
        let notes = Notes<Int>()
        let reading = Guarded<@Sendable () -> Int>({ 0 })
        let store = Store(
            initial: nil,
            reducer: Reducer<AtEnd?, AtEnd?>("set") { $0 = $1 },
            history: .last(actions: 1, reducers: 1)
        )
        reading.withLock { $0 = { [weak store] in store.map { $0.history.count + $0.microHistory.count } ?? 0 } }
        for _ in 0..<4 { store.dispatch(AtEnd { notes.add(reading.withLock { $0 }()) }) }
        #expect(notes.all == [3, 3])
        store.travel(toState: nil)
        #expect(notes.all == [3, 3, 3])
    }
}
