import HindsightStore
import Observation
import TestSupport
import Testing

/// Performs random operations on a store from every callback, and checks what each subscriber received.
private final class RandomClient: Sendable {
    struct Content {
        var random: Seeded
        /// How many operations remain.
        var fuel = 60
        var dispatched = 0
        var tokens: [SubscriptionToken] = []
        weak var store: Store<Counter, CounterAction>?
    }

    let content: Guarded<Content>
    /// The changes that each subscriber received, one list per subscriber.
    let received = Guarded<[[Received]]>([])
    let origins = Notes<ActionContext>()

    struct Received: Sendable {
        let count: Int
        let change: StateChange<Int>
    }

    init(_ random: Seeded) { content = Guarded(Content(random: random)) }

    private func draw(_ bound: Int) -> Int { content.withLock { $0.random.below(bound) } }

    /// Performs up to two random operations if any remain.
    func act(mayTravel: Bool = true) {
        for _ in 0..<draw(3) {
            let store = content.withLock { content -> Store<Counter, CounterAction>? in
                if content.fuel == 0 { return nil }
                content.fuel -= 1
                return content.store
            }
            guard let store else { return }
            let amount = draw(3)
            switch draw(9) {
            case 0, 1, 2: dispatch { store.dispatch(.add(amount)) }
            case 3: dispatch { store.run { _, dispatch in dispatch(.rename("\(amount)")) } }
            case 4: follow(store)
            case 5: drop()
            case 6 where mayTravel: store.travel(toState: Counter(count: -amount))
            case 7 where mayTravel: store.undo()
            default: observe(store)
            }
        }
    }

    private func dispatch(_ body: () -> Void) {
        content.withLock { $0.dispatched += 1 }
        body()
    }

    func follow(_ store: Store<Counter, CounterAction>) {
        let number = received.withLock { received in
            received.append([])
            return received.count - 1
        }
        let token = store.changes(of: \.count, timing: draw(4) == 0 ? .eachReducer : .action).subscribe { change in
            self.received.withLock { $0[number].append(Received(count: change.new, change: change)) }
            self.act()
        }
        content.withLock { $0.tokens.append(token) }
    }

    private func drop() {
        // Released outside the lock, since that may run any code.
        let token = content.withLock { content in
            content.tokens.isEmpty ? nil : content.tokens.remove(at: content.random.below(content.tokens.count))
        }
        token?.cancel()
    }

    private func observe(_ store: Store<Counter, CounterAction>) {
        withObservationTracking {
            _ = store.observed.count
        } onChange: {
            self.act()
        }
    }

    /// Acts before and after each action.
    var middleware: Middleware<Counter, CounterAction> {
        Middleware.layer { action, next, _ in
            self.act()
            next(action)
            self.act()
        }
    }
}

extension RandomClient: ReductionObserver {
    typealias StateValue = Counter
    typealias ActionValue = CounterAction

    func storeStarted(initial: Counter, reducers: [String]) {}
    func willReduce(_ action: CounterAction, context: ActionContext) {
        origins.add(context)
        act()
    }
    func didRun(reducer: Int, state: Counter) { act() }
    func didReduce(state: Counter) { act() }
    func didTravel(to seq: Int?, context: ActionContext, state: Counter) { origins.add(context) }
}

@Suite struct ReentrancyPropertyTests {
    @Test(arguments: Seeded.runs(100))
    func `Random operations in every callback lose nothing, and all subscribers see one order`(_ random: Seeded) {
        let client = RandomClient(random)
        let loops = Notes<DispatchLoop>()
        let store = counterStore(
            [client.middleware, .undo(of: \.self), Middleware(observer: client)],
            history: .last(actions: .max),
            onLoop: { loops.add($0) }
        )
        client.content.withLock { $0.store = store }
        for _ in 0..<3 { client.follow(store) }
        for _ in 0..<10 {
            client.content.withLock { $0.dispatched += 1 }
            store.dispatch(.add(1))
        }
        let history = store.history
        #expect(loops.all.isEmpty)
        #expect(history.map(\.seq) == Array(0..<history.count), "\(random)")
        #expect(client.origins.all.map(\.seq) == history.dropFirst().map(\.seq), "\(random)")
        #expect(history.count { !$0.isTravel } - 1 == client.content.withLock { $0.dispatched }, "\(random)")
        #expect(client.origins.all.allSatisfy { ($0.parent ?? 0) < $0.seq }, "\(random)")
        for (before, after) in zip(history, history.dropFirst()) {
            guard let action = after.action else { continue }
            var state = before.state
            for leaf in counter.leaves { leaf.reduce(&state, action) }
            #expect(state == after.state, "\(random)")
        }
        for received in client.received.withLock({ $0 }) {
            for (before, after) in zip(received, received.dropFirst()) {
                #expect(before.count != after.count, "received the same value twice: \(random)")
            }
            let actions = received.filter { !$0.change.isTravel }
            #expect(actions.map(\.change.seq) == actions.map(\.change.seq).sorted(), "\(random)")
            for one in actions { #expect(history[one.change.seq].state.count == one.count, "\(random)") }
        }
        client.content.withLock { $0.tokens = [] }
    }
}
