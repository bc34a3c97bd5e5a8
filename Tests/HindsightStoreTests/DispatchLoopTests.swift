import Foundation
import Testing

@testable import HindsightStore

@Suite(.timeLimit(.minutes(1))) struct DispatchLoopTests {
    private let loops = Notes<DispatchLoop>()

    @Test func `Subscribers that each answer every action are stopped before they fill the memory`() {
        let store = Store(initial: Counter(), reducer: counter, onLoop: { [loops] in loops.add($0) })
        let tokens = (1...3).map { amount in store.subscribe(\.count) { _ in store.dispatch(.add(amount)) } }
        store.dispatch(.add(1))
        #expect(loops.all.count == 1)
        #expect(loops.all[0].description.contains("More than 100000 answers to answers were dispatched"))
        #expect(loops.all[0].description.contains("DispatchLoopTests.swift"))
        for token in tokens { token.cancel() }
        store.dispatch(.rename("goes on"))
        #expect(store.state.name == "goes on")
    }

    @Test func `A subscriber that answers each action with hundreds is stopped before they fill the memory`() {
        let store = Store(initial: Counter(), reducer: counter, onLoop: { [loops] in loops.add($0) })
        let token = store.subscribe(\.count) { _ in
            for _ in 0..<300 { store.dispatch(.add(1)) }
        }
        store.dispatch(.add(1))
        #expect(loops.all.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test func `Middleware that answers each action with several is stopped, although the loop is only reported`() {
        let looping = Middleware<Counter, CounterAction> { _, dispatch in
            { next in
                { action in
                    next(action)
                    dispatch(action)
                    dispatch(action)
                }
            }
        }
        let store = Store(
            initial: Counter(),
            reducer: counter,
            middleware: [looping],
            onLoop: { [loops] in loops.add($0) }
        )
        store.dispatch(.add(1))
        #expect(loops.all.count == 2 * LoopDetector.maxReports)
        #expect(loops.all[0].steps.count == DispatchLoop.reportedSteps)
    }

    @Test func `Any number of answers to one action is no loop`() {
        let store = Store(initial: Counter(), reducer: counter, onLoop: { [loops] in loops.add($0) })
        let count = DispatchLoop.maxAnswers + 1
        let token = store.subscribe(\.name) { _ in
            for _ in 0..<count { store.dispatch(.add(1)) }
        }
        store.dispatch(.rename("import"))
        #expect(store.state.count == count)
        #expect(loops.all.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test func `A loop handler may dispatch, and its actions belong to the loop`() {
        let stores = Notes<Store<Counter, CounterAction>>()
        let looping = Middleware<Counter, CounterAction> { _, dispatch in
            { next in
                { action in
                    next(action)
                    dispatch(action)
                }
            }
        }
        let store = Store(
            initial: Counter(),
            reducer: counter,
            middleware: [looping],
            onLoop: { [loops] loop in
                loops.add(loop)
                stores.all[0].dispatch(.rename("loop"))
            }
        )
        stores.add(store)
        store.dispatch(.add(1))
        #expect(loops.all.count == LoopDetector.maxReports)
        #expect(store.state.name == "counter")
    }

    @Test func `A loop ends the program with a message that shows it, in release builds too`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = Store(initial: Counter(), reducer: counter)
            let token = store.subscribe(\.count) { _ in store.dispatch(.add(42)) }
            store.dispatch(.add(1))
            withExtendedLifetime(token) {}
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("More than 200 actions were dispatched"))
        #expect(message.contains("add(42)"))
    }
}
