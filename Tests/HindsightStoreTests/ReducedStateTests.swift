import Foundation
import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReducedStateTests {
    /// Reads the state on another thread, and waits for the answer.
    private func readElsewhere(_ store: Store<Counter, CounterAction>) -> Int {
        let answer = Notes<Int>()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            answer.add(store.reducedState.count)
            isDone.signal()
        }
        isDone.wait()
        return answer.all[0]
    }

    @Test func `A subscriber and middleware may wait for a thread that reads the reduced state`() {
        let stores = Notes<Store<Counter, CounterAction>>()
        let seen = Notes<String>()
        let waiting = Middleware<Counter, CounterAction>.layer { action, next, _ in
            seen.add("before \(self.readElsewhere(stores.all[0]))")
            next(action)
            seen.add("after \(self.readElsewhere(stores.all[0]))")
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [waiting])
        stores.add(store)
        #expect(store.reducedState.count == 0)
        let token = store.subscribe(\.count) { count in seen.add("told \(count) \(self.readElsewhere(store))") }
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        #expect(seen.all == ["before 0", "told 1 1", "after 1", "before 1", "told 2 2", "after 2"])
        withExtendedLifetime(token) {}
    }

    @Test func `What observers dispatch does not keep a reader waiting`() {
        let stores = Notes<Store<Counter, CounterAction>>()
        let seen = Notes<Int>()
        let waiting = Middleware<Counter, CounterAction>.layer { action, next, _ in
            if action == .add(10) { seen.add(self.readElsewhere(stores.all[0])) }
            next(action)
        }
        let answering = Middleware<Counter, CounterAction>.noting { context in
            if context.seq == 1 { stores.all[0].dispatch(.add(10)) }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [waiting, answering])
        stores.add(store)
        _ = store.reducedState
        store.dispatch(.add(1))
        #expect(seen.all == [1])
        #expect(store.state.count == 11)
    }

    @Test func `The reduced state is never one in the middle of an action, and never goes back`() {
        let twice = Store(initial: Counter(), reducer: .combine(counting, counting))
        let token = twice.subscribe(\.count) { _ in }
        onThreads(6) { thread in
            var last = 0
            for round in 0..<500 {
                if thread < 2 {
                    twice.dispatch(.add(1))
                } else {
                    let count = twice.reducedState.count
                    #expect(count.isMultiple(of: 2) && count >= last)
                    last = count
                }
                if thread == 0 && round == 250 { token.cancel() }
            }
        }
        #expect(twice.reducedState.count == 2_000)
        twice.travel(toState: Counter(count: 7))
        #expect(twice.reducedState.count == 7)
    }

    @Test func `A read on another thread waits for the reducers of the action`() {
        let (stores, seen) = (Notes<Store<Counter, CounterAction>>(), Notes<Int>())
        let isDone = DispatchSemaphore(value: 0)
        let slow = Reducer<Counter, CounterAction>("slow") { state, _ in
            state.count = 1
            Thread.detachNewThread {
                seen.add(stores.all[0].reducedState.count)
                isDone.signal()
            }
            _ = isDone.wait(timeout: .now() + .milliseconds(50))
            state.count = 2
        }
        let store = Store(initial: Counter(), reducer: slow)
        stores.add(store)
        _ = store.reducedState
        store.dispatch(.add(1))
        #expect(isDone.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(seen.all == [2])
    }

    @Test func `In a dispatch, the reduced state is the state`() {
        let store = Store(initial: Counter(), reducer: counter)
        let seen = Notes<Int>()
        let token = store.subscribe(\.count) { _ in seen.add(store.reducedState.count) }
        store.dispatch(.add(1))
        _ = store.reducedState
        store.dispatch(.add(1))
        #expect(seen.all == [1, 2])
        withExtendedLifetime(token) {}
    }
}
