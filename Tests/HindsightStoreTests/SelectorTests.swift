import Dispatch
import HindsightStore
import TestSupport
import Testing

private struct Text: StateSelector {
    func select(_ number: Int) -> String { "\(number)" }
}

private struct Longer: StateSelector {
    let by: Int
    func select(_ text: String) -> String { text + String(repeating: "!", count: by) }
}

private struct Count: StateSelector {
    let calls: Notes<Int>
    func select(_ state: Counter) -> Int {
        calls.add(state.count)
        return state.count
    }
    static func == (one: Self, other: Self) -> Bool { one.calls === other.calls }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(calls)) }
}

/// Is not equatable.
private struct Opaque: Sendable {
    let number: Int
}

private struct Wrapping: StateSelector {
    func select(_ number: Int) -> Opaque { Opaque(number: number) }
}

@Suite struct SelectorTests {
    let store = Store(initial: Counter(), reducer: counter)

    @Test func `A selector can be subscribed to directly or through a key path`() {
        let notes = Notes<String>()
        let tokens = [
            store.subscribe(Text().lift(\.count)) { notes.add($0) },
            store.subscribe(PathSelector(\.count).then(Text()).then(Longer(by: 2))) { notes.add($0) },
            store.changes(of: Text().lift(\.count)).subscribe { notes.add("\($0.new) at \($0.seq)") },
        ]
        store.dispatch(.add(1))
        store.dispatch(.rename("other"))
        store.dispatch(.add(1))
        #expect(notes.all == ["1", "1!!", "1 at 1", "2", "2!!", "2 at 3"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Values that are not equatable notify after every action`() {
        let notes = Notes<Int>()
        let tokens = [
            store.subscribe(Wrapping().lift(\.count)) { notes.add($0.number) },
            store.subscribe(PathSelector(\Counter.count).then(Wrapping())) { notes.add($0.number) },
        ]
        store.dispatch(.add(1))
        store.dispatch(.rename("other"))
        #expect(notes.all == [1, 1, 1, 1])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Equal selectors are evaluated once per action`() {
        let selector = Count(calls: Notes())
        let tokens = (0..<10).map { _ in store.subscribe(selector) { _ in } }
        #expect(selector.calls.all == [0])
        store.dispatch(.add(1))
        #expect(selector.calls.all == [0, 1])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A chain runs its second selector only if the first one's value has changed`() {
        let second = Count(calls: Notes())
        let selector = DerivedSelector(\Counter.count) { Counter(count: $0) }.then(second)
        let token = store.subscribe(selector) { _ in }
        store.dispatch(.rename("a"))
        store.dispatch(.add(5))
        store.dispatch(.rename("b"))
        #expect(second.calls.all == [0, 5])
        withExtendedLifetime(token) {}
    }

    @Test func `A derived value is computed again only if one of its parts has changed`() {
        let made = Notes<String>()
        let selector = DerivedSelector(\Counter.count, \.isEven, \.name) { count, isEven, name in
            made.add(name)
            return "\(name) \(count) \(isEven ? "even" : "odd")"
        }
        let notes = Notes<String>()
        let tokens = (0..<3).map { _ in store.subscribe(selector) { notes.add($0) } }
        store.dispatch(.add(0))
        store.dispatch(.rename("counter"))
        #expect(made.all.count == 1)
        store.dispatch(.rename("other"))
        #expect(made.all == ["counter", "other"])
        #expect(notes.all == ["other 0 even", "other 0 even", "other 0 even"])
        #expect(selector.select(Counter(count: 1)) == "counter 1 odd")
        withExtendedLifetime(tokens) {}
    }

