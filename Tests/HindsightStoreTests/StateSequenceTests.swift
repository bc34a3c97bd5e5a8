import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StateSequenceTests {
    let store = Store(initial: Counter(), reducer: counter)

    @Test func `A stream begins with the current value and yields each new one`() async {
        store.dispatch(.add(1))
        var counts = store.observe(\.count).values.makeAsyncIterator()
        #expect(await counts.next() == 1)
        store.dispatch(.rename("other"))
        store.dispatch(.add(1))
        #expect(await counts.next() == 2)
    }

    @Test func `A slow consumer receives only the newest value`() async {
        var counts = store.observe(\.count).values.makeAsyncIterator()
        for _ in 0..<100 { store.dispatch(.add(1)) }
        #expect(await counts.next() == 100)
        store.dispatch(.add(1))
        #expect(await counts.next() == 101)
    }

    @Test func `A stream does not yield a value again if it changed and changed back`() async {
        var counts = store.observe(\.count).values.makeAsyncIterator()
        #expect(await counts.next() == 0)
        store.dispatch(.add(1))
        store.dispatch(.add(-1))
        store.dispatch(.add(5))
        #expect(await counts.next() == 5)
    }

    @Test(arguments: [
        (StateBuffering.unbounded, [0, 1, 2, 3]), (.newest(2), [2, 3]), (.oldest(2), [0, 1]), (.newest(1), [3]),
    ])
    func `Buffering decides what a slow consumer receives`(_ buffering: StateBuffering, _ expected: [Int]) async {
        var store: Store? = Store(initial: Counter(), reducer: counter)
        guard let counts = store?.observe(\.count).values.buffering(buffering) else { return }
        let iterator = counts.makeAsyncIterator()
        for _ in 0..<3 { store?.dispatch(.add(1)) }
        store = nil
        var values: [Int] = []
        var rest = iterator
        while let value = await rest.next() { values.append(value) }
        #expect(values == expected)
    }

    @Test func `A stream ends with its store, and does not keep it alive`() async {
        var store: Store? = Store(initial: Counter(), reducer: counter)
        weak let gone = store
        guard let sequence = store?.observe(\.count).values else { return }
        var counts = sequence.makeAsyncIterator()
        #expect(await counts.next() == 0)
        store = nil
        #expect(gone == nil)
        #expect(await counts.next() == nil)
        for await _ in sequence { Issue.record("a stream of a released store yielded a value") }
    }

    @Test func `A stream ends with its task`() async {
        let begun = ManualSequence<Void>()
        let task = Task { [store] in
            var all: [Int] = []
            for await count in store.observe(\.count).values {
                all.append(count)
                begun.give(())
            }
            return all
        }
        _ = try? await begun.next()
        task.cancel()
        #expect(await task.value == [0])
    }

    @Test func `A released iterator ends its subscription`() async {
        let looked = Notes<Int>()
        let selector = DerivedSelector(\Counter.count) { count in
            looked.add(count)
            return count
        }
        for await count in store.observe(selector).values where count == 0 { break }
        store.dispatch(.add(1))
        #expect(looked.all == [0])
    }

    @Test func `Each iteration has its own subscription`() async {
        let counts = store.observe(\.count).values
        var first = counts.makeAsyncIterator()
        #expect(await first.next() == 0)
        store.dispatch(.add(1))
        var second = counts.makeAsyncIterator()
        #expect(await second.next() == 1)
        #expect(await first.next() == 1)
    }

    @Test func `Values that are not equatable are yielded after every action`() async {
        struct Opaque: Sendable { var number = 0 }
        let store = Store(initial: Opaque(), reducer: Reducer<Opaque, Int>("set") { $0.number = $1 })
        var values = store.observe(\.self).values.makeAsyncIterator()
        #expect(await values.next()?.number == 0)
        store.dispatch(0)
        #expect(await values.next()?.number == 0)
    }

    @Test func `The standard library's operators work on a signal's values`() async {
        var store: Store? = Store(initial: Counter(), reducer: counter)
        guard let counts = store?.observe(\.count).removeDuplicates().values.buffering(.unbounded) else { return }
        var values = counts.filter { $0 > 0 }.map { "count \($0)" }.makeAsyncIterator()
        let next = Task { [store] in
            store?.dispatch(.add(1))
        }
        #expect(await values.next(isolation: nil) == "count 1")
        await next.value
        store = nil
        #expect(await values.next(isolation: nil) == nil)
    }
}
