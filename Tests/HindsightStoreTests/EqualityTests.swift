import Testing

@testable import HindsightStore

private struct Opaque: Sendable {
    var number = 0
}

@MainActor private struct Isolated {
    var number = 0
}

extension Isolated: @MainActor Equatable {}

@Suite struct EqualityTests {
    private func compare<Value>(_ one: Value, _ other: Value) -> Bool? {
        equality(of: Value.self).map { $0(one, other) }
    }

    @Test func `A type's own comparison is found wherever the type is known`() {
        #expect(compare(1, 1) == true && compare(1, 2) == false)
        #expect(compare("a", "a") == true && compare(Double.nan, .nan) == false)
        #expect(compare([[1]: "a"], [[1]: "a"]) == true && compare([1], [2]) == false)
        #expect(compare(Optional.some(1), nil) == false && compare(Int?.none, nil) == true)
        #expect(compare(Counter(count: 1), Counter(count: 1)) == true)
        #expect(equality(of: Int.self, if: false) == nil)
    }

    @Test func `A type that cannot be compared has no comparison, nor has one that contains it`() {
        #expect(compare(Opaque(), Opaque()) == nil)
        #expect(compare([Opaque()], []) == nil)
    }

    @Test @MainActor func `A comparison of the main actor is used only there`() {
        #expect(equality(of: Isolated.self) == nil)
        let isSame = equalityOnMainActor(of: Isolated.self, if: true)
        #expect(isSame?(Isolated(number: 1), Isolated(number: 1)) == true)
        #expect(isSame?(Isolated(number: 1), Isolated(number: 2)) == false)
    }

    @Test func `Generic code skips repeats as other code does`() {
        let store = Store(initial: Counter(), reducer: counter)
        let notes = Notes<String>()
        func follow<Value: Sendable>(_ path: KeyPath<Counter, Value> & Sendable) -> SubscriptionToken {
            store.subscribe(path) { notes.add("\($0)") }
        }
        let tokens = [follow(\.count), store.observe(\.count).subscribe { notes.add("signal \($0)") }]
        for amount in [1, 0] { store.dispatch(.add(amount)) }
        #expect(notes.all == ["signal 0", "1", "signal 1"])
        withExtendedLifetime(tokens) {}
    }
}
