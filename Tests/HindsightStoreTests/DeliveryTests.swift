import Dispatch
import TestSupport
import Testing

@testable import HindsightStore

/// An actor that notes the counts that it receives.
private actor Session {
    private(set) var counts: [Int] = []
    let received = ManualSequence<Int>()

    func show(_ count: Int) {
        counts.append(count)
        received.give(count)
    }
}

/// Scheduled work that runs when a test says so.
private final class Later: Sendable {
    private let work = Guarded<[@Sendable () -> Void]>([])
    var count: Int { work.withLock { $0.count } }

    var delivery: Delivery {
        Delivery { work in self.work.withLock { $0.append(work) } }
    }

    func runAll() {
        let all = work.withLock { work in
            defer { work = [] }
            return work
        }
        for work in all { work() }
    }
}

@Suite(.timeLimit(.minutes(1))) struct DeliveryTests {
    let store = Store(initial: Counter(), reducer: counter)

    @Test func `A delivery brings the newest value once, and schedules one piece of work at a time`() {
        let later = Later()
        let notes = Notes<Int>()
        let token = store.subscribe(\.count, .on(later.delivery) { notes.add($0) })
        for _ in 0..<10 { store.dispatch(.add(1)) }
        #expect(later.count == 1)
        #expect(notes.all.isEmpty)
        later.runAll()
        #expect(notes.all == [10])
        later.runAll()
        #expect(notes.all == [10])
        store.dispatch(.add(1))
        store.dispatch(.add(-1))
        later.runAll()
        #expect(notes.all == [10])
        token.cancel()
    }

    @Test func `A value that arrives during a delivery is scheduled again`() {
        let later = Later()
        let notes = Notes<Int>()
        let token = store.subscribe(
            \.count,
            .on(later.delivery) { [store] count in
                notes.add(count)
                if count < 3 { store.dispatch(.add(1)) }
            }
        )
        store.dispatch(.add(1))
        later.runAll()
        #expect(notes.all == [1])
        #expect(later.count == 1)
        later.runAll()
        later.runAll()
        #expect(notes.all == [1, 2, 3])
        #expect(later.count == 0)
        withExtendedLifetime(token) {}
    }

    @Test func `Cancelling a subscription drops a scheduled value`() {
        let later = Later()
        let notes = Notes<Int>()
        let token = store.subscribe(\.count, .on(later.delivery) { notes.add($0) })
        store.dispatch(.add(1))
        token.cancel()
        later.runAll()
        #expect(notes.all.isEmpty)
    }

    @Test func `A subscription that ends while a delivery compares values receives no more`() {
        /// A value whose comparison runs a closure of the test, once.
        struct Noticed: Sendable, Equatable {
            var number = 0
            static let whenCompared = Guarded<(@Sendable () -> Void)?>(nil)
            static func == (one: Noticed, other: Noticed) -> Bool {
                let run = whenCompared.withLock { run in
                    defer { run = nil }
                    return run
                }
                run?()
                return one.number == other.number
            }
        }
        let store = Store(initial: Noticed(), reducer: Reducer<Noticed, Int>("set") { $0.number = $1 })
        let later = Later()
        let notes = Notes<Int>()
        let token = store.subscribe(\.self, .on(later.delivery) { notes.add($0.number) })
        store.dispatch(1)
        later.runAll()
        store.dispatch(2)
        Noticed.whenCompared.withLock { $0 = { token.cancel() } }
        later.runAll()
        #expect(notes.all == [1])
        later.runAll()
        #expect(later.count == 0)
    }

    @Test func `A value that arrives after the end of a subscription is not kept`() {
        let buffer = LatestValueBuffer<Int>(isSame: ==)
        buffer.close()
        buffer.put(1)
        #expect(!buffer.needsDelivery())
    }

    @Test func `A dispatch queue is a place for each kind of subscription`() async throws {
        let queue = DispatchQueue(label: "subscribers")
        let received = ManualSequence<String>()
        let tokens = [
            store.subscribe(\.count, .on(queue) { received.give("count \($0)") }),
            store.subscribe(\.count, skipsRepeats: false, .on(queue) { received.give("each \($0)") }),
            store.subscribe(\.self, .on(queue) { received.give("state \($0.count)") }),
            store.observe(\.count).filter { $0 > 0 }.subscribe(.on(queue) { received.give("signal \($0)") }),
        ]
        store.dispatch(.add(1))
        var all: Set<String> = []
        for _ in tokens { all.insert(try #require(await received.next())) }
        #expect(all == ["count 1", "each 1", "state 1", "signal 1"])
        store.subscribe(\.count, .on(DispatchQueue.main) { _ in }).cancel()
        tokens.forEach { $0.cancel() }
    }

    @Test func `A dispatch queue as delivery does not lose the last value`() async throws {
        let queue = DispatchQueue(label: "subscribers", attributes: .concurrent)
        let delivery = Delivery { work in queue.async(execute: work) }
        let counts = Notes<Int>()
        let received = ManualSequence<Int>()
        let token = store.subscribe(
            \.count,
            .on(delivery) { count in
                counts.add(count)
                if count == 4000 { received.give(count) }
            }
        )
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [store] in for _ in 0..<1000 { store.dispatch(.add(1)) } }
            }
        }
        #expect(try await received.next() == 4000)
        #expect(counts.all == Set(counts.all).sorted())
        withExtendedLifetime(token) {}
    }

    @Test func `An actor receives values in its own isolation, in order, with the newest last`() async throws {
        let session = Session()
        let token = store.subscribe(\.count, .on(session) { session, count in session.show(count) })
        for _ in 0..<100 { store.dispatch(.add(1)) }
        while try await session.received.next() != 100 {}
        let counts = await session.counts
        #expect(counts == Set(counts).sorted())
        withExtendedLifetime(token) {}
    }

    @Test func `A subscription does not keep its actor alive`() {
        var session: Session? = Session()
        weak let gone = session
        let token = session.map { store.subscribe(\.count, .on($0) { session, count in session.show(count) }) }
        session = nil
        #expect(gone == nil)
        store.dispatch(.add(1))
        withExtendedLifetime(token) {}
    }

    @Test func `The main actor receives values in its own isolation`() async throws {
        let received = ManualSequence<Int>()
        let token = store.subscribe(
            \.count,
            .onMain { count in
                MainActor.assertIsolated()
                received.give(count)
            }
        )
        store.dispatch(.add(1))
        #expect(try await received.next() == 1)
        withExtendedLifetime(token) {}
    }

    @Test func `A task executor can be a delivery`() async throws {
        let received = ManualSequence<Int>()
        let token = store.subscribe(\.count, .on(Delivery(on: globalConcurrentExecutor)) { received.give($0) })
        store.dispatch(.add(1))
        #expect(try await received.next() == 1)
        withExtendedLifetime(token) {}
    }

    @Test func `Signals can be delivered too, and begin with the current value`() async throws {
        let session = Session()
        let later = Later()
        let received = ManualSequence<Int>()
        let notes = Notes<String>()
        let signal = store.observe(\.count).map { $0 * 10 }
        let tokens = [
            signal.subscribe(.on(session) { session, count in session.show(count) }),
            signal.subscribe(.on(later.delivery) { notes.add("\($0)") }),
            signal.subscribe(.onMain { received.give($0) }),
        ]
        #expect(try await session.received.next() == 0)
        #expect(try await received.next() == 0)
        later.runAll()
        store.dispatch(.add(1))
        later.runAll()
        #expect(try await session.received.next() == 10)
        #expect(try await received.next() == 10)
        #expect(notes.all == ["0", "10"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A subscriber in its own isolation receives the value at once, in place of a scheduled older one`() {
        let notes = Notes<Int>()
        let scheduled = Notes<DeliveryScheduler<Int>>()
        let here = Notes<Void>()
        let scheduler = DeliveryScheduler<Int>(
            isSame: ==,
            deliverHere: { scheduler in
                guard !here.all.isEmpty else { return false }
                scheduler.deliverAtOnce { notes.add($0) }
                return true
            },
            schedule: { scheduled.add($0) }
        )
        let token = scheduler.follow { store.subscribe(\.count, $0) }
        store.dispatch(.add(1))
        #expect(scheduled.all.count == 1)
        here.add(())
        store.dispatch(.add(1))
        #expect(notes.all == [2])
        scheduled.all[0].deliver { notes.add($0) }
        #expect(notes.all == [2])
        withExtendedLifetime(token) {}
    }

    @Test func `An action of a subscriber that receives a value at once arrives afterwards, without a hop`() {
        let notes = Notes<String>()
        let scheduler = DeliveryScheduler<Int>(
            isSame: ==,
            deliverHere: { [store] scheduler in
                scheduler.deliverAtOnce { count in
                    notes.add("\(count) begins")
                    if count < 3 { store.dispatch(.add(1)) }
                    notes.add("\(count) ends")
                }
                return true
            },
            schedule: { _ in Issue.record("a hop") }
        )
        let token = scheduler.follow { store.subscribe(\.count, $0) }
        store.dispatch(.add(1))
        #expect(notes.all == ["1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"])
        withExtendedLifetime(token) {}
    }
}
