import HindsightStore
import TestSupport
import Testing

// The examples of the documentation, as they stand there, and what else owners and tokens promise.

private typealias AppState = Counter
private typealias AppAction = CounterAction
private let printed = Notes<String>()
private func print(_ items: Any...) { printed.add(items.map { "\($0)" }.joined(separator: " ")) }

private final class Header: Sendable {
    init(_ store: Store<AppState, AppAction>) {
        store.subscribe(\.count, .owner(self) { header, count in header.show(count) })
    }

    func show(_ count: Int) { print("header shows", count) }
}

private enum Views {
    @MainActor final class CountView {
        var text = ""

        init(_ store: Store<AppState, AppAction>) {
            store.subscribe(\.count, .onMain(owner: self) { view, count in view.text = "\(count)" })
        }
    }

    @MainActor final class Screen {
        private var tokens: Set<SubscriptionToken> = []

        func appear(_ store: Store<AppState, AppAction>) {
            store.subscribe(\.count) { print("count is", $0) }.store(in: &tokens)
            store.subscribe(\.name, .onMain { [weak self] name in self?.show(name) }).store(in: &tokens)
        }

        func disappear() { tokens = [] }
        func show(_ name: String) { print("name is", name) }
    }
}

private struct Opaque: Sendable {
    let number: Int
}

extension Counter {
    fileprivate var opaque: Opaque { Opaque(number: count) }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct OwnerTests {
    let store = Store(initial: Counter(), reducer: counter)

    @Test func `An owner is told as long as it lives, without a token, and is not retained`() {
        var header: Header? = Header(store)
        weak let gone = header
        let before = printed.all.count
        store.dispatch(.add(1))
        #expect(printed.all[before...] == ["header shows 1"])
        withExtendedLifetime(header) {}
        header = nil
        #expect(gone == nil)
        store.dispatch(.add(1))
        #expect(printed.all.count == before + 1)
    }

    @Test func `A subscription goes with its owner, and with its store`() {
        final class Owner: Sendable {}
        final class Thing: Sendable {}
        weak var held: Thing?
        var owner: Owner? = Owner()
        var store: Store? = Store(initial: Counter(), reducer: counter)
        func follow() {
            let thing = Thing()
            held = thing
            if let owner { store?.subscribe(\.count, .owner(owner) { _, _ in withExtendedLifetime(thing) {} }) }
        }
        follow()
        store?.dispatch(.add(1))
        #expect(held != nil)
        withExtendedLifetime(owner) {}
        owner = nil
        store?.dispatch(.add(1))
        #expect(held == nil)

        owner = Owner()
        follow()
        #expect(held != nil)
        store = nil
        #expect(held == nil)
        withExtendedLifetime(owner) {}
    }

    @Test func `Subscriptions of owners that are gone end, even if their value never changes again`() {
        final class Owner: Sendable {}
        let ends = Notes<Int>()
        let told = Notes<String>()
        func follow(_ owner: Owner, _ number: Int) {
            let end = AtEnd { ends.add(number) }
            store.subscribe(\.name, .owner(owner) { _, name in withExtendedLifetime(end) { told.add(name) } })
        }
        // Without any action: each subscription looks at those before it.
        for number in 0..<100 {
            let owner = Owner()
            follow(owner, number)
            withExtendedLifetime(owner) {}
        }
        #expect(ends.all == Array(0..<99))

        var owners = (100..<200).map { _ in Owner() }
        for (number, owner) in zip(100..., owners) { follow(owner, number) }
        let last = Owner()
        follow(last, 200)
        withExtendedLifetime(owners) {}
        owners = []
        for _ in 0..<10 { store.dispatch(.add(1)) }
        #expect(Set(ends.all) == Set(0..<200))
        store.dispatch(.rename("new"))
        #expect(told.all == ["new"])
        withExtendedLifetime(last) {}
    }

    @Test func `Owners may follow a signal, and subscriptions of those that are gone end`() {
        final class Owner: Sendable {}
        let ends = Notes<Int>()
        let told = Notes<Int>()
        let doubled = store.observe(\.count).map { $0 * 2 }
        func follow(_ owner: Owner, _ number: Int) {
            let end = AtEnd { ends.add(number) }
            doubled.subscribe(.owner(owner) { _, count in withExtendedLifetime(end) { told.add(count) } })
        }
        for number in 0..<10 {
            let owner = Owner()
            follow(owner, number)
            withExtendedLifetime(owner) {}
        }
        // Without any action: each subscription looks at those before it.
        #expect(ends.all == Array(0..<9))
        #expect(told.all == Array(repeating: 0, count: 10))
        store.dispatch(.add(1))
        #expect(told.all.count == 10 && ends.all.count == 10)
        let owner = Owner()
        follow(owner, 10)
        store.dispatch(.add(1))
        #expect(told.all.suffix(2) == [2, 4])
        withExtendedLifetime(owner) {}
    }

    @Test func `An owner's token ends the subscription earlier`() {
        let notes = Notes<Int>()
        let owner = Notes<Int>()
        let token = store.subscribe(\.count, .owner(owner) { _, count in notes.add(count) })
        store.dispatch(.add(1))
        token.cancel()
        store.dispatch(.add(1))
        #expect(notes.all == [1])
        withExtendedLifetime(owner) {}
    }

    @Test func `Owners may follow any value, each change, and each action`() {
        let owner = Notes<String>()
        store.subscribe(\.self, .owner(owner) { $0.add("state \($1.count)") })
        store.changes(of: \.count).subscribe(.owner(owner) { $0.add("\($1.old) to \($1.new)") })
        store.subscribe(\.count, skipsRepeats: false, .owner(owner) { owner, count in owner.add("each \(count)") })
        store.subscribe(\.opaque, .owner(owner) { owner, opaque in owner.add("opaque \(opaque.number)") })
        store.changes(of: \.opaque).subscribe(.owner(owner) { $0.add("opaque \($1.old.number) to \($1.new.number)") })
        store.dispatch(.add(1))
        store.dispatch(.add(0))
        #expect(
            owner.all == [
                "state 1", "0 to 1", "each 1", "opaque 1", "opaque 0 to 1", "each 1", "opaque 1", "opaque 1 to 1",
            ]
        )
    }

