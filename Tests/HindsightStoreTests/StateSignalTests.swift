import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StateSignalTests {
    let store = Store(initial: Counter(), reducer: counter)
    let notes = Notes<String>()
    let clock = ManualClock()

    @Test func `A subscription receives the current value at once, then each new one`() {
        let token = store.observe(\.count).subscribe { [notes] in notes.add("\($0)") }
        #expect(notes.all == ["0"])
        store.dispatch(.rename("other"))
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "1"])
        token.cancel()
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "1"])
    }

    @Test func `A released token ends and releases the whole pipeline`() {
        final class Thing: Sendable {}
        weak var held: Thing?
        do {
            let thing = Thing()
            held = thing
            let token = store.observe(\.count).map { $0 + 1 }.merge(with: store.observe(\.count))
                .throttle(for: .seconds(1), clock: clock)
                .combineLatest(store.observe(\.name))
                .subscribe { [notes] _ in
                    withExtendedLifetime(thing) {}
                    notes.add("told")
                }
            #expect(!notes.all.isEmpty)
            withExtendedLifetime(token) {}
        }
        let received = notes.all.count
        store.dispatch(.add(1))
        #expect(notes.all.count == received)
        #expect(held == nil)
    }

    @Test func `Values can be filtered, mapped and deduplicated`() {
        let tokens = [
            store.observe(\.count).filter { $0 > 1 }.map { $0 / 2 }.removeDuplicates()
                .subscribe { [notes] in notes.add("half \($0)") },
            store.observe(\.name).compactMap { Int($0) }.removeDuplicates { abs($0 - $1) < 5 }
                .subscribe { [notes] in notes.add("number \($0)") },
        ]
        for _ in 0..<5 { store.dispatch(.add(1)) }
        for name in ["x", "1", "4", "7"] { store.dispatch(.rename(name)) }
        #expect(notes.all == ["half 1", "half 2", "number 1", "number 7"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Each value comes with the one before it`() {
        let tokens = [
            store.observe(\.count).pairwise().subscribe { [notes] old, new in notes.add("\(old) to \(new)") },
            store.observe(\.count).pairwise().filter { $0.new > $0.old }.map(\.new)
                .subscribe { [notes] in notes.add("rose to \($0)") },
        ]
        for amount in [2, -1, 0, 3] { store.dispatch(.add(amount)) }
        #expect(notes.all == ["0 to 2", "rose to 2", "2 to 1", "1 to 4", "rose to 4"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Merged signals keep the order in which values arrive`() {
        let token = store.observe(\.count).map { "\($0)" }
            .merge(with: store.observe(\.name), store.observe(\.isEven).map { "even \($0)" })
            .subscribe { [notes] in notes.add($0) }
        store.dispatch(.add(1))
        store.dispatch(.rename("other"))
        #expect(notes.all == ["0", "counter", "even true", "1", "even false", "other"])
        withExtendedLifetime(token) {}
    }

    @Test func `Signals of several stores can be combined`() {
        let other = Store(initial: Counter(), reducer: counter)
        let token = store.observe(\.count).combineLatest(other.observe(\.count))
            .subscribe { [notes] in notes.add("\($0) \($1)") }
        store.dispatch(.add(1))
        other.dispatch(.add(2))
        #expect(notes.all == ["0 0", "1 0", "1 2"])
        withExtendedLifetime(token) {}
    }

    @Test func `The end of a value that a signal replaces may dispatch to the signal's other store`() {
        final class Thing: Sendable {
            private let onEnd: @Sendable () -> Void
            init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let things = Store(
            initial: Thing { [store] in store.dispatch(.add(1)) },
            reducer: Reducer<Thing, Thing>.returning("thing") { _, new in new }
        )
        let token = things.observe(\.self).combineLatest(store.observe(\.count))
            .subscribe { [notes] _, count in notes.add("\(count)") }
        things.dispatch(Thing {})
        #expect(notes.all == ["0", "0", "1"])
        withExtendedLifetime(token) {}
    }

    @Test func `A value that a subscriber dispatches during the current value arrives after it`() {
        let token = store.observe(\.count).subscribe { [notes, store] count in
            notes.add("\(count) begins")
            if count < 2 { store.dispatch(.add(1)) }
            notes.add("\(count) ends")
        }
        #expect(notes.all == ["0 begins", "0 ends", "1 begins", "1 ends", "2 begins", "2 ends"])
        withExtendedLifetime(token) {}
    }

    @Test func `A throttle emits the first value at once and the last one after the interval`() async throws {
        let received = ManualSequence<Int>()
        let token = store.observe(\.count).throttle(for: .seconds(10), clock: clock).subscribe { [notes] count in
            notes.add("\(count)")
            received.give(count)
        }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        #expect(notes.all == ["0"])
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await [received.next(), received.next()] == [0, 2])
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "2"])
        clock.advance(by: .seconds(10))
        #expect(try await received.next() == 3)
        clock.advance(by: .seconds(10))
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "2", "3", "4"])
        withExtendedLifetime(token) {}
    }

    @Test func `A throttled subscriber may dispatch, even if a task notifies it`() async throws {
        let received = ManualSequence<Int>()
        let token = store.observe(\.count).throttle(for: .seconds(10), clock: clock).subscribe { [store] count in
            if count == 2 { store.dispatch(.rename("two")) }
            received.give(count)
        }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await [received.next(), received.next()] == [0, 2])
        #expect(store.state.name == "two")
        withExtendedLifetime(token) {}
    }

    @Test func `A debounce emits a value after a quiet interval, and nothing after cancellation`() async throws {
        let received = ManualSequence<Int>()
        let token = store.observe(\.count).debounce(for: .seconds(10), clock: clock).subscribe { received.give($0) }
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(5))
        store.dispatch(.add(1))
        clock.advance(by: .seconds(5))
        await clock.sleeper(until: .seconds(15))
        clock.advance(by: .seconds(5))
        #expect(try await received.next() == 1)
        store.dispatch(.add(1))
        await clock.sleeper(until: .seconds(25))
        token.cancel()
        #expect(clock.sleepers == 0)
    }

    @Test func `A value that waits for a subscriber is dropped if the subscriber cancels`() async throws {
        let received = ManualSequence<String>()
        let kept = Guarded<SubscriptionToken?>(nil)
        do {
            let watch = AtEnd { received.give("released") }
            let token = store.observe(\.count).throttle(for: .seconds(10), clock: clock)
                .subscribe { [store, clock] count in
                    withExtendedLifetime(watch) { received.give("\(count)") }
                    guard count == 2 else { return }
                    clock.advance(by: .seconds(20))
                    store.dispatch(.add(1))
                    kept.withLock { $0 }?.cancel()
                }
            kept.withLock { $0 = token }
        }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await [received.next(), received.next(), received.next()] == ["0", "2", "released"])
    }

    @Test func `A signal does not keep its store alive, and emits nothing after its release`() {
        var store: Store? = Store(initial: Counter(), reducer: counter)
        weak let gone = store
        let signal = store?.observe(\.count)
        let token = signal?.subscribe { [notes] in notes.add("\($0)") }
        store = nil
        #expect(gone == nil)
        let late = signal?.subscribe { [notes] in notes.add("late \($0)") }
        #expect(notes.all == ["0"])
        withExtendedLifetime((token, late)) {}
    }

    @Test func `A selector can be observed like a property`() {
        let token = store.observe(DerivedSelector(\Counter.count, \.name) { "\($1) \($0)" })
            .subscribe { [notes] in notes.add($0) }
        store.dispatch(.add(1))
        #expect(notes.all == ["counter 0", "counter 1"])
        withExtendedLifetime(token) {}
    }

    @Test func `Values from many threads are delivered one at a time, the newest last`() async throws {
        let stores = (0..<4).map { _ in Store(initial: Counter(), reducer: counter) }
        let busy = Notes<Bool>()
        let sums = Notes<Int>()
        let signal = stores.dropFirst().reduce(stores[0].observe(\.count)) { sum, store in
            sum.combineLatest(store.observe(\.count)).map { $0 + $1 }
        }
        let token = signal.subscribe { sum in
            busy.add(true)
            sums.add(sum)
        }
        await withTaskGroup { group in
            for store in stores {
                group.addTask { for _ in 0..<500 { store.dispatch(.add(1)) } }
            }
        }
        #expect(sums.all == sums.all.sorted())
        #expect(sums.all.last == 2000)
        withExtendedLifetime(token) {}
    }
}
