import HindsightStore
import TestSupport
import Testing

/// The functions that middleware receives, kept for use at the wrong time.
private final class Kept: Sendable {
    let nexts = Notes<Middleware<Counter, CounterAction>.Next>()
    let states = Notes<@Sendable () -> Counter>()
    let dispatches = Notes<Dispatcher<CounterAction>>()

    /// Keeps everything, and passes on only renamings.
    var middleware: Middleware<Counter, CounterAction> {
        Middleware { getState, dispatch in
            self.states.add(getState)
            self.dispatches.add(dispatch)
            return { next in
                self.nexts.add(next)
                return { action in
                    if case .rename = action { next(action) }
                }
            }
        }
    }

    func useAll() {
        nexts.all[0](.add(1))
        dispatches.all[0](.rename("late"))
        _ = states.all[0]()
    }
}

@Suite struct StoreHandleTests {
    @Test func `Functions that middleware keeps work from other threads, while its store works too`() {
        let kept = Kept()
        let store = Store(initial: Counter(), reducer: counter, middleware: [kept.middleware])
        onThreads(4) { thread in
            for _ in 0..<500 {
                if thread.isMultiple(of: 2) { kept.useAll() } else { store.dispatch(.rename("mine")) }
            }
        }
        #expect(store.state.count == 1_000)
    }

    @Test func `Functions that middleware keeps do nothing after the store's release, wherever they are used`() {
        let kept = Kept()
        var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [kept.middleware])
        let token = store?.subscribe(\.count) { _ in Issue.record("a released store notified a subscriber") }
        weak let gone = store
        store?.dispatch(.rename("last"))
        store = nil
        #expect(gone == nil)
        kept.useAll()
        onThreads(1) { _ in kept.useAll() }

        // Inside another store's dispatch: in its middleware and in its subscribers.
        let using = Middleware<Counter, CounterAction>.layer { action, next, _ in
            kept.useAll()
            next(action)
            kept.useAll()
        }
        let other = Store(initial: Counter(), reducer: counter, middleware: [using])
        let telling = other.subscribe(\.count) { _ in kept.useAll() }
        other.dispatch(.add(1))
        #expect(other.state == Counter(count: 1))
        token?.cancel()
        telling.cancel()
    }

    @Test func `A store that its own middleware releases stays alive until the action is done`() {
        final class Owner: @unchecked Sendable {
            // Sound: used by one thread.
            var store: Store<Counter, CounterAction>?
        }
        let owner = Owner()
        let kept = Kept()
        let watcher = Watcher()
        let leaving = Middleware<Counter, CounterAction> { getState, dispatch in
            { next in
                { action in
                    owner.store = nil
                    next(action)
                    if action == .add(1) { dispatch(.add(2)) }
                    #expect(getState().count == 3)
                }
            }
        }
        owner.store = counterStore([leaving, Middleware(observer: watcher)])
        weak let gone = owner.store
        owner.store?.dispatch(.add(1))
        #expect(gone == nil)
        #expect(watcher.notes.all.contains { $0.contains("2 add(2) parent 1") })
        withExtendedLifetime(kept) {}
    }
}
