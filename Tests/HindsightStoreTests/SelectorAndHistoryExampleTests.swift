import HindsightStore
import Testing

/// A person, their pets, and actions that are structs of many types.
@Suite struct SelectorAndHistoryExampleTests {
    protocol LifeAction: Sendable {}
    struct Birthday: LifeAction {}
    struct Meal: LifeAction {}
    struct Adoption: LifeAction { let name: String }

    struct Pet: Sendable, Equatable {
        let name: String
        var legs = 4
    }

    struct Person: Sendable, Equatable {
        var age = 0
        var hunger = "great"
        var pets: [Pet] = []
    }

    static let life = Reducer<Person, any LifeAction>.combine(
        Reducer("birthdays", on: Birthday.self) { person, _ in person.age += 1 },
        Reducer("pets") { person, action in
            switch action {
            case let adoption as Adoption: person.pets.append(Pet(name: adoption.name))
            case is Birthday: person.pets.append(Pet(name: "goldfish", legs: 0))
            default: break
            }
        },
        Reducer("meals", on: Meal.self) { person, _ in person.hunger = "none" }
    )

    struct AgeInWords: StateSelector {
        func select(_ age: Int) -> String { age == 0 ? "a baby" : "\(age) years old" }
    }

    @Test func `Several reducers act as one, and subscribers see each action's result`() {
        let store = Store(initial: Person(), reducer: Self.life)
        let ages = Notes<Int>()
        let names = Notes<[String]>()
        let tokens = [
            store.subscribe { (person: Person) in ages.add(person.age) },
            store.subscribe(DerivedSelector(\Person.pets) { $0.map(\.name) }) { names.add($0) },
        ]
        store.dispatch(Birthday())
        store.dispatch(Adoption(name: "bear"))
        store.dispatch(Meal())
        store.dispatch(Meal())
        #expect(ages.all == [1, 1, 1])
        #expect(names.all == [["goldfish"], ["goldfish", "bear"]])
        tokens.forEach { $0.cancel() }
        store.dispatch(Birthday())
        #expect(ages.all.count == 3)
        #expect(store.state.age == 2)
    }

    @Test func `A reusable selector can follow a key path`() {
        let store = Store(initial: Person(), reducer: Self.life)
        let notes = Notes<String>()
        let token = store.subscribe(AgeInWords().lift(\.age)) { notes.add($0) }
        store.dispatch(Birthday())
        store.dispatch(Meal())
        #expect(notes.all == ["1 years old"])
        #expect(AgeInWords().select(0) == "a baby")
        withExtendedLifetime(token) {}
    }

    @Test func `History has an entry per action and micro-history one per reducer, within their limits`() {
        let store = Store(initial: Person(), reducer: Self.life, history: .last(actions: 10, reducers: 3))
        let seen = Notes<Int>()
        let token = store.subscribe { [weak store] (_: Person) in seen.add(store?.history.count ?? 0) }
        store.dispatch(Birthday())
        store.dispatch(Meal())
        #expect(store.history.map(\.state.age) == [0, 1, 1])
        #expect(store.history.last?.action is Meal)
        #expect(store.microHistory.map(\.name) == ["birthdays", "pets", "meals"])
        #expect(store.microHistory.map(\.state.hunger) == ["great", "great", "none"])
        #expect(seen.all == [2, 3])
        withExtendedLifetime(token) {}
    }

    @Test func `Middleware sees the state before the action in order, and after it in reverse`() {
        let notes = Notes<String>()
        func logging(_ name: String) -> Middleware<Person, any LifeAction> {
            Middleware { getState, _ in
                { next in
                    { action in
                        notes.add("\(name): before, age \(getState().age)")
                        next(action)
                        notes.add("\(name): after, age \(getState().age)")
                    }
                }
            }
        }
        let store = Store(initial: Person(), reducer: Self.life, middleware: [logging("outer"), logging("inner")])
        store.dispatch(Birthday())
        #expect(
            notes.all == [
                "outer: before, age 0", "inner: before, age 0", "inner: after, age 1", "outer: after, age 1",
            ]
        )
    }

    @Test func `A subscriber with step timing is notified after each reducer`() {
        let store = Store(initial: Person(), reducer: Self.life)
        let notes = Notes<String>()
        let token = store.subscribe(timing: .eachReducer) { (person: Person) in
            notes.add("\(person.age) \(person.pets.count)")
        }
        store.dispatch(Birthday())
        #expect(notes.all == ["1 0", "1 1"])
        withExtendedLifetime(token) {}
    }
}