    @Test @MainActor func `An owner may also receive the present value at once`() async throws {
        let owner = Notes<String>()
        let shown = ManualSequence<Int>()
        let opaque = ManualSequence<Int>()
        store.subscribe(\.count, initial: true, .owner(owner) { $0.add("count \($1)") })
        store.subscribe(\.count, initial: false, .owner(owner) { $0.add("later \($1)") })
        store.subscribe(\.opaque, initial: true, .owner(owner) { $0.add("opaque \($1.number)") })
        store.subscribe(\.self, initial: true, .owner(owner) { $0.add("state \($1.count)") })
        store.subscribe(\.count, initial: true, .onMain(owner: owner) { _, count in shown.give(count) })
        store.subscribe(\.opaque, initial: true, .onMain(owner: owner) { opaque.give($1.number) })
        #expect(owner.all == ["count 0", "opaque 0", "state 0"])
        #expect(try await shown.next() == 0)
        #expect(try await opaque.next() == 0)
        store.dispatch(.add(1))
        #expect(Array(owner.all.dropFirst(3)) == ["count 1", "later 1", "opaque 1", "state 1"])
        #expect(try await shown.next() == 1)
    }

    @Test func `An owner that subscribes and is gone at once, on another thread, leaves nothing`() {
        let told = Notes<Int>()
        onThreads(4) { thread in
            for _ in 0..<100 {
                if thread == 0 {
                    store.dispatch(.add(1))
                } else {
                    store.subscribe(\.count, .owner(Notes<Int>()) { _, count in told.add(count) })
                }
            }
        }
        let count = told.all.count
        store.dispatch(.add(1))
        #expect(told.all.count == count)
    }

    @Test @MainActor func `A view of the main actor owns its subscription`() async {
        var view: Views.CountView? = Views.CountView(store)
        weak let gone = view
        store.dispatch(.add(3))
        while view?.text != "3" { await Task.yield() }
        view = nil
        #expect(gone == nil)
        let owner = Notes<Int>()
        store.subscribe(\.opaque, .onMain(owner: owner) { owner, opaque in owner.add(opaque.number) })
        store.dispatch(.add(1))
        while owner.all != [4] { await Task.yield() }
    }

