import HindsightStore
import Testing

@Suite("Dispatch phases") struct DispatchPhaseTests {
    private let notes = Notes<String>()

    /// Notes the phases that it enters, and other events.
    private final class PhaseWatcher: ReductionObserver {
        typealias StateValue = Counter
        typealias ActionValue = CounterAction
        let notes: Notes<String>
        init(_ notes: Notes<String>) { self.notes = notes }

        func storeStarted(initial: Counter, reducers: [String]) {}
        func willReduce(_ action: CounterAction, context: ActionContext) { notes.add("reduction of \(context.seq)") }
        func didRun(reducer: Int, state: Counter) {}
        func didReduce(state: Counter) {}
        func didEnter(_ phase: DispatchPhase) {
            switch phase {
            case .idle(let seq): notes.add("idle after \(seq)")
            case .middleware(let seq, let parent, let origin):
                notes.add("middleware after \(seq), parent \(parent ?? 0), line \(origin.line)")
            case .reducer(let reducer, let seq): notes.add("reducer \(reducer) of \(seq)")
            case .betweenReducers(let count, let seq): notes.add("after \(count) reducers of \(seq)")
            case .subscribers(let seq): notes.add("subscribers of \(seq)")
            case .unwinding(let seq, let last): notes.add("unwinding \(seq), after \(last)")
            }
        }
    }

    /// Middleware that notes when it runs.
    private static func layer(
        _ notes: Notes<String>,
        answering: CounterAction? = nil
    ) -> Middleware<Counter, CounterAction> {
        Middleware.layer { action, next, dispatch in
            notes.add("before")
            next(action)
            notes.add("behind")
            if let answering, case .add(1) = action {
                dispatch(answering, line: 9)
                notes.add("behind the answer")
            }
        }
    }

    @Test("A store with one observer only enters two phases: middleware and idle")
    func alone() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.init(observer: PhaseWatcher(notes))])
        store.dispatch(.add(1), line: 5)
        #expect(notes.all == ["middleware after 0, parent 0, line 5", "reduction of 1", "idle after 1"])
    }

    @Test("The current phase names the part of the app whose code runs")
    func everything() {
        let store = counterStore([.init(observer: PhaseWatcher(notes)), Self.layer(notes, answering: .add(10))])
        let token = store.subscribe(\.count) { notes.add("told of \($0)") }
        store.dispatch(.add(1), line: 5)
        #expect(
            notes.all == [
                "middleware after 0, parent 0, line 5", "before", "reduction of 1",
                "subscribers of 1", "told of 1", "unwinding 1, after 1", "behind",
                "middleware after 1, parent 1, line 9", "before", "reduction of 2",
                "subscribers of 2", "told of 11", "unwinding 2, after 2", "behind",
                "unwinding 1, after 2", "behind the answer",
                "idle after 2",
            ]
        )
        token.cancel()
    }

    @Test("A subscriber's action has its own phases, and those of the first action continue afterwards")
    func waiting() {
        let store = counterStore([.init(observer: PhaseWatcher(notes)), Self.layer(notes)])
        let token = store.subscribe(\.count) { [weak store] count in
            if count == 1 { store?.dispatch(.add(10), line: 9) }
        }
        store.dispatch(.add(1), line: 5)
        #expect(
            notes.all == [
                "middleware after 0, parent 0, line 5", "before", "reduction of 1", "subscribers of 1",
                "middleware after 1, parent 1, line 9", "before", "reduction of 2", "subscribers of 2",
                "unwinding 2, after 2", "behind",
                "subscribers of 2", "unwinding 1, after 2", "behind",
                "idle after 2",
            ]
        )
        token.cancel()
    }

    @Test("If others are notified between reducers, each part of the reduction is a phase")
    func shared() {
        let steps = [
            "middleware after 0, parent 0, line 5", "after 0 reducers of 1", "reduction of 1", "reducer 1 of 1",
            "after 1 reducers of 1", "reducer 2 of 1", "after 2 reducers of 1", "idle after 1",
        ]
        let store = counterStore([.init(observer: PhaseWatcher(notes)), .noting { _ in }])
        store.dispatch(.add(1), line: 5)
        #expect(notes.all == steps)

        let others = Notes<String>()
        let followed = Store(initial: Counter(), reducer: counter, middleware: [.init(observer: PhaseWatcher(others))])
        let token = followed.subscribe(\.count, timing: .eachReducer) { others.add("told of \($0)") }
        followed.dispatch(.add(1), line: 5)
        #expect(others.all.contains("after 1 reducers of 1"))
        let told = others.all.firstIndex(of: "told of 1")
        #expect(told.map { others.all[$0 - 1] } == "after 1 reducers of 1")
        token.cancel()
    }

    @Test("Time travel, and an action that middleware passes on later, end in phase idle without a dispatch")
    func others() {
        let kept = Notes<@Sendable (CounterAction) -> Void>()
        let store = Store(
            initial: Counter(),
            reducer: counter,
            middleware: [
                .init(observer: PhaseWatcher(notes)),
                Middleware { _, _ in { next in { _ in kept.add(next) } } },
            ],
            history: .last(actions: 5)
        )
        store.dispatch(.add(1), line: 5)
        #expect(notes.all == ["middleware after 0, parent 0, line 5", "idle after 0"])
        kept.all.first?(.add(1))
        #expect(notes.all.last == "idle after 1" && notes.all.contains("after 0 reducers of 1"))
        store.travel(toState: Counter())
        #expect(notes.all.last == "idle after 2")
    }
}
