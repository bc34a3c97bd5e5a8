import HindsightStore
import TestSupport
import Testing

/// Subscriptions that begin in a subscriber with the timing `.eachReducer`.
@Suite struct MidActionTests {
    private struct Pair: Sendable, Equatable {
        var first = 0
        var second = 0
    }
    private static let first = Reducer<Pair, Int>("first") { state, amount in state.first += amount }
    private static let second = Reducer<Pair, Int>("second") { state, amount in state.second += amount }

    private enum Cause: String, CaseIterable { case action, travel }

    @Test(arguments: [false, true])
    func `A subscription in the middle of an action begins after it, whether or not others follow the value`(
        _ isKnown: Bool
    ) {
        for cause in Cause.allCases {
            let store = Store(initial: Pair(), reducers: [Self.first, Self.second])
            var tokens: [SubscriptionToken] = []
            if isKnown {
                tokens.append(store.subscribe { _ in })
                tokens.append(store.observe(\.self).subscribe { _ in })
                tokens.append(store.subscribe(\.second, skipsRepeats: false) { _ in })
            }
            let inner = Notes<SubscriptionToken>()
            let notes = Notes<String>()
            tokens.append(
                store.subscribe(\.first, timing: .eachReducer) { [unowned store] _ in
                    guard inner.all.isEmpty else { return }
                    inner.add(
                        store.changes(of: \.self).subscribe {
                            notes.add("whole \($0.old.first)\($0.old.second) \($0.new.first)\($0.new.second)")
                        }
                    )
                    inner.add(store.observe(\.self).subscribe { notes.add("signal \($0.first)\($0.second)") })
                    inner.add(store.subscribe(\.second, skipsRepeats: false) { notes.add("second \($0)") })
                    inner.add(store.observe(\.first).subscribe { notes.add("first \($0)") })
                }
            )
            switch cause {
            case .action: store.dispatch(1)
            case .travel: store.travel(toState: Pair(first: 1, second: 1))
            }
            #expect(notes.all == ["signal 11", "first 1"], "\(cause)")
            store.dispatch(2)
            let second = ["whole 11 33", "signal 33", "second 3", "first 3"]
            #expect(Array(notes.all.dropFirst(2)) == second, "\(cause)")
            inner.all.forEach { $0.cancel() }
        }
    }

    @Test func `A subscription that ends before the action does receives nothing`() {
        let store = Store(initial: Pair(), reducers: [Self.first, Self.second])
        let notes = Notes<Int>()
        let token = store.subscribe(\.first, timing: .eachReducer) { [unowned store] _ in
            store.observe(\.second).subscribe { notes.add($0) }.cancel()
        }
        store.dispatch(1)
        store.dispatch(1)
        #expect(notes.all.isEmpty)
        token.cancel()
    }

    @Test func `The present value reaches no subscription that ends before the action does`() {
        let store = Store(initial: Pair(), reducers: [Self.first, Self.second])
        let notes = Notes<String>()
        let kept = Notes<SubscriptionToken>()
        let token = store.subscribe(\.first, timing: .eachReducer) { [unowned store] _ in
            store.subscribe(\.second, initial: true) { notes.add("cancelled \($0)") }.cancel()
            _ = store.subscribe(\.second, initial: true) { notes.add("released \($0)") }
            kept.add(store.subscribe(\.second, initial: true) { notes.add("kept \($0)") })
        }
        store.dispatch(1)
        #expect(notes.all == ["kept 1"])
        token.cancel()
        kept.all.forEach { $0.cancel() }
    }

    @MainActor @Test func `A subscription on the main actor begins after the action, too`() {
        let store = Store(initial: Pair(), reducers: [Self.first, Self.second])
        let notes = Notes<Int>()
        let inner = Notes<SubscriptionToken>()
        let token = store.subscribe(\.first, timing: .eachReducer) { [unowned store] _ in
            MainActor.assumeIsolated {
                guard inner.all.isEmpty else { return }
                inner.add(store.subscribe(\.second, initial: true, isolation: .shared) { notes.add($0) })
            }
        }
        store.dispatch(1)
        #expect(notes.all == [1])
        token.cancel()
        inner.all.forEach { $0.cancel() }
    }

    /// Subscribes once, in one of an observer's calls.
    private final class Joiner: ReductionObserver {
        enum Call: CaseIterable { case willReduce, didRun, didReduce, didTravel }

        let call: Call
        let shared = Guarded<Store<Pair, Int>?>(nil)
        let tokens = Notes<SubscriptionToken>()
        let notes = Notes<Int>()
        init(_ call: Call) { self.call = call }

        func storeStarted(initial: Pair, reducers: [String]) {}
        func willReduce(_ action: Int, context: ActionContext) { join(.willReduce) }
        func didRun(reducer: Int, state: Pair) { if reducer == 1 { join(.didRun) } }
        func didReduce(state: Pair) { join(.didReduce) }
        func didTravel(to seq: Int?, context: ActionContext, state: Pair) { join(.didTravel) }

        private func join(_ call: Call) {
            guard call == self.call, tokens.all.isEmpty, let store = shared.withLock({ $0 }) else { return }
            tokens.add(store.subscribe(\.first, timing: .eachReducer) { self.notes.add($0) })
        }
    }

    @Test(arguments: Joiner.Call.allCases, [false, true])
    private func `An observer that subscribes receives what changes from then on, known value or not`(
        _ call: Joiner.Call,
        _ isKnown: Bool
    ) {
        let joiner = Joiner(call)
        let store = Store(
            initial: Pair(),
            reducers: [Self.first, Self.second],
            middleware: [Middleware(observer: joiner)]
        )
        joiner.shared.withLock { $0 = store }
        let known = isKnown ? store.subscribe(\.first, timing: .eachReducer) { _ in } : nil
        if call == .didTravel { store.travel(toState: Pair(first: 1)) } else { store.dispatch(1) }
        #expect(joiner.notes.all == (call == .willReduce ? [1] : []))
        store.dispatch(1)
        #expect(joiner.notes.all.last == 2)
        joiner.shared.withLock { $0 = nil }
        joiner.tokens.all.forEach { $0.cancel() }
        known?.cancel()
    }

    @Test func `An observer that subscribes for a moment does not delay later subscriptions`() {
        let shared = Guarded<Store<Counter, CounterAction>?>(nil)
        let observer = Middleware<Counter, CounterAction>.noting { context in
            if context.seq == 1 { shared.withLock { $0 }?.subscribe(\.count) { _ in }.cancel() }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [observer])
        shared.withLock { $0 = store }
        store.dispatch(.add(1))
        let notes = Notes<Int>()
        let token = store.subscribe(\.count) { notes.add($0) }
        store.dispatch(.add(1))
        #expect(notes.all == [2])
        token.cancel()
        shared.withLock { $0 = nil }
    }
}
