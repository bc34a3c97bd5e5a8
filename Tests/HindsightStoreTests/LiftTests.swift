import HindsightStore
import Testing

/// A text with a large buffer that must not be copied.
private struct Draft: Sendable, Equatable, Identifiable {
    var id = 1
    var numbers = Array(0..<1000)
    var place: UnsafeRawPointer? { numbers.withUnsafeBytes { $0.baseAddress } }
}

private enum DraftAction: Sendable {
    case set(Int)
}

private enum Screen: Sendable, Equatable {
    case list
    case editor(Draft)

    static let editing = EnumCase<Screen, Draft>(
        extract: { if case .editor(let draft) = $0 { draft } else { nil } },
        embed: { .editor($0) }
    )

    var draft: Draft? { Self.editing.extract(self) }
}

private struct App: Sendable, Equatable {
    var screen = Screen.list
    var draft: Draft?
    var drafts: [Draft] = []
    var draftsByName: [String: Draft] = [:]
}

private enum AppAction: Sendable {
    case editor(DraftAction)
    case draft(id: Int, DraftAction)
    case named(String, DraftAction)
    case other

    static let editing = EnumCase<AppAction, DraftAction>(
        extract: { if case .editor(let action) = $0 { action } else { nil } },
        embed: { .editor($0) }
    )
}

private let first = Reducer<Draft, DraftAction>("first") { draft, action in
    if case .set(let number) = action { draft.numbers[0] = number }
}
private let second = Reducer<Draft, DraftAction>("second") { draft, action in
    if case .set(let number) = action { draft.numbers[1] = number }
}
private let draft = Reducer.combine(first, second)

extension Reducer {
    fileprivate func run(_ action: ActionValue, on state: inout StateValue) {
        for leaf in leaves { leaf.reduce(&state, action) }
    }
}

@Suite struct LiftTests {
    @Test func `A reducer of an optional state changes it in place, and does nothing if it is nil`() {
        let app = draft.optional().lift(state: \App.draft, action: AppAction.editing)
        #expect(app.leaves.map(\.name) == ["first", "second"])
        var state = App()
        app.run(.editor(.set(7)), on: &state)
        #expect(state == App())

        state.draft = Draft()
        let place = state.draft?.place
        app.run(.editor(.set(7)), on: &state)
        app.run(.other, on: &state)
        #expect(state.draft?.numbers[0...1] == [7, 7])
        #expect(state.draft?.place == place)
    }

    @Test func `A reducer of an enum case changes it in place, and does nothing in another case`() {
        let app = draft.lift(case: Screen.editing).lift(state: \App.screen, action: AppAction.editing)
        #expect(app.leaves.map(\.name) == ["first", "second"])
        var state = App()
        app.run(.editor(.set(7)), on: &state)
        #expect(state == App())

        state.screen = .editor(Draft())
        let place = state.screen.draft?.place
        app.run(.editor(.set(7)), on: &state)
        #expect(state.screen.draft?.numbers[0...1] == [7, 7])
        #expect(state.screen.draft?.place == place)
    }

    @Test func `A case can be modified without a store, and the call returns whether the value was that case`() {
        var screen = Screen.editor(Draft(numbers: [1]))
        #expect(Screen.editing.modify(&screen) { $0.numbers.append(2) })
        #expect(screen == .editor(Draft(numbers: [1, 2])))
        screen = .list
        #expect(!Screen.editing.modify(&screen) { $0.numbers.append(2) })
        #expect(screen == .list)
    }

    @Test func `Modifying a shared enum value leaves the other copy unchanged`() {
        var screen = Screen.editor(Draft(numbers: [1]))
        let other = screen
        Screen.editing.modify(&screen) { $0.numbers.append(2) }
        #expect(other == .editor(Draft(numbers: [1])))
        #expect(screen == .editor(Draft(numbers: [1, 2])))
    }

