import HindsightStore
import Synchronization
import Testing

@Suite struct MiddlewareTests {
    @Test func `Timing reports how long each action took in the rest of the chain`() {
        let clock = SteppedClock()
        let notes = Notes<String>()
        let slow = Reducer<Counter, CounterAction>("slow") { state, action in
            guard case .add(let amount) = action else { return }
            clock.advance(by: .milliseconds(amount))
            state.count += amount
        }
        let store = Store(
            initial: Counter(),
            reducer: slow,
            middleware: [.timing(clock: clock) { notes.add("\($0) \($1)") }]
        )
        store.dispatch(.add(2))
        store.dispatch(.add(30))
        #expect(notes.all == ["add(2) 0.002 seconds", "add(30) 0.03 seconds"])
    }

    @Test func `Timing uses the system's clock by default`() {
        let notes = Notes<Bool>()
        let timing = Middleware<Counter, CounterAction>.timing { _, duration in notes.add(duration >= .zero) }
        let store = Store(initial: Counter(), reducer: counter, middleware: [timing])
        store.dispatch(.add(1))
        #expect(notes.all == [true])
    }

    @Test func `A filter blocks actions`() {
        let store = Store(
            initial: Counter(),
            reducer: counter,
            middleware: [.filter { $0 != .add(13) }],
            history: .last(actions: 5)
        )
        store.dispatch(.add(13))
        store.dispatch(.add(1))
        #expect(store.history.map(\.action) == [nil, .add(1)])
    }

    @Test func `Empty middleware passes everything on`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.empty])
        store.dispatch(.add(1))
        #expect(store.state.count == 1)
    }
}

/// A clock that a test sets.
private final class SteppedClock: Clock {
    struct Instant: InstantProtocol {
        var sinceStart: Duration
        func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private let time = Mutex(Instant(sinceStart: .zero))
    var now: Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .zero }
    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
