import TestSupport
import Testing

@testable import HindsightStore

private struct Board: Sendable, Equatable {
    var cells: [Int]
    var first: Int { cells[0] }
}

private let setting = Reducer<Board, [Int]>("setting") { state, indices in
    for index in indices { state.cells[index] += 1 }
}

@Suite struct TopicsTests {
    /// The subscriptions as a plain list, the simplest model.
    private struct Model {
        var listeners: [(number: Int, cell: Int)] = []
        func received(_ cells: Set<Int>) -> [Int] { listeners.filter { cells.contains($0.cell) }.map(\.number) }
    }

    @Test(arguments: Seeded.runs(20))
    func `However many subscribe and cancel, all are notified in the order of subscription`(_ seed: Seeded) {
        var random = seed
        let store = Store(initial: Board(cells: Array(repeating: 0, count: 4)), reducer: setting)
        let received = Notes<Int>()
        var model = Model()
        var tokens: [Int: SubscriptionToken] = [:]
        for step in 0..<600 {
            switch random.below(8) {
            case 0..<4:
                // Key paths with arguments are created each time.
                let cell = random.below(4)
                tokens[step] = store.subscribe(\.cells[cell]) { _ in received.add(step) }
                model.listeners.append((step, cell))
            case 4..<7:
                let some = random.once(in: 40) ? model.listeners.count : min(model.listeners.count, 2)
                for _ in 0..<some {
                    let ended = model.listeners.remove(at: random.below(model.listeners.count)).number
                    if random.once(in: 2) { tokens[ended]?.cancel() }
                    tokens[ended] = nil
                }
            default:
                let cells = Set((0..<4).filter { _ in random.once(in: 2) })
                let before = received.all.count
                store.dispatch(cells.sorted())
                #expect(Array(received.all[before...]) == model.received(cells), "\(seed)")
            }
        }
    }

    @Test(arguments: Seeded.runs(20))
    func `In a round, cancelled subscribers are not notified, and new ones only from the next round`(_ seed: Seeded) {
        final class Party: @unchecked Sendable {
            // Sound: used by one thread.
            var random: Seeded
            var tokens: [Int: SubscriptionToken] = [:]
            var expected: [Int] = []
            var received: [Int] = []
            var last = 0
            init(_ random: Seeded) { self.random = random }

            func join(_ store: Store<Board, [Int]>) {
                last += 1
                let number = last
                tokens[number] = store.subscribe(\.cells[number % 2]) { [unowned store] _ in
                    self.received.append(number)
                    self.expected.removeAll { $0 == number }
                    for _ in 0..<self.random.below(6) { self.leave() }
                    for _ in 0..<self.random.below(5) { self.join(store) }
                }
            }

            func leave() {
                guard let number = tokens.keys.sorted().randomElement(using: &random) else { return }
                tokens.removeValue(forKey: number)?.cancel()
                expected.removeAll { $0 == number }
            }
        }
        let party = Party(seed)
        let store = Store(initial: Board(cells: [0, 0]), reducer: setting)
        for _ in 0..<100 { party.join(store) }
        for _ in 0..<20 {
            let invited = party.tokens.keys.sorted()
            party.expected = invited
            party.received = []
            store.dispatch([0, 1])
            #expect(party.expected == [], "\(seed)")
            #expect(party.received == party.received.sorted() && Set(party.received).isSubset(of: invited), "\(seed)")
        }
    }

    @Test func `Equal key paths are one topic, even if they are different objects`() {
        final class Looks: Sendable { let notes = Notes<Int>() }
        struct Watched: Sendable {
            var count = 0
            let looks = Looks()
            subscript(offset: Int) -> Int {
                looks.notes.add(offset)
                return count + offset
            }
        }
        let store = Store(initial: Watched(), reducer: Reducer<Watched, Int>("add") { $0.count += $1 })
        let received = Notes<Int>()
        let tokens = (0..<100).map { _ in store.subscribe(\.[5]) { received.add($0) } }
        let before = store.state.looks.notes.all.count
        store.dispatch(1)
        #expect(store.state.looks.notes.all.count == before + 1)
        #expect(received.all == Array(repeating: 6, count: 100))
        withExtendedLifetime(tokens) {}
    }

