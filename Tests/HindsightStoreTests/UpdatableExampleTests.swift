import HindsightStore
import Testing

/// Reducers that return a new state, and test data that names only the relevant fields.
@Suite struct UpdatableExampleTests {
    struct Tally: Sendable, Equatable, Updatable {
        var count = 0
        var label = "tally"
    }

    enum TallyAction: Sendable {
        case increment
        case decrement
    }

    static let tally = Reducer<Tally, TallyAction>.returning("tally") { state, action in
        switch action {
        case .increment: state.update { $0.count += 1 }
        case .decrement: state.update { $0.count -= 1 }
        }
    }

    struct Order: Sendable, Equatable, UpdatableDefaults {
        var customer: String
        var items: [String]
        var isPaid: Bool

        static var defaults: Order { Order(customer: "Ada", items: ["tea"], isPaid: false) }
    }

    @Test func `A reducer returns its state with a small change`() {
        let store = Store(initial: Tally(), reducer: Self.tally)
        store.dispatch(.increment)
        store.dispatch(.increment)
        store.dispatch(.decrement)
        #expect(store.state == Tally(count: 1))
    }

    @Test func `A reducer may return another state`() {
        struct Account: Sendable, Equatable {
            var name = ""
            var email = ""
        }
        enum AccountAction: Sendable { case signIn(name: String, email: String), signOut }
        let account = Reducer<Account, AccountAction>.returning("account") { _, action in
            switch action {
            case .signIn(let name, let email): Account(name: name, email: email)
            case .signOut: Account()
            }
        }
        let store = Store(initial: Account(), reducer: account)
        store.dispatch(.signIn(name: "Ada", email: "ada@example.org"))
        #expect(store.state.name == "Ada")
        store.dispatch(.signOut)
        #expect(store.state == Account())
    }

    @Test func `Reducers of both signatures work side by side`() {
        let inPlace = Reducer<Tally, TallyAction>("in place") { state, _ in state.label += "!" }
        let store = Store(initial: Tally(), reducers: [Self.tally, inPlace])
        store.dispatch(.increment)
        #expect(store.state == Tally(count: 1, label: "tally!"))
    }

    @Test func `Test data equals the defaults except for the given fields`() {
        #expect(Order.with { $0.isPaid = true } == Order(customer: "Ada", items: ["tea"], isPaid: true))
        #expect(Order.defaults.update { $0.items = [] }.items.isEmpty)
    }

    @Test func `A change may be left out, also by a helper that has a default for it`() {
        func order(_ change: (inout Order) -> Void = { _ in }) -> Order { Order.defaults.update(change) }
        #expect(Order.with() == Order.defaults && Order.defaults.update() == Order.defaults)
        #expect(order() == Order.defaults)
        #expect(order { $0.isPaid = true }.isPaid)
    }

    @Test func `The original stays unchanged`() {
        let tally = Tally()
        let other = tally.update { $0.count = 7 }
        #expect(tally.count == 0)
        #expect(other.count == 7)
    }

    @Test func `An update throws the error of its closure`() {
        struct Refusal: Error, Equatable {}
        #expect(throws: Refusal()) {
            try Tally().update { (tally) throws(Refusal) in
                tally.count = 1
                throw Refusal()
            }
        }
    }

    @Test func `A consumed value is not copied`() {
        struct Big: Updatable {
            var numbers = Array(0..<1000)
            var place: UnsafeRawPointer? { numbers.withUnsafeBytes { $0.baseAddress } }
        }
        let big = Big()
        let place = big.place
        let changed = (consume big).update { $0.numbers[0] = 7 }
        #expect(changed.place == place)
        #expect(changed.numbers[0] == 7)
    }
}
