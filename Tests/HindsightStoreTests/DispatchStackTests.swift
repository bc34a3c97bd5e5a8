import Testing

@testable import HindsightStore

@Suite struct DispatchStackTests {
    private let origin = Origin(file: "file", line: 1)

    @Test func `A frame without other references is reused as if it were new`() {
        var stack = DispatchStack()
        _ = stack.push(from: origin, answering: 7)
        let first = stack.innermost.map(ObjectIdentifier.init)
        stack.innermost?.seq = 8
        stack.innermost?.reducedBefore = [5, 6]
        #expect(stack.pop() == nil)
        #expect(stack.innermost == nil)

        #expect(stack.push(from: Origin(file: "other", line: 2), answering: nil) == 1)
        let second = stack.innermost
        #expect(second.map(ObjectIdentifier.init) == first)
        #expect(second?.origin == Origin(file: "other", line: 2))
        #expect(second?.seq == nil && second?.answered == nil && second?.parent == nil && second?.action == nil)
        #expect(second?.reducedBefore == [])
    }

    @Test func `A frame with another reference keeps its contents, and so do its parents`() {
        var stack = DispatchStack()
        _ = stack.push(from: origin, answering: nil)
        stack.innermost?.seq = 1
        #expect(stack.push(from: origin, answering: nil) == 2)
        let kept = stack.innermost
        _ = stack.pop()
        _ = stack.pop()
        #expect(stack.innermost == nil)
        for _ in 0..<3 {
            _ = stack.push(from: Origin(file: "later", line: 2), answering: nil)
            stack.innermost?.seq = 99
            #expect(stack.innermost !== kept && stack.innermost !== kept?.parent)
        }
        #expect(kept?.origin == origin)
        #expect(kept?.reducedAncestor == 1)
    }

    @Test func `A store releases an action's payload after the dispatch`() {
        final class Payload: Sendable {}
        struct Load: Sendable { let payload: Payload }
        let passing = Middleware<Int, Load> { _, _ in { next in { next($0) } } }
        let store = Store(initial: 0, reducer: Reducer("none") { _, _ in }, middleware: [passing])
        weak var gone: Payload?
        do {
            let payload = Payload()
            gone = payload
            store.dispatch(Load(payload: payload))
        }
        #expect(gone == nil)
    }

    @Test func `Later actions of an effect, a bound dispatch and a subscriber have the right parent`() async {
        let watcher = Watcher()
        let bound = Notes<Dispatcher<CounterAction>>()
        let layer = Middleware<Counter, CounterAction>.layer { action, next, dispatch in
            next(action)
            if case .rename = action { bound.add(dispatch.bound()) }
        }
        let store = Store(initial: Counter(), reducer: counter, middleware: [layer, Middleware(observer: watcher)])
        store.dispatch(.rename("a"))
        store.dispatch(.add(1))
        store.dispatch(.rename("b"))
        for round in 0..<3 {
            bound.all[0](.add(10))
            store.dispatch(.add(round))
            bound.all[1](.add(20))
        }
        let parents = watcher.notes.all.filter { $0.contains("add(10)") || $0.contains("add(20)") }
        #expect(parents.count == 6)
        for line in parents { #expect(line.contains("parent \(line.contains("add(10)") ? 1 : 3) ")) }
    }
}
