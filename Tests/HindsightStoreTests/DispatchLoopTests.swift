import Dispatch
import Foundation
import Observation
import Testing

@testable import HindsightStore

@Suite(.timeLimit(.minutes(1))) struct DispatchLoopTests {
    private let loops = Notes<DispatchLoop>()

    /// Where the actions of a loop are answered.
    enum Place: CaseIterable, Sendable {
        case subscriber, stepSubscriber, selector, observation, signal, middleware, observer
    }

    /// What else the store has, which decides how it dispatches.
    enum Kind: CaseIterable, Sendable {
        case plain, layered, observed, withHistory, subscribed

        var middleware: [Middleware<Counter, CounterAction>] {
            switch self {
            case .layered: [.filter { _ in true }]
            case .observed: [.noting { _ in }]
            default: []
            }
        }
    }

    @Test(arguments: Place.allCases, Kind.allCases)
    func `A loop is stopped after exactly 200 actions, in every kind of store`(_ place: Place, _ kind: Kind) {
        let stores = Notes<Store<Counter, CounterAction>>()
        let answer: @Sendable () -> Void = { stores.all.first?.dispatch(.add(1)) }
        var middleware = kind.middleware
        switch place {
        case .middleware:
            middleware.append(
                Middleware.layer { action, next, _ in
                    next(action)
                    answer()
                }
            )
        case .observer: middleware.append(.noting { _ in answer() })
        default: break
        }
        let store = counterStore(
            middleware,
            history: kind == .withHistory ? .last(actions: 1) : .none,
            onLoop: { [loops] in loops.add($0) }
        )
        stores.add(store)
        var tokens = kind == .subscribed ? [store.subscribe(\.name) { _ in }] : []
        switch place {
        case .subscriber: tokens.append(store.subscribe(\.count) { _ in answer() })
        case .stepSubscriber: tokens.append(store.subscribe(\.count, timing: .eachReducer) { _ in answer() })
        case .selector: tokens.append(store.subscribe(PathSelector(\.count)) { _ in answer() })
        case .observation:
            @Sendable func track(_ store: Store<Counter, CounterAction>) {
                withObservationTracking {
                    _ = store.observed.count
                } onChange: {
                    track(store)
                    answer()
                }
            }
            track(store)
        case .signal:
            tokens.append(store.observe(\.count).subscribe { count in if count > 0 { answer() } })
        case .middleware, .observer: break
        }
        store.dispatch(.add(1))
        #expect(loops.all.count == 1)
        #expect(store.state.count == DispatchLoop.maxDepth)
        withExtendedLifetime(tokens) {}
    }

    @Test func `A loop that begins without an action is stopped after 200, too`() {
        let store = Store(initial: Counter(), reducers: [counting, naming], onLoop: { [loops] in loops.add($0) })
        let token = store.observe(\.count).subscribe { _ in store.dispatch(.add(1)) }
        #expect(loops.all.count == 1)
        #expect(store.state.count == DispatchLoop.maxDepth)
        withExtendedLifetime(token) {}
    }

    @Test func `A loop that begins with an action which middleware let through later is stopped after 200, too`() {
        let held = Notes<Middleware<Counter, CounterAction>.Next>()
        let holding = Middleware<Counter, CounterAction> { _, _ in
            { next in
                held.add(next)
                return { next($0) }
            }
        }
        let store = counterStore([holding], onLoop: { [loops] in loops.add($0) })
        let token = store.subscribe(\.count) { _ in store.dispatch(.add(1)) }
        held.all[0](.add(1))
        #expect(loops.all.count == 1)
        #expect(store.state.count == DispatchLoop.maxDepth)
        withExtendedLifetime(token) {}
    }

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
        let looping = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            dispatch(action)
            dispatch(action)
        }
        let store = counterStore([looping], onLoop: { [loops] in loops.add($0) })
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
        let looping = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            dispatch(action)
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

    /// The address sanitizer makes each frame several times larger.
    private static let hasUsualFrames = ProcessInfo.processInfo.environment["HINDSIGHT_SANITIZED"] != "address"

    @Test(.enabled(if: hasUsualFrames, "the address sanitizer enlarges frames"), arguments: [64, 128])
    func `A chain that is too deep for a small stack is stopped before the stack overflows`(_ layers: Int) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [layers] in
            let passing = Middleware<Counter, CounterAction> { _, _ in { next in { action in next(action) } } }
            let answering = Middleware<Counter, CounterAction> { _, dispatch in
                { next in
                    { action in
                        next(action)
                        dispatch(action)
                    }
                }
            }
            let store = counterStore(Array(repeating: passing, count: layers) + [answering], onLoop: { print($0) })
            let hasEnded = DispatchSemaphore(value: 0)
            let thread = Thread {
                store.dispatch(.add(1))
                hasEnded.signal()
            }
            thread.stackSize = 512 << 10
            thread.start()
            hasEnded.wait()
            precondition((2...DispatchLoop.maxDepth).contains(store.state.count))
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("were dispatched in answer to one another"))
        #expect(layers == 64 || output.contains("the thread's stack has no room for more"))
    }
}
