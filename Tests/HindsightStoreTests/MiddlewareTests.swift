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
        let store = counterStore([.filter { $0 != .add(13) }], history: .last(actions: 5))
        store.dispatch(.add(13))
        store.dispatch(.add(1))
        #expect(store.history.map(\.action) == [nil, .add(1)])
    }

    /// A line for each action: its number, parent, line and children.
    private func noting(_ notes: Notes<String>) -> Middleware<Counter, CounterAction> {
        .noting { notes.add("\($0.seq) of \($0.parent ?? 0), line \($0.origin.line), after \($0.adopted)") }
    }

    @Test func `An action that bound middleware passes on later has its origin, its parent and its children`() {
        let held = Notes<@Sendable () -> Void>()
        let answering = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            if action == .add(1) { dispatch(.add(2), line: 2) }
        }
        let holding = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            guard action == .add(2) else { return next(action) }
            dispatch(.rename("child"), line: 3)
            let next = dispatch.bound(next)
            held.add { next(action) }
        }
        let notes = Notes<String>()
        let store = counterStore([answering, holding, noting(notes)])
        store.dispatch(.add(1), line: 1)
        store.dispatch(.add(2), line: 4)
        #expect(notes.all == ["1 of 0, line 1, after []", "2 of 1, line 3, after []", "3 of 0, line 3, after []"])
        // The second call is an action of its own.
        for index in [0, 0, 1] { held.all[index]() }
        let later = ["4 of 1, line 2, after []", "5 of 1, line 2, after []", "6 of 0, line 4, after [3]"]
        #expect(Array(notes.all.dropFirst(3)) == later)
        #expect(store.state.count == 1 + 3 * 2)
        // A dispatch of its own is not affected.
        store.dispatch(.add(5), line: 5)
        #expect(notes.all.last == "7 of 0, line 5, after []")
    }

    @Test func `An action that bound middleware passes on during another action has nothing of that one`() {
        let held = Notes<@Sendable () -> Void>()
        let asking = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            if action == .add(1) { dispatch(.add(2), line: 2) }
        }
        let collecting = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            switch action {
            case .add(2):
                let next = dispatch.bound(next)
                held.add { next(action) }
            case .rename:
                for passOn in held.all { passOn() }
                next(action)
                dispatch(.add(4), line: 4)
            case .add: next(action)
            }
        }
        let answering = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            if action == .add(2) { dispatch(.add(3), line: 3) }
        }
        let notes = Notes<String>()
        let store = counterStore([asking, collecting, answering, noting(notes)])
        store.dispatch(.add(1), line: 1)
        store.dispatch(.rename("all"), line: 5)
        #expect(
            notes.all == [
                "1 of 0, line 1, after []", "2 of 1, line 2, after []", "3 of 2, line 3, after []",
                "4 of 0, line 5, after []", "5 of 4, line 4, after []",
            ]
        )
    }

    @Test func `Each call of next is an action of its own, and what inner layers dispatch answers that action`() {
        let answers = Notes<@Sendable () -> Void>()
        let doubling = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            guard action == .add(1) else { return }
            dispatch(.add(3), line: 2)
            next(.add(2))
            dispatch(.add(4), line: 3)
        }
        let inner = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            guard action == .add(1) || action == .add(2) else { return }
            dispatch(.rename("answer"), line: 4)
            let answer = dispatch.bound()
            answers.add { answer(.rename("later"), line: 5) }
        }
        let notes = Notes<String>()
        let store = Store(initial: Counter(), reducer: counter, middleware: [doubling, inner, noting(notes)])
        store.dispatch(.add(1), line: 1)
        for answer in answers.all { answer() }
        #expect(
            notes.all == [
                "1 of 0, line 1, after []", "2 of 1, line 4, after []", "3 of 1, line 2, after []",
                "4 of 0, line 1, after []", "5 of 4, line 4, after []", "6 of 1, line 3, after []",
                "7 of 1, line 5, after []", "8 of 4, line 5, after []",
            ]
        )
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
