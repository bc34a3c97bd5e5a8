import HindsightStore
import Testing

@Suite struct EffectTests {
    typealias Effects = Middleware<Counter, CounterAction>

    @Test func `An action that an effect dispatches has the starting action as its parent, and an origin`() async {
        let origins = Notes<ActionContext>()
        let effects = Effects.effects { action, getState in
            guard case .add(let amount) = action, amount < 3 else { return .none }
            return .task { dispatch in
                dispatch(.add(amount + 1))
                dispatch(.rename("after \(getState().count)"))
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects, .noting(origins.add)])
        store.dispatch(.rename("first"))
        store.dispatch(.add(2))
        await store.waitForEffects()
        #expect(store.state == Counter(count: 5, name: "after 5"))
        #expect(origins.all.map(\.seq) == [1, 2, 3, 4])
        #expect(origins.all.map(\.parent) == [nil, nil, 2, 2])
        #expect(origins.all.allSatisfy { $0.origin.file == "HindsightStoreTests/EffectTests.swift" })
    }

    @Test func `A chain of effects may be longer than the limit for dispatch loops`() async {
        let effects = Effects.effects { action, getState in
            guard getState().count < 2 * DispatchLoop.maxDepth else { return .none }
            return .task { dispatch in dispatch(.add(1)) }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        await store.waitForEffects()
        #expect(store.state.count == 2 * DispatchLoop.maxDepth)
    }

    @Test func `A new effect cancels the running one with its id, whose actions are not reduced`() async {
        let gate = Gate()
        let notes = Notes<String>()
        let effects = Effects.effects { action, _ in
            guard case .add(let amount) = action, amount < 100 else { return .none }
            return .task(id: "load") { dispatch in
                await gate.wait()
                notes.add("\(amount) \(Task.isCancelled ? "cancelled" : "done")")
                dispatch(.add(amount * 100))
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        store.dispatch(.add(3))
        gate.open()
        await store.waitForEffects()
        #expect(notes.all.sorted() == ["1 cancelled", "2 cancelled", "3 done"])
        #expect(store.state.count == 6 + 300)
    }

    @Test func `Effects are cancelled by id, and those with other ids continue`() async {
        let gate = Gate()
        let effects = Effects.effects { action, _ in
            switch action {
            case .add(let amount) where amount < 100:
                .task(id: amount) { dispatch in
                    await gate.wait()
                    dispatch(.add(amount * 100))
                }
            case .rename("stop"): .merge(.cancel(id: 1), .cancel(id: 3), .cancel(id: "unknown"))
            default: .none
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        for amount in 1...3 { store.dispatch(.add(amount)) }
        store.dispatch(.rename("stop"))
        gate.open()
        await store.waitForEffects()
        #expect(store.state.count == 6 + 200)
    }

    @Test func `Merged effects run concurrently`() async {
        let (left, right) = (Gate(), Gate())
        let effects = Effects.effects { action, _ in
            guard action == .add(1) else { return .none }
            return .merge(
                .task { dispatch in
                    left.open()
                    await right.wait()
                    dispatch(.add(10))
                },
                .none,
                .task { dispatch in
                    right.open()
                    await left.wait()
                    dispatch(.add(100))
                }
            )
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        await store.waitForEffects()
        #expect(store.state.count == 111)
    }

    @Test func `A store can cancel all its effects, and later ones run`() async {
        let gate = Gate()
        let effects = Effects.effects { action, _ in
            guard case .add(let amount) = action, amount < 100 else { return .none }
            return .task { dispatch in
                await gate.wait()
                dispatch(.add(amount * 100))
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        store.cancelEffects()
        await store.waitForEffects()
        #expect(store.state.count == 3)
        gate.open()
        store.dispatch(.add(3))
        await store.waitForEffects()
        #expect(store.state.count == 306)
    }

    @Test func `A released store cancels its effects, which do not keep it alive`() async {
        let gate = Gate()
        let ended = Gate()
        let notes = Notes<Bool>()
        let effects = Effects.effects { _, _ in
            .task { dispatch in
                await gate.wait()
                notes.add(Task.isCancelled)
                dispatch(.add(1))
                ended.open()
            }
        }
        var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [effects])
        weak let gone = store
        store?.dispatch(.add(1))
        store = nil
        #expect(gone == nil)
        await ended.wait()
        #expect(notes.all == [true])
    }

    @Test func `A failure is reported unless the effect was cancelled`() async {
        struct Failure: Error {}
        let gate = Gate()
        let effects = Effects.effects { action, _ in
            guard case .add(let amount) = action else { return .none }
            return .task(id: amount) { dispatch in
                await gate.wait()
                throw Failure()
            } catch: { error, dispatch in
                dispatch(.rename("\(amount): \(error)"))
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        store.cancelEffects()
        await store.waitForEffects()
        #expect(store.state.name == "counter")
        store.dispatch(.add(2))
        gate.open()
        await store.waitForEffects()
        #expect(store.state.name == "2: Failure()")
    }

    @Test func `Waiting for effects ends if the waiting task is cancelled`() async {
        let gate = Gate()
        let effects = Effects.effects { _, _ in .task { _ in await gate.wait() } }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.add(1))
        let waiting = Task { await store.waitForEffects() }
        waiting.cancel()
        await waiting.value
        gate.open()
        await store.waitForEffects()
    }

    @Test func `Middleware that dispatches before an effect's action gives its action the same parent`() async {
        let origins = Notes<ActionContext>()
        let effects = Effects.effects { action, _ in
            action == .add(1) ? .task { dispatch in dispatch(.add(2)) } : .none
        }
        let announcing = Effects { _, dispatch in
            { next in
                { action in
                    if action == .add(2) { dispatch(.rename("two comes")) }
                    next(action)
                }
            }
        }
        let store = counterStore([effects, announcing, .noting(origins.add)])
        store.dispatch(.rename("first"))
        store.dispatch(.add(1))
        await store.waitForEffects()
        #expect(origins.all.map(\.parent) == [nil, nil, 2, 2])
    }

    @Test func `A dispatch function that outlives its effect keeps its parent`() async {
        let origins = Notes<ActionContext>()
        let kept = Notes<Dispatcher<CounterAction>>()
        let effects = Effects.effects { action, _ in
            action == .add(1) ? .task { kept.add($0) } : .none
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects, .noting(origins.add)])
        store.dispatch(.add(1))
        await store.waitForEffects()
        store.dispatch(.add(2))
        kept.all[0](.add(3))
        #expect(origins.all.map(\.parent) == [nil, nil, 1])
    }

    @Test func `An effect's action in a subscriber is not reduced if the effect is cancelled before its turn`() async {
        let held = Notes<Dispatcher<CounterAction>>()
        let gate = Gate()
        let started = Gate()
        let effects = Effects.effects { action, _ in
            switch action {
            case .rename("start"):
                .task(id: "held") { dispatch in
                    held.add(dispatch)
                    started.open()
                    await gate.wait()
                }
            case .rename("cancel"): .cancel(id: "held")
            default: .none
            }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [effects])
        store.dispatch(.rename("start"))
        await started.wait()
        let token = store.subscribe(\.count) { count in
            if count > 1 { return }
            store.dispatch(.rename("cancel"))
            held.all[0](.add(10))
        }
        store.dispatch(.add(1))
        #expect(store.state == Counter(count: 1, name: "cancel"))
        await store.waitForEffects()
        withExtendedLifetime(token) {}
    }
}
