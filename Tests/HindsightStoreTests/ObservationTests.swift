import Foundation
import HindsightStore
import Observation
import Testing

private struct App: Sendable {
    enum Filter: ObservedValue, Sendable { case all, open }

    struct User: Sendable {
        var name = "Ada"
        var address = Address()
    }

    struct Address: Sendable, Equatable {
        var city = "London"
        var zip = "W1"
    }

    /// Is not equatable.
    struct Handler: Sendable, ObservedValue {
        var handle: @Sendable () -> Int = { 1 }
    }

    var count = 0
    var user = User()
    var filter = Filter.all
    var handler = Handler()
    var items = ["a", "b"]
    var created = Date(timeIntervalSince1970: 7)
    var size = Size.small
    var load = Load.none
    var isEven: Bool { count.isMultiple(of: 2) }

    // Neither are observed values.
    enum Size: Sendable { case small, large }
    enum Load: Sendable { case none, some(@Sendable () -> Void) }
}

/// Notes each evaluation of a value.
private struct Noting: Hashable, Sendable {
    let notes: Notes<Void>
    static func == (one: Noting, other: Noting) -> Bool { one.notes === other.notes }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(notes)) }
}

extension App {
    fileprivate subscript(noting noting: Noting) -> Int {
        noting.notes.add(())
        return count
    }
}

/// Each action is a change of the state, so that a test can change any part.
private typealias Change = @Sendable (inout App) -> Void
private func makeStore(history: HistoryLimit = .none) -> Store<App, Change> {
    Store(initial: App(), reducer: Reducer("change") { state, change in change(&state) }, history: history)
}

@Suite struct ObservationTests {
    private struct Case: Sendable {
        let isNotified: Bool
        let change: Change
        let read: @Sendable (Store<App, Change>) -> Void

        init(_ isNotified: Bool, _ change: @escaping Change, to read: @escaping @Sendable (Store<App, Change>) -> Void)
        {
            self.isNotified = isNotified
            self.change = change
            self.read = read
        }
    }

    private func check(_ cases: [Case], sourceLocation: SourceLocation = #_sourceLocation) {
        for (index, row) in cases.enumerated() {
            let store = makeStore()
            let notes = Notes<Void>()
            withObservationTracking {
                row.read(store)
            } onChange: {
                notes.add(())
            }
            store.dispatch(row.change)
            #expect(notes.all.isEmpty != row.isNotified, "row \(index)", sourceLocation: sourceLocation)
        }
    }

    @Test func `A reader is notified if its value changes, and only then`() {
        check([
            Case(true, { $0.count = 1 }, to: { _ = $0.observed.count }),
            Case(false, { $0.count = 0 }, to: { _ = $0.observed.count }),
            Case(false, { $0.user.name = "Bob" }, to: { _ = $0.observed.count }),
            Case(false, { $0.count = 2 }, to: { _ = $0.observed.isEven }),
            Case(true, { $0.count = 1 }, to: { _ = $0.observed.isEven }),
            Case(true, { $0.filter = .open }, to: { _ = $0.observed.filter == .all }),
        ])
    }

    @Test func `Members are tracked as deep as they are read`() {
        check([
            Case(true, { $0.user.name = "Bob" }, to: { _ = $0.observed.user.name }),
            Case(false, { $0.user.address.city = "Rome" }, to: { _ = $0.observed.user.name }),
            Case(false, { $0.user.address.zip = "0" }, to: { _ = $0.observed.user.address.city }),
            Case(true, { $0.user.address.zip = "0" }, to: { _ = $0.observed.user.address.value }),
            Case(false, { $0.user.name = "Bob" }, to: { _ = $0.observed.user.address.value }),
            Case(true, { $0.items[1] = "c" }, to: { _ = $0.observed.items[0] }),
            Case(false, { $0.items[1] = "c" }, to: { _ = $0.observed[\.items[0]] }),
            Case(true, { $0.items[1] = "c" }, to: { _ = $0.observed[\.items[1]].count }),
        ])
    }

    @Test func `Every action changes a value that is not equatable`() {
        check([
            Case(true, { $0.count = 1 }, to: { _ = $0.observed.handler }),
            Case(true, { $0.count = 1 }, to: { _ = $0.observed.user.value }),
            Case(true, { $0.count = 1 }, to: { _ = $0.observed[\.user] }),
            Case(true, { $0.count = 1 }, to: { _ = $0.observed.value }),
        ])
    }

    @Test func `Observed reads return the current state`() {
        let store = makeStore()
        store.dispatch { $0.user.address.city = "Rome" }
        let city: String = store.observed.user.address.city
        #expect(city == "Rome")
        #expect(store.observed.items.count == 2)
        #expect(store.observed.handler.handle() == 1)
        #expect(store.observed[\.user.name] == "Ada")
    }

    @Test func `A member is read as a value where the context needs one, and a plain enumeration everywhere`() {
        let store = makeStore()
        let created: Date = store.observed.created
        #expect(created == Date(timeIntervalSince1970: 7))
        #expect(store.observed.created < Date())
        let user: App.User = store.observed.user
        #expect(user.name == "Ada")
        switch store.observed.size {
        case .small: break
        case .large: Issue.record()
        }
        #expect(store.observed.size == .small && store.observed.size.value == .small)
        if case .some = store.observed.load as App.Load { Issue.record() }
        check([
            Case(true, { $0.created = Date() }, to: { let _: Date = $0.observed.created }),
            Case(false, { $0.count = 1 }, to: { let _: Date = $0.observed.created }),
            Case(true, { $0.size = .large }, to: { _ = $0.observed.size == .small }),
            Case(false, { $0.count = 1 }, to: { _ = $0.observed.size == .small }),
            Case(false, { $0.user.address.city = "Rome" }, to: { _ = $0.observed.user.name }),
        ])
    }

