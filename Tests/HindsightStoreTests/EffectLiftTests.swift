import HindsightStore
import Testing

private enum Whole: Sendable {
    case counter(CounterAction)
    case other

    static let counting = EnumCase(
        extract: { if case .counter(let action) = $0 { action } else { nil } },
        embed: Whole.counter
    )
}

@Suite struct EffectLiftTests {
    @Test func `Effects of a part's actions can be lifted to the whole's`() async {
        let origins = Notes<ActionContext>()
        let effects = Middleware<Counter, Whole>.effects { action, _ in
            guard case .counter(.add(let amount)) = action else { return .none }
            return Effect<CounterAction>.merge(
                .task(id: "cancelled") { dispatch in
                    try? await Task.sleep(for: .seconds(60))
                    dispatch(.rename("late"))
                },
                .cancel(id: "cancelled"),
                .task { dispatch in dispatch.bound()(.rename("after \(amount)")) }
            ).lift(Whole.counting)
        }
        let noting = Middleware<Counter, Whole>.noting { origins.add($0) }
        let store = Store(
            initial: Counter(),
            reducer: counter.lift(action: Whole.counting),
            middleware: [effects, noting]
        )
        store.dispatch(.counter(.add(2)))
        await store.waitForEffects()
        #expect(store.state == Counter(count: 2, name: "after 2"))
        #expect(origins.all.map(\.parent) == [nil, 1])
    }

    @Test func `A narrowed and bound dispatch keeps its parent, even if it is used later`() {
        let origins = Notes<ActionContext>()
        let held = Notes<Dispatcher<CounterAction>>()
        let keeping = Middleware<Counter, Whole> { _, dispatch in
            let narrow = dispatch.lift(Whole.counting)
            return { next in
                { action in
                    next(action)
                    if case .other = action { held.add(narrow.bound()) }
                }
            }
        }
        let noting = Middleware<Counter, Whole>.noting { origins.add($0) }
        let store = Store(
            initial: Counter(),
            reducer: counter.lift(action: Whole.counting),
            middleware: [keeping, noting]
        )
        store.dispatch(.counter(.add(1)))
        store.dispatch(.other)
        held.all[0](.add(2))
        #expect(store.state.count == 3)
        #expect(origins.all.map(\.parent) == [nil, nil, 2])
    }

    @Test func `An effect's rebound dispatch keeps its parent, and ends with the effect`() async {
        let contexts = Notes<ActionContext>()
        let held = Notes<Dispatcher<CounterAction>>()
        let effects = Middleware<Counter, CounterAction>.effects { action, _ in
            action == .add(1) ? .task(id: "held") { held.add($0.bound()) } : .none
        }
        let forever = Middleware<Counter, CounterAction>.effects { action, _ in
            action == .rename("start")
                ? .task { dispatch in
                    held.add(dispatch.bound())
                    while !Task.isCancelled { await Task.yield() }
                } : .none
        }
        let noting = Middleware<Counter, CounterAction>.noting { contexts.add($0) }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects, forever, noting])
        store.dispatch(.add(1))
        await store.waitForEffects()
        held.all[0](.add(2))
        #expect(contexts.all.map(\.parent) == [nil, 1])
        store.dispatch(.rename("start"))
        while held.all.count < 2 { await Task.yield() }
        store.cancelEffects()
        held.all[1](.add(10))
        #expect(store.state.count == 3)
        await store.waitForEffects()
    }
}
