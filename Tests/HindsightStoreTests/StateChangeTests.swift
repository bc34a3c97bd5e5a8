import HindsightStore
import Testing

/// A value that cannot be compared.
private struct Opaque: Sendable {
    let number: Int
}

private struct Wrapping: StateSelector {
    func select(_ state: Counter) -> Opaque { Opaque(number: state.count) }
}

private struct Doubling: StateSelector {
    func select(_ state: Counter) -> Int { state.count * 2 }
}

extension Counter {
    fileprivate var opaque: Opaque { Opaque(number: count) }
}

@Suite struct StateChangeTests {
    let store = Store(initial: Counter(), reducer: counter)
    let notes = Notes<String>()

    /// Adds 1, then nothing, then 1.
    private func dispatch() {
        for amount in [1, 0, 1] { store.dispatch(.add(amount)) }
    }

    @Test func `Equal values are skipped by every form of subscription`() {
        let tokens = [
            store.subscribe { [notes] (state: Counter) in notes.add("state \(state.count)") },
            store.subscribe { [notes] (state: Counter, change) in notes.add("state \(state.count) by \(change.seq)") },
            store.subscribe(\.count) { [notes] in notes.add("path \($0)") },
            store.subscribe(\.count) { [notes] in notes.add("path \($0) by \($1.seq)") },
            store.subscribe(Doubling()) { [notes] in notes.add("selector \($0)") },
            store.subscribe(Doubling()) { [notes] in notes.add("selector \($0) by \($1.seq)") },
        ]
        dispatch()
        #expect(
            notes.all == [
                "state 1", "state 1 by 1", "path 1", "path 1 by 1", "selector 2", "selector 2 by 1",
                "state 2", "state 2 by 3", "path 2", "path 2 by 3", "selector 4", "selector 4 by 3",
            ]
        )
        withExtendedLifetime(tokens) {}
    }

    @Test func `Each form of subscription may ask for repeats`() {
        let tokens = [
            store.subscribe(skipsRepeats: false) { [notes] (state: Counter) in notes.add("\(state.count)") },
            store.subscribe(skipsRepeats: false) { [notes] (state: Counter, change) in
                notes.add("\(state.count) by \(change.seq)")
            },
            store.subscribe(\.count, skipsRepeats: false) { [notes] in notes.add("\($0)") },
            store.subscribe(\.count, skipsRepeats: false) { [notes] in notes.add("\($0) by \($1.seq)") },
            store.subscribe(Doubling(), skipsRepeats: false) { [notes] in notes.add("\($0)") },
            store.subscribe(Doubling(), skipsRepeats: false) { [notes] in notes.add("\($0) by \($1.seq)") },
        ]
        dispatch()
        #expect(
            notes.all == [
                "1", "1 by 1", "1", "1 by 1", "2", "2 by 1",
                "1", "1 by 2", "1", "1 by 2", "2", "2 by 2",
                "2", "2 by 3", "2", "2 by 3", "4", "4 by 3",
            ]
        )
        withExtendedLifetime(tokens) {}
    }

    @Test func `Values that cannot be compared are told after every action, with and without the change`() {
        struct Holder: Sendable { var number = 0 }
        let holders = Store(initial: Holder(), reducer: Reducer<Holder, Int>("add") { $0.number += $1 })
        let tokens = [
            holders.subscribe { [notes] (holder: Holder) in notes.add("state \(holder.number)") },
            holders.subscribe { [notes] (holder: Holder, change) in
                notes.add("state \(change.old.number) to \(holder.number)")
            },
            store.subscribe(\.opaque) { [notes] in notes.add("path \($0.number)") },
            store.subscribe(\.opaque) { [notes] in notes.add("path \($1.old.number) to \($0.number)") },
            store.subscribe(Wrapping()) { [notes] in notes.add("selector \($0.number)") },
            store.subscribe(Wrapping()) { [notes] in notes.add("selector \($1.old.number) to \($0.number)") },
        ]
        for amount in [1, 0] { holders.dispatch(amount) }
        for amount in [1, 0] { store.dispatch(.add(amount)) }
        #expect(
            notes.all == [
                "state 1", "state 0 to 1", "state 1", "state 1 to 1",
                "path 1", "path 0 to 1", "selector 1", "selector 0 to 1",
                "path 1", "path 1 to 1", "selector 1", "selector 1 to 1",
            ]
        )
        withExtendedLifetime(tokens) {}
    }

    @Test func `A change has the value before, so that a subscriber can tell whether it rose`() {
        let tokens = [
            store.subscribe(\.count) { [notes] count, change in
                if count > change.old { notes.add("rose by \(count - change.old)") }
            },
            store.subscribe { [notes] (state: Counter, change) in
                if state.name != change.old.name { notes.add("\(change.old.name) is \(state.name)") }
            },
        ]
        for amount in [3, -2, 0, 5] { store.dispatch(.add(amount)) }
        store.dispatch(.rename("other"))
        #expect(notes.all == ["rose by 3", "rose by 5", "counter is other"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `The value before is right for whoever subscribes late, after each reducer, and in a dispatch`() {
        let twice = Store(initial: Counter(), reducer: .combine(counting, counting))
        let early = twice.subscribe(\.count) { _ in }
        let steps = twice.subscribe(\.count, timing: .eachReducer) { [notes] in notes.add("step \($1.old) to \($0)") }
        twice.dispatch(.add(1))
        let late = twice.subscribe(\.count) { [notes] count, change in
            notes.add("\(change.old) to \(count)")
            if count == 4 { twice.dispatch(.add(10)) }
        }
        twice.dispatch(.add(1))
        twice.travel(toState: Counter())
        #expect(
            notes.all == [
                "step 0 to 1", "step 1 to 2", "step 2 to 3", "step 3 to 4", "2 to 4",
                "step 4 to 14", "step 14 to 24", "4 to 24", "step 24 to 0", "24 to 0",
            ]
        )
        withExtendedLifetime((early, steps, late)) {}
    }

    @Test func `The value before is released when the subscribers have been called`() {
        final class Thing: Sendable {}
        struct Holder: Sendable { var thing = Thing() }
        let store = Store(initial: Holder(), reducer: Reducer<Holder, Int>("new") { state, _ in state.thing = Thing() })
        let seen = Notes<Bool>()
        weak let first = store.state.thing
        let token = store.subscribe(\.thing) { thing, change in seen.add(change.old !== thing) }
        store.dispatch(1)
        #expect(seen.all == [true])
        #expect(first == nil)
        withExtendedLifetime(token) {}
    }

    @Test func `A subscriber of one value does not keep the others from being changed in place`() {
        struct Board: Sendable, Equatable {
            var cells = Array(repeating: 0, count: 1_000)
            var moves = 0
        }
        let buffers = Notes<UInt>()
        let moving = Reducer<Board, Int>("moving") { board, index in
            board.cells[index] += 1
            board.moves += 1
            buffers.add(board.cells.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
        }
        let store = Store(initial: Board(), reducer: moving)
        let told = Notes<Int>()
        let tokens = [
            store.subscribe(\.moves) { moves, change in told.add(moves - change.old) },
            store.subscribe(\.moves, skipsRepeats: false) { moves, change in told.add(moves - change.old) },
        ]
        for index in 0..<4 { store.dispatch(index) }
        #expect(told.all == Array(repeating: 1, count: 8))
        #expect(Set(buffers.all.dropFirst()).count == 1)
        withExtendedLifetime(tokens) {}
    }
}
