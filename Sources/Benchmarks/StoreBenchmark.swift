import Foundation
import HindsightStore
import Synchronization

private struct Small: Sendable {
    var count = 0
    var values: [Int] = Array(repeating: 0, count: 10)
}

private struct Wide: Sendable, Equatable {
    var a0 = 0
    var a1 = 0
    var a2 = 0
    var a3 = 0
    var a4 = 0
    var a5 = 0
    var a6 = 0
    var a7 = 0
    var a8 = 0
    var a9 = 0
    var other = 0
}

private struct Cells: Sendable, Equatable {
    var values: [Int: Int] = [:]
}

private enum CountAction: Sendable {
    case add(Int)
    case other
    case set(Int, Int)
}

private let adding = Reducer<Small, CountAction>("adding") { state, action in
    switch action {
    case .add(let amount): state.count &+= amount
    case .set(let index, let value): state.values[index] = value
    case .other: break
    }
}

private let widening = Reducer<Wide, CountAction>("widening") { state, action in
    switch action {
    case .add(let amount): state.a3 &+= amount
    default: state.other &+= 1
    }
}

private final class Closure {
    var state = Small()
    let reduce: (inout Small, CountAction) -> Void
    init(_ reduce: @escaping (inout Small, CountAction) -> Void) { self.reduce = reduce }
    @inline(never) func call(_ action: CountAction) { reduce(&state, action) }
}

func benchmarkStore() {
    let table = Table("Store", "time", "at most", "closure")
    let closure = Closure(adding.leaves[0].reduce)
    let bare = nanoseconds(repetitions: 1_000_000) { closure.call(.add(1)) }
    table.row("a bare inout closure", time(bare), "", "")

    let plain = Store(initial: Small(), reducer: adding)
    let dispatch = nanoseconds(repetitions: 1_000_000) { plain.dispatch(.add(1)) }
    table.row("dispatch, one reducer", time(dispatch), "60 ns", ratio(dispatch / bare))

    let passing = Middleware<Small, CountAction> { _, _ in { next in { action in next(action) } } }
    let layered = Store(initial: Small(), reducer: adding, middleware: [passing, passing, passing])
    let through = nanoseconds(repetitions: 300_000) { layered.dispatch(.add(1)) }
    table.row("dispatch through 3 middleware", time(through), "150 ns", ratio(through / bare))

    var big = Small()
    big.values = Array(repeating: 0, count: 100_000)
    let array = Store(initial: big, reducer: adding)
    let inPlace = nanoseconds(repetitions: 300_000) { array.dispatch(.set(50_000, 1)) }
    table.row("change one of 100,000 integers", time(inPlace), "150 ns", ratio(inPlace / bare))

    benchmarkSubscribers(table)
    benchmarkThreads(table, single: dispatch)
}

private func benchmarkSubscribers(_ table: Table) {
    let store = Store(initial: Wide(), reducer: widening)
    let told = Atomic(0)
    let paths: [KeyPath<Wide, Int> & Sendable] = [
        \.a0, \.a1, \.a2, \.a3, \.a4, \.a5, \.a6, \.a7, \.a8, \.a9,
    ]
    var tokens: [SubscriptionToken] = []
    for index in 0..<10_000 {
        tokens.append(store.subscribe(paths[index % 10]) { _ in told.add(1, ordering: .relaxed) })
    }
    let unchanged = nanoseconds(repetitions: 10_000) { store.dispatch(.other) }
    table.row("10,000 subscribers on 10 values, none changed", time(unchanged), "20 µs", "")
    precondition(told.load(ordering: .relaxed) == 0)
    let changed = nanoseconds(repetitions: 1_000) { store.dispatch(.add(1)) }
    table.row("10,000 subscribers, 1,000 told", time(changed), "150 µs", "")
    precondition(told.load(ordering: .relaxed) == 8 * 1_000 * 1_000)
    let subscribing = nanoseconds(samples: 5, repetitions: 20_000) {
        store.subscribe(\.a5) { _ in }.cancel()
    }
    table.row("subscribe and cancel with 10,000 alive", time(subscribing), "1.0 µs", "")
    withExtendedLifetime(tokens) {}
    benchmarkSelectors(table)
    benchmarkSubscribing(table)
}

/// Compares a memoized selector with a closure that reads the same properties.
private func benchmarkSelectors(_ table: Table) {
    func added(_ selector: DerivedSelector<Wide, Int>) -> Double {
        let store = Store(initial: Wide(), reducer: widening)
        let bare = nanoseconds(repetitions: 100_000) { store.dispatch(.other) }
        let token = store.subscribe(selector) { use($0) }
        defer { withExtendedLifetime(token) {} }
        return nanoseconds(repetitions: 100_000) { store.dispatch(.other) } - bare
    }
    let closure = added(DerivedSelector { state in state.a1 + state.a2 })
    let derived = added(DerivedSelector(\.a1, \.a2) { $0 + $1 })
    table.row(
        "a derived selector of two properties, nothing changed; × a closure",
        time(derived),
        "",
        ratio(derived / closure)
    )
}

/// Compares subscribing with what a store without topics does: a set of objects with a closure each.
private func benchmarkSubscribing(_ table: Table) {
    final class Listener: Hashable {
        let receive: (Wide) -> Void
        init(_ receive: @escaping (Wide) -> Void) { self.receive = receive }
        static func == (one: Listener, other: Listener) -> Bool { one === other }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    let (count, samples) = (3_000, 21)
    let store = Store(initial: Wide(), reducer: widening)
    var (ours, plain): ([Double], [Double]) = ([], [])
    var (oursEnding, plainEnding): ([Double], [Double]) = ([], [])
    for _ in 0..<samples {
        var tokens: [SubscriptionToken] = []
        ours.append(elapsed { for _ in 0..<count { tokens.append(store.subscribe { use($0) }) } })
        oursEnding.append(elapsed { for token in tokens { token.cancel() } })
        var (set, listeners): (Set<Listener>, [Listener]) = ([], [])
        plain.append(
            elapsed {
                for _ in 0..<count {
                    let listener = Listener { use($0) }
                    set.insert(listener)
                    listeners.append(listener)
                }
            }
        )
        plainEnding.append(elapsed { for listener in listeners { set.remove(listener) } })
    }
    let cells = Store(initial: Cells(), reducer: Reducer<Cells, Int>("none") { _, _ in })
    let distinct = (0..<10_000).map { key in cells.subscribe(\.values[key]) { use($0) } }
    let ending = elapsed { for token in distinct { token.cancel() } }
    table.row("end 10,000 subscriptions to distinct values", time(ending), "20 ms", "")
    func median(_ times: [Double]) -> Double { times.sorted()[samples / 2] }
    table.row("3,000 subscribers: subscribe", time(median(ours)), "", ratio(median(ours) / median(plain)))
    table.row(
        "3,000 subscribers: unsubscribe",
        time(median(oursEnding)),
        "",
        ratio(median(oursEnding) / median(plainEnding))
    )
}

private func benchmarkThreads(_ table: Table, single: Double) {
    let store = Store(initial: Small(), reducer: adding)
    let count = 250_000
    let four = nanoseconds(samples: 3, repetitions: 1) {
        let finished = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            Thread.detachNewThread {
                for _ in 0..<count { store.dispatch(.add(1)) }
                finished.signal()
            }
        }
        for _ in 0..<4 { finished.wait() }
    }
    precondition(store.state.count == 4 * 4 * count, "a dispatch was lost")
    let one = 4 * single * Double(count)
    let name = "4 threads, 250,000 dispatches each; × one thread"
    table.row(name, time(four), time(1.5 * one), ratio(four / one))
}
