import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct StateSignalTests {
    let store = Store(initial: Counter(), reducer: counter)
    let notes = Notes<String>()
    let clock = ManualClock()

    @Test func `A subscription is told the present value at once, then each changed one`() {
        let token = store.observe(\.count).subscribe { [notes] in notes.add("\($0)") }
        #expect(notes.all == ["0"])
        store.dispatch(.rename("other"))
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "1"])
        token.cancel()
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "1"])
    }

    @Test func `A dropped token ends the whole pipeline, and lets go of it`() {
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
        let told = notes.all.count
        store.dispatch(.add(1))
        #expect(notes.all.count == told)
        #expect(held == nil)
    }

    @Test func `Values are filtered, mapped, and told once`() {
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

    @Test func `Signals are merged in the order in which their values come`() {
        let token = store.observe(\.count).map { "\($0)" }
            .merge(with: store.observe(\.name), store.observe(\.isEven).map { "even \($0)" })
            .subscribe { [notes] in notes.add($0) }
        store.dispatch(.add(1))
        store.dispatch(.rename("other"))
        #expect(notes.all == ["0", "counter", "even true", "1", "even false", "other"])
        withExtendedLifetime(token) {}
    }

    @Test func `Signals of several stores are combined`() {
        let other = Store(initial: Counter(), reducer: counter)
        let token = store.observe(\.count).combineLatest(other.observe(\.count))
            .subscribe { [notes] in notes.add("\($0) \($1)") }
        store.dispatch(.add(1))
        other.dispatch(.add(2))
        #expect(notes.all == ["0 0", "1 0", "1 2"])
        withExtendedLifetime(token) {}
    }

    @Test func `What a subscriber dispatches while it is told the present value comes after it`() {
        let token = store.observe(\.count).subscribe { [notes, store] count in
            notes.add("\(count) begins")
            if count < 2 { store.dispatch(.add(1)) }
            notes.add("\(count) ends")
        }
        #expect(notes.all == ["0 begins", "0 ends", "1 begins", "1 ends", "2 begins", "2 ends"])
        withExtendedLifetime(token) {}
    }

    @Test func `A throttle tells the first value at once and the last one when time has passed`() async throws {
        let told = ManualSequence<Int>()
        let token = store.observe(\.count).throttle(for: .seconds(10), clock: clock).subscribe { [notes] count in
            notes.add("\(count)")
            told.give(count)
        }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        #expect(notes.all == ["0"])
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await [told.next(), told.next()] == [0, 2])
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "2"])
        clock.advance(by: .seconds(10))
        #expect(try await told.next() == 3)
        clock.advance(by: .seconds(10))
        store.dispatch(.add(1))
        #expect(notes.all == ["0", "2", "3", "4"])
        withExtendedLifetime(token) {}
    }

    @Test func `A throttled subscriber may dispatch, also when a task tells it`() async throws {
        let told = ManualSequence<Int>()
        let token = store.observe(\.count).throttle(for: .seconds(10), clock: clock).subscribe { [store] count in
            if count == 2 { store.dispatch(.rename("two")) }
            told.give(count)
        }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await [told.next(), told.next()] == [0, 2])
        #expect(store.state.name == "two")
        withExtendedLifetime(token) {}
    }

    @Test func `A debounce tells a value when it has been quiet, and nothing once it is cancelled`() async throws {
        let told = ManualSequence<Int>()
        let token = store.observe(\.count).debounce(for: .seconds(10), clock: clock).subscribe { told.give($0) }
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(5))
        store.dispatch(.add(1))
        clock.advance(by: .seconds(5))
        await clock.sleeper(until: .seconds(15))
        clock.advance(by: .seconds(5))
        #expect(try await told.next() == 1)
        store.dispatch(.add(1))
        await clock.sleeper(until: .seconds(25))
        token.cancel()
        #expect(clock.sleepers == 0)
    }

    @Test func `A signal does not keep its store, and a signal of a store that is gone is silent`() {
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

    @Test func `A signal is a stream, too`() async throws {
        var values = store.observe(\.count).map { $0 * 10 }.values.makeAsyncIterator()
        #expect(await values.next() == 0)
        store.dispatch(.add(1))
        #expect(await values.next() == 10)
    }

    @Test func `A selector is observed like a property`() {
        let token = store.observe(DerivedSelector(\Counter.count, \.name) { "\($1) \($0)" })
            .subscribe { [notes] in notes.add($0) }
        store.dispatch(.add(1))
        #expect(notes.all == ["counter 0", "counter 1"])
        withExtendedLifetime(token) {}
    }

    @Test func `Values of stores that change in many threads are told one at a time, the newest last`() async throws {
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