    @Test func `A derived value is told if it differs, and after each action if repeats are wanted`() {
        let made = Notes<Int>()
        let selector = DerivedSelector(\Counter.count, \.name) { count, _ in
            made.add(count)
            return count / 2
        }
        let (differing, each) = (Notes<Int>(), Notes<Int>())
        let first = store.subscribe(selector) { differing.add($0) }
        let second = store.subscribe(selector, skipsRepeats: false) { each.add($0) }
        store.dispatch(.add(1))
        store.dispatch(.add(0))
        store.dispatch(.add(1))
        #expect(differing.all == [1])
        #expect(each.all == [0, 0, 1])
        // Both topics compute the value at the start, and for each changed count.
        #expect(made.all == [0, 0, 1, 1, 2, 2])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `A derived value compares stored, nested, computed and optional parts of any size`() {
        struct Inner: Sendable { var small: Int8 = 1, large = "a text that is not stored in place" }
        struct Whole: Sendable {
            var flag = false
            var inner = Inner()
            var list = [1.5]
            var maybe: String?
            var padded: Padded = Padded(first: 1, second: 2)
            var count: Int { list.count }
        }
        struct Padded: Sendable, Equatable { var first: Int8, second: Int64 }
        let made = Notes<Void>()
        let selector = DerivedSelector(
            \Whole.flag,
            \.inner.small,
            \.inner.large,
            \.list,
            \.maybe,
            \.padded,
            \.count
        ) { flag, small, large, list, maybe, padded, count in
            made.add(())
            return "\(flag) \(small) \(large) \(list) \(maybe ?? "none") \(padded.second) \(count)"
        }
        typealias Change = @Sendable (inout Whole) -> Void
        let store = Store(initial: Whole(), reducer: Reducer<Whole, Change>("change") { $1(&$0) })
        let received = Notes<String>()
        let token = store.subscribe(selector) { received.add($0) }
        let changes: [Change] = [
            { $0.flag = true }, { $0.inner.small = 2 }, { $0.inner.large += "!" }, { $0.list[0] = 2 },
            { $0.maybe = "some" }, { $0.padded.second = 3 }, { $0.list.append(.nan) },
        ]
        var expected = made.all.count
        for change in changes {
            store.dispatch(change)
            expected += 1
            #expect(made.all.count == expected)
            #expect(received.all.last == selector.select(store.state))
            expected += 1
            // An equal value in another buffer.
            store.dispatch { $0.inner.large = String(Array($0.inner.large)) }
            #expect(made.all.count == expected)
        }
        token.cancel()
    }

    @Test func `A value derived from selectors is computed again only if one of their outputs has changed`() {
        let made = Notes<Int>()
        let selector = DerivedSelector(PathSelector(\Counter.count)) { (count: Int) -> Int in
            made.add(count)
            return count * 2
        }
        let token = store.subscribe(selector) { _ in }
        store.dispatch(.rename("other"))
        store.dispatch(.add(3))
        #expect(made.all == [0, 3])
        withExtendedLifetime(token) {}
    }

    @Test func `Derived values combine selectors of any kind`() {
        let text = DerivedSelector(PathSelector(\Counter.count).then(Text()), PathSelector(\Counter.name)) {
            "\($1)=\($0)"
        }
        let all = DerivedSelector(text, PathSelector(\Counter.isEven)) { "\($0) \($1)" }
        let notes = Notes<String>()
        let token = store.subscribe(all) { notes.add($0) }
        store.dispatch(.add(1))
        #expect(notes.all == ["counter=1 false"])
        withExtendedLifetime(token) {}
    }

    @Test func `Selectors are equal if they select the same`() {
        #expect(PathSelector(\Counter.count).then(Text()) == PathSelector(\Counter.count).then(Text()))
        #expect(Longer(by: 1) != Longer(by: 2))
        let one = DerivedSelector(\Counter.count) { $0 + 1 }
        let other = DerivedSelector(\Counter.count) { $0 + 1 }
        #expect(one != other)
        #expect(Set([one, one, other]).count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    @MainActor func `A selector's output goes to an owner, the main actor, an actor and a queue`() async throws {
        actor Session {
            let received = ManualSequence<String>()
            func show(_ text: String) { received.give(text) }
        }
        let selector = Text().lift(\Counter.count)
        let owner = Notes<String>()
        let session = Session()
        let queued = ManualSequence<String>()
        let main = ManualSequence<String>()
        let mine = ManualSequence<String>()
        store.subscribe(selector, .owner(owner) { $0.add($1) })
        store.subscribe(selector, skipsRepeats: false, initial: true, .owner(owner) { $0.add("each \($1)") })
        store.subscribe(selector, .onMain(owner: owner) { _, text in mine.give(text) })
        let tokens = [
            store.subscribe(selector, .onMain { main.give($0) }),
            store.subscribe(selector, .on(session) { session, text in session.show(text) }),
            store.subscribe(selector, .on(DispatchQueue(label: "selector")) { queued.give($0) }),
        ]
        store.dispatch(.rename("other"))
        store.dispatch(.add(1))
        #expect(owner.all == ["each 0", "each 0", "1", "each 1"])
        for received in [main, mine, queued, session.received] { #expect(try await received.next() == "1") }
        tokens.forEach { $0.cancel() }
        withExtendedLifetime(owner) {}
    }

    @Test func `A selector may be followed after each reducer`() {
        let twice = Store(initial: Counter(), reducer: .combine(counting, counting))
        let notes = Notes<String>()
        let token = twice.subscribe(Text().lift(\.count), timing: .eachReducer) { notes.add($0) }
        twice.dispatch(.add(1))
        #expect(notes.all == ["1", "2"])
        withExtendedLifetime(token) {}
    }
}
