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
            store.changes(of: \.self).subscribe { [notes] in notes.add("state \($0.new.count) by \($0.seq)") },
            store.subscribe(\.count) { [notes] in notes.add("path \($0)") },
            store.changes(of: \.count).subscribe { [notes] in notes.add("path \($0.new) by \($0.seq)") },
            store.subscribe(Doubling()) { [notes] in notes.add("selector \($0)") },
            store.changes(of: Doubling()).subscribe { [notes] in notes.add("selector \($0.new) by \($0.seq)") },
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
            store.changes(of: \.self, skipsRepeats: false).subscribe { [notes] in
                notes.add("\($0.new.count) by \($0.seq)")
            },
            store.subscribe(\.count, skipsRepeats: false) { [notes] in notes.add("\($0)") },
            store.changes(of: \.count, skipsRepeats: false).subscribe { [notes] in notes.add("\($0.new) by \($0.seq)")
            },
            store.subscribe(Doubling(), skipsRepeats: false) { [notes] in notes.add("\($0)") },
            store.changes(of: Doubling(), skipsRepeats: false).subscribe { [notes] in
                notes.add("\($0.new) by \($0.seq)")
            },
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
            holders.changes(of: \.self).subscribe { [notes] in
                notes.add("state \($0.old.number) to \($0.new.number)")
            },
            store.subscribe(\.opaque) { [notes] in notes.add("path \($0.number)") },
            store.changes(of: \.opaque).subscribe { [notes] in
                notes.add("path \($0.old.number) to \($0.new.number)")
            },
            store.subscribe(Wrapping()) { [notes] in notes.add("selector \($0.number)") },
            store.changes(of: Wrapping()).subscribe { [notes] in
                notes.add("selector \($0.old.number) to \($0.new.number)")
            },
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
            store.changes(of: \.count).subscribe { [notes] count in
                if count.new > count.old { notes.add("rose by \(count.new - count.old)") }
            },
            store.changes(of: \.self).subscribe { [notes] state in
                if state.new.name != state.old.name { notes.add("\(state.old.name) is \(state.new.name)") }
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
        let steps = twice.changes(of: \.count, timing: .eachReducer).subscribe { [notes] in
            notes.add("step \($0.old) to \($0.new)")
        }
        twice.dispatch(.add(1))
        let late = twice.changes(of: \.count).subscribe { [notes] count in
            notes.add("\(count.old) to \(count.new)")
            if count.new == 4 { twice.dispatch(.add(10)) }
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
        let token = store.changes(of: \.thing).subscribe { seen.add($0.old !== $0.new) }
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
            store.changes(of: \.moves).subscribe { told.add($0.new - $0.old) },
            store.changes(of: \.moves, skipsRepeats: false).subscribe { told.add($0.new - $0.old) },
        ]
        for index in 0..<4 { store.dispatch(index) }
        #expect(told.all == Array(repeating: 1, count: 8))
        #expect(Set(buffers.all.dropFirst()).count == 1)
        withExtendedLifetime(tokens) {}
    }
}