    @Test func `Modifying an enum that holds objects neither leaks nor frees them twice`() {
        final class Thing: Sendable {}
        enum Holder { case none, one(Thing) }
        let holding = EnumCase<Holder, Thing>(
            extract: { if case .one(let thing) = $0 { thing } else { nil } },
            embed: { .one($0) }
        )
        weak var old: Thing?
        weak var new: Thing?
        do {
            let thing = Thing()
            old = thing
            var holder = Holder.one(thing)
            for _ in 0..<10 {
                holding.modify(&holder) { thing in
                    thing = Thing()
                    new = thing
                }
            }
            withExtendedLifetime(holder) { #expect(new != nil) }
        }
        #expect(old == nil)
        #expect(new == nil)
    }

    @Test func `A reducer finds an element of a collection by its id and changes it in place`() {
        let app = draft.forEach(\App.drafts) { (action: AppAction) in
            if case .draft(let id, let action) = action { (id, action) } else { nil }
        }
        #expect(app.leaves.map(\.name) == ["first", "second"])
        var state = App(drafts: [Draft(id: 1), Draft(id: 2), Draft(id: 2)])
        let places = state.drafts.map(\.place)
        app.run(.draft(id: 2, .set(7)), on: &state)
        app.run(.draft(id: 3, .set(7)), on: &state)
        app.run(.other, on: &state)
        #expect(state.drafts.map { $0.numbers[1] } == [1, 7, 1])
        // The first was not touched. The others may share buffers from `map`, which is not tested here.
        #expect(state.drafts[0].place == places[0])
    }

    @Test func `Reducers of elements and dictionary values do not copy them`() {
        let app = Reducer.combine(
            draft.forEach(\App.drafts) { (action: AppAction) in
                if case .draft(let id, let action) = action { (id, action) } else { nil }
            },
            draft.forEach(\App.draftsByName) { (action: AppAction) in
                if case .named(let name, let action) = action { (name, action) } else { nil }
            }
        )
        var state = App(drafts: [Draft(id: 1)], draftsByName: ["a": Draft()])
        // Separate elements, since an array literal of one constant may share its buffer.
        state.drafts[0].numbers.append(0)
        state.draftsByName["a"]?.numbers.append(0)
        let places = [state.drafts[0].place, state.draftsByName["a"]?.place]
        app.run(.draft(id: 1, .set(7)), on: &state)
        app.run(.named("a", .set(8)), on: &state)
        app.run(.named("b", .set(8)), on: &state)
        #expect(state.drafts[0].numbers[1] == 7)
        #expect(state.draftsByName["a"]?.numbers[1] == 8)
        #expect(state.draftsByName.count == 1)
        #expect([state.drafts[0].place, state.draftsByName["a"]?.place] == places)
    }

    @Test func `A dispatch that is narrowed to one case keeps the origin and parent of its actions`() {
        let seen = Notes<String>()
        let answering = Middleware<App, AppAction> { _, dispatch in
            let editor = dispatch.lift(AppAction.editing)
            return { next in
                { action in
                    seen.add("\(action)")
                    next(action)
                    if case .other = action { editor(.set(1)) }
                }
            }
        }
        let store = Store(
            initial: App(draft: Draft()),
            reducer: draft.optional().lift(state: \App.draft, action: AppAction.editing),
            middleware: [answering]
        )
        store.dispatch(.other)
        #expect(seen.all.count == 2)
        #expect(store.state.draft?.numbers[0] == 1)
    }

    @Test func `Actions of many types reach the reducers of their types and protocols`() {
        protocol Event: Sendable {}
        protocol Loud: Event {}
        struct Bell: Loud {}
        struct Rain: Event { let amount: Int }
        let weather = Reducer<[String], any Event>.combine(
            Reducer("rain", on: Rain.self) { log, rain in log.append("rain \(rain.amount)") },
            Reducer("loud", on: (any Loud).self) { log, event in log.append("loud \(type(of: event))") },
            Reducer("all", on: (any Event).self) { log, _ in log.append("event") }
        )
        let store = Store(initial: [], reducer: weather)
        store.dispatch(Rain(amount: 2))
        store.dispatch(Bell())
        #expect(store.state == ["rain 2", "event", "loud Bell", "event"])
    }
}