    @Test func `Tokens are kept in a set or an array`() {
        var set: Set<SubscriptionToken> = []
        var array: [SubscriptionToken] = []
        let notes = Notes<Int>()
        store.subscribe(\.count) { notes.add($0) }.store(in: &set)
        store.subscribe(\.count) { notes.add(-$0) }.store(in: &array)
        store.dispatch(.add(1))
        #expect(notes.all == [1, -1])
        #expect(set.count == 1 && !set.contains(array[0]))
        set = []
        array = []
        store.dispatch(.add(1))
        #expect(notes.all.count == 2)
    }

    @Test @MainActor func `A screen keeps its tokens while it is shown`() async {
        let before = printed.all.count
        var screen: Views.Screen? = Views.Screen()
        weak let gone = screen
        screen?.appear(store)
        store.dispatch(.add(1))
        store.dispatch(.rename("new"))
        while !printed.all.contains("name is new") { await Task.yield() }
        screen?.disappear()
        store.dispatch(.add(1))
        #expect(printed.all[before...] == ["count is 1", "name is new"])
        screen = nil
        #expect(gone == nil)
    }

    @Test func `A local token lives until it is cancelled`() {
        let before = printed.all.count
        do {
            let token = store.subscribe(\.count) { print("count is", $0) }
            defer { token.cancel() }
            store.dispatch(.add(1))
        }
        store.dispatch(.add(1))
        #expect(printed.all[before...] == ["count is 1"])
    }

    @Test func `Values that cannot be compared are delivered on an actor, on the main actor and by a delivery`() async {
        actor Session {
            var numbers: [Int] = []
            func show(_ opaque: Opaque) { numbers.append(opaque.number) }
        }
        let (session, later, main) = (Session(), Notes<Int>(), Notes<Int>())
        let tokens = [
            store.subscribe(\.opaque, .on(session) { session, opaque in session.show(opaque) }),
            store.subscribe(\.opaque, .on(Delivery { work in Task { work() } }) { later.add($0.number) }),
            store.subscribe(\.opaque, .onMain { main.add($0.number) }),
            store.subscribe(\.count, skipsRepeats: false, .onMain { main.add($0) }),
        ]
        store.dispatch(.rename("the same count"))
        while await session.numbers.isEmpty || later.all.isEmpty || main.all.count < 2 { await Task.yield() }
        #expect(later.all == [0] && main.all == [0, 0])
        withExtendedLifetime(tokens) {}
    }

    @Test @MainActor func `The whole state needs no key path, with an owner and in each other place`() async throws {
        final class Screen: Sendable {}
        actor Session {
            let received = ManualSequence<String>()
            func show(_ text: String) { received.give(text) }
        }
        struct Opaque: Sendable { var number = 0 }
        let notes = Notes<String>()
        let screen = Screen()
        let session = Session()
        let other = Session()
        let store = Store(initial: Counter(), reducer: counter)
        let opaque = Store(initial: Opaque(), reducer: Reducer<Opaque, Int>("add") { $0.number += $1 })
        store.subscribe(\.self, .owner(screen) { _, state in notes.add("owner \(state.count)") })
        opaque.subscribe(\.self, .owner(screen) { _, state in notes.add("owner of opaque \(state.number)") })
        let later = Delivery { $0() }
        let tokens = [
            store.subscribe(\.self, .on(later) { state in notes.add("delivery \(state.count)") }),
            opaque.subscribe(\.self, .on(later) { state in notes.add("delivery of opaque \(state.number)") }),
            store.subscribe(\.self, .on(session) { $0.show("\($1.count)") }),
            opaque.subscribe(\.self, .on(other) { $0.show("opaque \($1.number)") }),
        ]
        for amount in [1, 0] {
            store.dispatch(.add(amount))
            opaque.dispatch(amount)
        }
        let whole = ["owner 1", "delivery 1"]
        let each = ["owner of opaque 1", "delivery of opaque 1"]
        #expect(notes.all == whole + each + each)
        #expect(try await session.received.next() == "1")
        #expect(try await other.received.next() == "opaque 1")
        let shown = ManualSequence<String>()
        let token = store.subscribe(\.self, .onMain { state in shown.give("\(state.count)") })
        let opaqueToken = opaque.subscribe(\.self, .onMain { state in shown.give("opaque \(state.number)") })
        store.dispatch(.add(1))
        #expect(try await shown.next() == "2")
        opaque.dispatch(1)
        #expect(try await shown.next() == "opaque 2")
        for token in tokens + [token, opaqueToken] { token.cancel() }
        withExtendedLifetime(screen) {}
    }
}
