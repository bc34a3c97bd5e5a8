import HindsightStore
import Synchronization
import TestSupport
import Testing

/// The events that an observer saw, in order.
private final class Journal: ReductionObserver {
    typealias StateValue = Counter
    typealias ActionValue = CounterAction

    enum Entry: Sendable {
        case action(CounterAction)
        case travel(to: Int?)
    }

    struct Line: Sendable {
        let seq: Int
        let entry: Entry
        let state: Counter
    }

    private let lines = Notes<Line>()
    private let current = Mutex<(seq: Int, action: CounterAction)?>(nil)
    var all: [Line] { lines.all }

    func storeStarted(initial: Counter, reducers: [String]) {}
    func willReduce(_ action: CounterAction, context: ActionContext) {
        current.withLock { $0 = (context.seq, action) }
    }
    func didRun(reducer: Int, state: Counter) {}
    func didReduce(state: Counter) {
        guard let (seq, action) = current.withLock({ $0 }) else { return }
        lines.add(Line(seq: seq, entry: .action(action), state: state))
    }
    func didTravel(to seq: Int?, context: ActionContext, state: Counter) {
        lines.add(Line(seq: context.seq, entry: .travel(to: seq), state: state))
    }

    /// The state after each number, computed from the order alone.
    var replayed: [Counter] {
        all.reduce(into: [Counter()]) { states, line in
            var state = states[states.count - 1]
            switch line.entry {
            case .action(let action): for leaf in counter.leaves { leaf.reduce(&state, action) }
            case .travel(let seq): state = seq.map { states[$0] } ?? Counter()
            }
            states.append(state)
        }
    }
}

@Suite struct ThreadTests {
    private let threads = 8
    private let rounds = 200

    @Test func `Actions from many threads are all reduced, and all observers see one order`() {
        let journal = Journal()
        let store = counterStore([Middleware(observer: journal)], history: .last(actions: threads * rounds))
        let received = Notes<Int>()
        let token = store.changes(of: \.self).subscribe { received.add($0.new.count) }
        let total = threads * rounds
        onThreads(threads) { thread in
            for round in 0..<rounds { store.dispatch(.add(thread * rounds + round + 1)) }
        }
        #expect(store.state.count == total * (total + 1) / 2)
        #expect(journal.all.map(\.seq) == Array(1...total))
        #expect(store.history.dropFirst().map(\.state.count) == journal.all.map(\.state.count))
        #expect(received.all == journal.all.map(\.state.count))
        #expect(journal.replayed.map(\.count) == store.history.map(\.state.count))
        withExtendedLifetime(token) {}
    }

    @Test func `A thread's actions are reduced in its order, before its dispatch returns`() {
        let store = Store(initial: Counter(), reducer: counter, history: .last(actions: threads * rounds))
        onThreads(threads) { thread in
            for round in 0..<rounds {
                let before = store.state.count
                store.dispatch(.add(1))
                #expect(store.state.count > before)
                if round.isMultiple(of: 50) { store.dispatch(.rename("\(thread)")) }
            }
        }
        #expect(store.state.count == threads * rounds)
    }

    @Test func `Concurrent dispatches, travels, undos, subscriptions, cancellations and reads agree on one order`() {
        let journal = Journal()
        let store = counterStore(
            [.undo(of: \.name), Middleware(observer: journal)],
            history: .last(actions: 20 * threads * rounds)
        )
        let seqs = Notes<Int>()
        let token = store.changes(of: \.self, skipsRepeats: false).subscribe { change in
            if !change.isTravel { seqs.add(change.seq) }
        }
        onThreads(threads) { thread in
            for round in 0..<rounds {
                switch (thread + round) % 5 {
                case 0:
                    let notes = Notes<Int>()
                    let own = store.subscribe(\.count) { notes.add($0) }
                    store.dispatch(.add(1))
                    own.cancel()
                    let count = notes.all.count
                    store.dispatch(.add(1))
                    #expect(count >= 1)
                    #expect(notes.all.count == count)
                case 1:
                    store.dispatch(.add(thread))
                    store.dispatch(.rename("\(thread).\(round)"))
                case 2:
                    #expect(throws: Never.self) { try store.travel(to: round / 2) }
                case 3:
                    // No other thread comes between.
                    store.run { _, dispatch in
                        let before = store.state
                        dispatch(.rename("\(before.name)+"))
                        #expect(store.state.count == before.count)
                        store.undo()
                        #expect(store.state == before)
                    }
                default:
                    _ = store.observed.count
                    _ = store.canUndo
                    _ = store.history.count
                    store.run { getState, dispatch in
                        let before = getState().count
                        dispatch(.add(1))
                        #expect(getState().count == before + 1)
                    }
                }
            }
        }
        let lines = journal.all
        #expect(lines.map(\.seq) == Array(1...lines.count))
        #expect(store.history.map(\.state) == [Counter()] + lines.map(\.state))
        #expect(store.state == lines.last?.state)
        let actions = lines.compactMap { line -> Int? in
            if case .action = line.entry { line.seq } else { nil }
        }
        #expect(seqs.all == actions)
        withExtendedLifetime(token) {}
    }

    @Test func `Travel to the past agrees with the reduced states`() {
        let journal = Journal()
        let store = counterStore([Middleware(observer: journal)], history: .last(actions: 2 * threads * rounds))
        onThreads(threads) { thread in
            for round in 0..<rounds {
                store.dispatch(.add(thread))
                if thread == 0 { #expect(throws: Never.self) { try store.travel(to: round) } }
            }
        }
        #expect(journal.replayed == store.history.map(\.state))
    }

    @Test func `Actions that effects dispatch from many tasks are not lost`() async {
        let effects = Middleware<Counter, CounterAction>.effects { action, _ in
            guard case .rename = action else { return .none }
            return .merge((1...4).map { amount in .task { dispatch in dispatch(.add(amount)) } })
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        let rounds = rounds
        onThreads(threads) { thread in
            for round in 0..<rounds { store.dispatch(.rename("\(thread).\(round)")) }
        }
        await store.waitForEffects()
        #expect(store.state.count == threads * rounds * 10)
    }

    @Test func `No action of an effect is reduced after cancellation`() async {
        let effects = Middleware<Counter, CounterAction>.effects { action, _ in
            guard case .add = action else { return .none }
            return .task { dispatch in
                repeat {
                    dispatch(.rename("late"))
                    await Task.yield()
                } while !Task.isCancelled
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        onThreads(threads) { _ in
            for _ in 0..<20 {
                store.dispatch(.add(1))
                store.cancelEffects()
            }
        }
        store.dispatch(.rename("mine"))
        await store.waitForEffects()
        #expect(store.state == Counter(count: 20 * threads, name: "mine"))
    }
}
