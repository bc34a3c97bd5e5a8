import HindsightStore
import Observation
import Testing

private struct Page: Sendable {
    var text = ""
    var session: AtEnd?
    var ends = 0
}

private enum PageAction: Sendable { case typed(String), opened(AtEnd), closed, ended }

@Suite struct UndoTests {
    @Test func `Undo reverts actions one by one, and redo repeats them`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self)])
        #expect(!store.canUndo)
        for amount in 1...3 { store.dispatch(.add(amount)) }
        #expect(store.undo())
        #expect(store.undo())
        #expect(store.state.count == 1)
        #expect(store.redo())
        #expect(store.state.count == 3)
        store.undo()
        store.undo()
        #expect(!store.undo())
        #expect(!store.canUndo)
        #expect(store.canRedo)
        #expect(store.state.count == 0)
    }

    @Test func `A new step clears the redo stack`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self)])
        store.dispatch(.add(1))
        store.undo()
        store.dispatch(.add(10))
        #expect(!store.redo())
        store.undo()
        #expect(store.state.count == 0)
    }

    @Test func `Consecutive actions with the same key are one step`() {
        let undo = Middleware<Counter, CounterAction>.undo(of: \.self) { action in
            if case .rename = action { return "typing" }
            return nil
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [undo])
        for name in ["c", "co", "cow"] { store.dispatch(.rename(name)) }
        store.dispatch(.add(1))
        for name in ["cows", "cowslip"] { store.dispatch(.rename(name)) }
        var names: [String] = []
        while store.undo() { names.append(store.state.name) }
        #expect(names == ["cow", "cow", "counter"])
    }

    @Test func `A change between two actions with the same key that is no step ends the first step`() {
        let undo = Middleware<Counter, CounterAction>.undo(of: \.self) { action in
            if case .rename = action { return "typing" }
            return nil
        } where: { action in
            if case .rename = action { return true }
            return false
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [undo])
        for name in ["c", "co"] { store.dispatch(.rename(name)) }
        // Nothing changes.
        store.dispatch(.add(0))
        store.dispatch(.rename("cow"))
        store.dispatch(.add(1))
        for name in ["cows", "cowslip"] { store.dispatch(.rename(name)) }
        #expect(store.undo())
        #expect(store.state == Counter(count: 1, name: "cow"))
        #expect(store.undo() && !store.canUndo)
        #expect(store.state == Counter())
        #expect(store.redo() && store.redo() && !store.canRedo)
        #expect(store.state == Counter(count: 1, name: "cowslip"))
    }

    @Test func `A change outside of the part that is no step leaves the step open`() {
        let undo = Middleware<Counter, CounterAction>.undo(of: \.name) { _ in
            "typing"
        } where: { action in
            if case .rename = action { return true }
            return false
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [undo])
        store.dispatch(.rename("c"))
        store.dispatch(.add(1))
        store.dispatch(.rename("co"))
        #expect(store.undo() && !store.canUndo)
        #expect(store.state == Counter(count: 1))
    }

    @Test func `After undo, typing continues in a step of its own`() {
        let undo = Middleware<Counter, CounterAction>.undo(of: \.self) { action in
            if case .rename = action { return "typing" }
            return nil
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [undo])
        store.dispatch(.rename("a"))
        store.dispatch(.add(1))
        store.dispatch(.rename("ab"))
        store.undo()
        store.dispatch(.rename("ac"))
        store.undo()
        #expect(store.state == Counter(count: 1, name: "a"))
    }

    @Test func `Undo of a part that does not equal itself keeps the steps to redo`() {
        let reducer = Reducer<Double, Double>("set") { state, number in state = number }
        let store = Store(initial: .nan, reducer: reducer, middleware: [.undo(of: \.self)])
        store.dispatch(1)
        store.dispatch(2)
        #expect(store.undo() && store.undo())
        #expect(store.state.isNaN && !store.canUndo)
        #expect(store.redo() && store.redo() && !store.canRedo)
        #expect(store.state == 2)
    }

    @Test func `Undo keeps a limited number of steps`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self, limit: 2)])
        for _ in 1...5 { store.dispatch(.add(1)) }
        while store.undo() {}
        #expect(store.state.count == 3)
    }

    @Test func `Undo without a limit keeps all steps`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self, limit: .max)])
        for _ in 1...5 { store.dispatch(.add(1)) }
        while store.undo() {}
        #expect(store.state.count == 0)
    }

    @Test func `Actions that are not undoable or change nothing make no step`() {
        let undo = Middleware<Counter, CounterAction>.undo(
            of: \.self,
            where: { action in
                if case .rename = action { return false }
                return true
            }
        )
        let store = Store(initial: Counter(), reducer: counter, middleware: [undo])
        store.dispatch(.rename("a"))
        store.dispatch(.add(0))
        #expect(!store.canUndo)
        store.dispatch(.add(1))
        store.dispatch(.rename("b"))
        store.undo()
        #expect(store.state == Counter(count: 0, name: "a"))
        #expect(!store.canUndo)
    }

    @Test func `Undo of a part leaves the rest unchanged`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.count)])
        store.dispatch(.add(1))
        store.dispatch(.rename("kept"))
        store.dispatch(.add(2))
        store.undo()
        #expect(store.state == Counter(count: 1, name: "kept"))
        store.dispatch(.rename("new"))
        store.redo()
        #expect(store.state == Counter(count: 3, name: "new"))
    }

    @Test func `Undo is travel, with a place in the order and in history`() {
        let watcher = Watcher()
        let store = counterStore(
            [.undo(of: \.self), Middleware(observer: watcher)],
            history: .last(actions: 10),
            of: counting
        )
        let changes = Notes<StateChange<Int>>()
        let token = store.changes(of: \.count).subscribe { changes.add($0) }
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        store.undo()
        #expect(changes.all.map(\.isTravel) == [false, false, true])
        #expect(watcher.notes.all.last == "3 travelled to -1: 1")
        #expect(store.history.last?.isTravel == true)
        withExtendedLifetime(token) {}
    }

    @Test func `The end of an object that undo releases may dispatch`() {
        let reducer = Reducer<Page, PageAction>("page") { page, action in
            switch action {
            case .typed(let text): page.text += text
            case .opened(let session): page.session = session
            case .closed: page.session = nil
            case .ended: page.ends += 1
            }
        }
        let store = Store(initial: Page(), reducer: reducer, middleware: [.undo(of: \.text)])
        let dispatch = store.dispatcher
        store.dispatch(.opened(AtEnd { dispatch(.ended) }))
        store.dispatch(.typed("a"))
        store.dispatch(.closed)
        // The state before the step still has the object.
        #expect(store.state.ends == 0)
        #expect(store.undo())
        #expect(store.state.text == "" && store.state.ends == 1)
        #expect(store.redo())
        #expect(store.state.text == "a" && store.state.ends == 1)
    }

    @Test func `Travel other than undo is a step like any other`() throws {
        let store = counterStore([.undo(of: \.self)], history: .last(actions: 10))
        store.dispatch(.add(1))
        store.dispatch(.add(2))
        try store.travel(to: 0)
        store.undo()
        #expect(store.state.count == 3)
        store.undo()
        #expect(store.state.count == 1)
    }

    @Test func `A subscriber's undo happens after the round`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self)])
        let notes = Notes<String>()
        let tokens = [
            store.subscribe(\.count) { [weak store] count in
                if count > 9 { store?.undo() }
                notes.add("a \(count)")
            },
            store.subscribe(\.count) { notes.add("b \($0)") },
        ]
        store.dispatch(.add(10))
        #expect(notes.all == ["a 10", "b 10", "a 0", "b 0"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A subscriber may undo and redo as often as there are steps`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.count)])
        for amount in 1...2 { store.dispatch(.add(amount)) }
        let answers = Notes<Bool>()
        let token = store.subscribe(\.name) { [unowned store] _ in
            for _ in 0..<3 { answers.add(store.undo()) }
            for _ in 0..<2 { answers.add(store.redo()) }
            answers.add(store.undo())
        }
        store.dispatch(.rename("a"))
        // Each tells of the steps at the time of the call.
        #expect(answers.all == [true, true, true, false, false, true])
        #expect(store.state.count == 1)
        #expect(store.undo())
        #expect(!store.undo())
        #expect(store.redo() && store.redo() && !store.redo())
        #expect(store.state == Counter(count: 3, name: "a"))
        token.cancel()
    }

    @Test func `Observers of canUndo are notified of the first and of the last step`() {
        let store = Store(initial: Counter(), reducer: counter, middleware: [.undo(of: \.self)])
        let notes = Notes<String>()
        func track() {
            withObservationTracking {
                notes.add("\(store.canUndo)")
            } onChange: {
                notes.add("changed")
            }
        }
        track()
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        #expect(notes.all == ["false", "changed"])
        track()
        store.undo()
        #expect(notes.all == ["false", "changed", "true"])
        store.undo()
        #expect(notes.all == ["false", "changed", "true", "changed"])
    }
}
