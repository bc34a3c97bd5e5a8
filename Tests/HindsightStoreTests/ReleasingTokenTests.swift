import Dispatch
import Foundation
import TestSupport
import Testing

@testable import HindsightStore

@Suite(.timeLimit(.minutes(1))) struct ReleasingTokenTests {
    /// Dispatches on a thread whose first subscriber waits, calls `body` meanwhile, and lets the subscriber continue.
    private func whileSubscriberWaits(
        _ prepare: (Store<Counter, CounterAction>) -> Void,
        _ body: () -> Void
    ) {
        let store = Store(initial: Counter(), reducer: counter)
        let isWaiting = DispatchSemaphore(value: 0)
        let mayContinue = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        let first = store.subscribe(\.count) { _ in
            isWaiting.signal()
            mayContinue.wait()
        }
        prepare(store)
        Thread.detachNewThread {
            store.dispatch(.add(1))
            hasEnded.signal()
        }
        isWaiting.wait()
        body()
        mayContinue.signal()
        hasEnded.wait()
        first.cancel()
    }

    @Test func `Releasing a token does not wait for another thread's subscriber, and prevents later calls`() {
        let calls = Notes<String>()
        let ends = Notes<String>()
        let tokens = Guarded<[SubscriptionToken]>([])
        whileSubscriberWaits { store in
            func keep(_ token: SubscriptionToken) { tokens.withLock { $0.append(token) } }
            func watch(_ name: String) -> AtEnd { AtEnd { ends.add(name) } }
            let plain = watch("plain")
            let second = watch("second")
            let signal = watch("signal")
            let merged = watch("merged")
            let queued = watch("queued")
            keep(store.subscribe(\.count) { _ in withExtendedLifetime(plain) { calls.add("plain") } })
            keep(store.subscribe { _ in withExtendedLifetime(second) { calls.add("second") } })
            let counts = store.observe(\.count)
            keep(counts.filter { $0 > 0 }.subscribe { _ in withExtendedLifetime(signal) { calls.add("signal") } })
            keep(
                counts.merge(with: counts).filter { $0 > 0 }.subscribe { _ in
                    withExtendedLifetime(merged) { calls.add("merged") }
                }
            )
            keep(
                store.subscribe(
                    \.count,
                    .on(Delivery { $0() }) { _ in
                        withExtendedLifetime(queued) { calls.add("queued") }
                    }
                )
            )
        } _: {
            // Would never return if it waited: the subscriber waits for this thread.
            tokens.withLock { $0 = [] }
        }
        #expect(calls.all.isEmpty)
        #expect(ends.all.sorted() == ["merged", "plain", "queued", "second", "signal"])
    }

    @Test func `A store continues to notify those whose tokens live`() {
        let calls = Notes<Int>()
        let released = Guarded<[SubscriptionToken]>([])
        let kept = Guarded<[SubscriptionToken]>([])
        whileSubscriberWaits { store in
            for number in 0..<40 {
                let token = store.subscribe(\.count) { _ in calls.add(number) }
                (number.isMultiple(of: 2) ? kept : released).withLock { $0.append(token) }
            }
        } _: {
            released.withLock { $0 = [] }
        }
        #expect(calls.all == (0..<40).filter { $0.isMultiple(of: 2) })
        kept.withLock { $0 = [] }
    }

    @Test func `Deferred work runs exactly once, however many threads defer it`() {
        let lock = RecursiveLock()
        let runs = Guarded(0)
        onThreads(4) { thread in
            for round in 0..<2_000 {
                if round.isMultiple(of: 2) {
                    lock.runLater { runs.withLock { $0 += 1 } }
                } else {
                    lock.withLock {}
                }
            }
        }
        #expect(runs.withLock { $0 } == 4_000)
        #expect(!lock.hasDeferred)
    }
}