    @Test func `A new key path at the address of a released one has its own value`() {
        let store = Store(initial: Board(cells: Array(0..<200)), reducer: setting)
        let received = Notes<Int>()
        var tokens: [SubscriptionToken] = []
        for index in 0..<200 {
            tokens.append(store.subscribe(\.cells[index]) { _ in received.add(index) })
            if index.isMultiple(of: 3) { tokens.remove(at: tokens.count / 2).cancel() }
        }
        for index in 0..<200 {
            let before = received.all.count
            let own = store.subscribe(\.cells[index]) { _ in received.add(index) }
            store.dispatch([index])
            own.cancel()
            #expect(received.all[before...].allSatisfy { $0 == index } && received.all.count > before)
        }
    }

    @Test func `One key path may be followed with and without comparing, after actions and after reducers`() {
        let store = Store(initial: Board(cells: [0, 0]), reducer: .combine(setting, setting))
        let received = Notes<String>()
        let path: KeyPath<Board, Int> & Sendable = \.first
        let tokens = [
            store.subscribe(path) { received.add("changed \($0)") },
            store.subscribe(path, skipsRepeats: false) { received.add("any \($0)") },
            store.subscribe(path, timing: .eachReducer) { received.add("step \($0)") },
            store.changes(of: path).subscribe { received.add("changed \($0.new) by \($0.seq)") },
        ]
        store.dispatch([0])
        store.dispatch([1])
        #expect(
            received.all == [
                "step 1", "step 2", "changed 2", "any 2", "changed 2 by 1", "any 2",
            ]
        )
        withExtendedLifetime(tokens) {}
    }

    @Test func `Two threads may cancel a token, and it may outlive its store`() {
        var store: Store? = Store(initial: Board(cells: [0]), reducer: setting)
        let received = Notes<Int>()
        for _ in 0..<50 {
            let token = store?.subscribe(\.first) { received.add($0) }
            onThreads(2) { _ in token?.cancel() }
            store?.dispatch([0])
        }
        #expect(received.all == [])
        let tokens = (0..<50).map { _ in store?.subscribe(\.first) { received.add($0) } }
        store = nil
        for token in tokens { token?.cancel() }
    }

    @Test func `The end of an owner may remove all subscriptions while the store looks at them`() {
        final class Fake: EndingWithOwner {
            let ask: () -> Void
            init(_ ask: @escaping () -> Void) { self.ask = ask }
            var isOver: Bool {
                ask()
                return false
            }
            func end() {}
        }
        let store = Store(initial: Board(cells: [0]), reducer: setting)
        let topics = store.topics
        let asked = Notes<Int>()
        for number in 1...2 { topics.endWithOwner(Fake { asked.add(number) }) }
        topics.endWithOwner(
            Fake {
                asked.add(3)
                topics.removeAll()
            }
        )
        // Each one that is added looks at two others.
        topics.endWithOwner(Fake { asked.add(4) })
        #expect(asked.all.suffix(2) == [2, 3])
        topics.endWithOwner(Fake { asked.add(5) })
        #expect(asked.all.suffix(2) == [4, 3])
        withExtendedLifetime(store) {}
    }

    @Test func `A value is released with its last subscriber, although tokens are kept`() {
        final class Thing: Sendable, Equatable {
            static func == (one: Thing, other: Thing) -> Bool { one === other }
        }
        struct Holding: Sendable { var thing: Thing? = Thing() }
        let store = Store(initial: Holding(), reducer: Reducer<Holding, Int>("drop") { state, _ in state.thing = nil })
        weak let gone = store.state.thing
        let token = store.subscribe(\.thing) { _ in }
        token.cancel()
        store.dispatch(0)
        #expect(gone == nil)
        withExtendedLifetime(token) {}
    }
}