    @Test func `Each of two readers is notified of its own value`() {
        let store = makeStore()
        let notes = Notes<String>()
        withObservationTracking {
            _ = store.observed.count
        } onChange: {
            notes.add("count")
        }
        withObservationTracking {
            _ = store.observed.user.name
        } onChange: {
            notes.add("name")
        }
        store.dispatch { $0.count = 1 }
        store.dispatch { $0.count = 2 }
        store.dispatch { $0.user.name = "Bob" }
        #expect(notes.all == ["count", "name"])
    }

    @Test func `Time travel notifies observers like any change`() throws {
        let store = makeStore(history: .last(actions: 5))
        store.dispatch { $0.count = 1 }
        let notes = Notes<Int>()
        withObservationTracking {
            _ = store.observed.count
        } onChange: {
            notes.add(store.state.count)
        }
        try store.travel(to: 0)
        #expect(notes.all == [0])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(.timeLimit(.minutes(1))) func `A sequence can follow an observed value`() async {
        let store = makeStore()
        var values = Observations { store.observed.count }.makeAsyncIterator()
        #expect(await values.next() == 0)
        store.dispatch { $0.count = 1 }
        #expect(await values.next() == 1)
        store.dispatch { $0.user.name = "Bob" }
        store.dispatch { $0.count = 2 }
        #expect(await values.next() == 2)
    }

    @Test func `An observed state does not keep its store alive`() {
        var store: Store? = makeStore()
        weak let gone = store
        withObservationTracking {
            _ = store?.observed.count
        } onChange: {
        }
        store = nil
        #expect(gone == nil)
    }

    /// How reads of a value end.
    private enum End: CaseIterable { case untracked, fired, firedByAnother }

    @Test(arguments: End.allCases)
    private func `A value that nobody tracks any more is not evaluated`(_ end: End) {
        let store = makeStore()
        let selections = Notes<Void>()
        let counted = \App[noting: Noting(notes: selections)]
        func read() {
            // Valid only as long as there are two items.
            _ = store.observed[\.items[1]]
            _ = store.observed[counted]
            _ = store.observed.user.name
        }
        if end == .untracked { read() } else { withObservationTracking(read) {} }
        switch end {
        case .untracked: break
        case .fired: store.dispatch { $0.items[1] = "c" }
        case .firedByAnother: store.dispatch { $0.user.name = "Bob" }
        }
        let before = selections.all.count
        store.dispatch { $0.items = [] }
        store.dispatch { $0.count = 1 }
        #expect(selections.all.count == before)
    }

    @Test func `A value is followed as long as one of several readers is tracked`() {
        let store = makeStore()
        let notes = Notes<String>()
        for reader in 1...3 {
            withObservationTracking {
                // The reads of one tracking share a subscription, and those of several do not end each other's.
                for _ in 1...2 { _ = store.observed.count }
                if reader != 2 { _ = store.observed.user.name }
            } onChange: {
                notes.add("\(reader)")
            }
        }
        store.dispatch { $0.user.name = "Bob" }
        #expect(notes.all.sorted() == ["1", "3"])
        store.dispatch { $0.count = 1 }
        #expect(notes.all.sorted() == ["1", "2", "3"])
    }

    @Test func `A read in the middle of an action is notified if the action changes the value once more`() {
        let first = Reducer<App, Int>("first") { state, amount in state.count += amount }
        let second = Reducer<App, Int>("second") { state, amount in state.items.append("\(amount)") }
        let store = Store(initial: App(), reducers: [first, second])
        let notes = Notes<String>()
        let token = store.subscribe(\.count, timing: .eachReducer) { [unowned store] _ in
            withObservationTracking {
                notes.add("\(store.observed.items.count)")
            } onChange: {
                notes.add("changed")
            }
        }
        store.dispatch(1)
        #expect(notes.all == ["2", "changed"])
        token.cancel()
    }
}

@Suite struct StoreBindingTests {
    @Test func `Setting a binding dispatches, and reading it returns the reduced value`() {
        let origins = Notes<ActionContext>()
        let loud = Reducer<Counter, CounterAction>("loud") { state, action in
            if case .rename(let name) = action { state.name = name.uppercased() }
        }
        let store = Store(initial: Counter(), reducer: loud, middleware: [.noting(origins.add)])
        let name = store.binding(\.name, sending: { .rename($0) })
        name.wrappedValue = "ada"
        #expect(name.wrappedValue == "ADA")
        name.set("bob")
        #expect(name.projectedValue.get() == "BOB")
        #expect(origins.all.allSatisfy { $0.origin.file == "HindsightStoreTests/ObservationTests.swift" })
    }

    @Test func `A binding can wrap a property`() {
        struct Field {
            @StoreBinding var name: String
        }
        let store = Store(initial: Counter(), reducer: counter)
        let field = Field(name: store.binding(\.name, sending: { .rename($0) }))
        field.name = "new"
        #expect(store.state.name == "new")
        #expect(field.$name.wrappedValue == "new")
    }

    @Test func `Reading a binding is observed`() {
        let store = Store(initial: Counter(), reducer: counter)
        let count = store.binding(\.count, sending: { .add($0) })
        let notes = Notes<Void>()
        withObservationTracking {
            _ = count.wrappedValue
        } onChange: {
            notes.add(())
        }
        store.dispatch(.rename("new"))
        #expect(notes.all.isEmpty)
        store.dispatch(.add(1))
        #expect(notes.all.count == 1)
    }
}
