import Testing

@testable import HindsightStore

@Suite struct PassageTests {
    private let origin = Origin(file: "file", line: 1)

    @Test func `A passage that nobody knows any more is used again, as if it were new`() {
        var passages = Passages()
        _ = passages.begin(from: origin, answering: 7)
        let first = passages.innermost.map(ObjectIdentifier.init)
        passages.innermost?.seq = 8
        passages.innermost?.reducedBefore = [5, 6]
        #expect(passages.end() == nil)
        #expect(passages.innermost == nil)

        #expect(passages.begin(from: Origin(file: "other", line: 2), answering: nil) == 1)
        let second = passages.innermost
        #expect(second.map(ObjectIdentifier.init) == first)
        #expect(second?.origin == Origin(file: "other", line: 2))
        #expect(second?.seq == nil && second?.answered == nil && second?.parent == nil && second?.action == nil)
        #expect(second?.reducedBefore == [])
    }

    @Test func `A passage that somebody still asks about stays as it is, and so do its parents`() {
        var passages = Passages()
        _ = passages.begin(from: origin, answering: nil)
        passages.innermost?.seq = 1
        #expect(passages.begin(from: origin, answering: nil) == 2)
        let kept = passages.innermost
        _ = passages.end()
        _ = passages.end()
        #expect(passages.innermost == nil)
        for _ in 0..<3 {
            _ = passages.begin(from: Origin(file: "later", line: 2), answering: nil)
            passages.innermost?.seq = 99
            #expect(passages.innermost !== kept && passages.innermost !== kept?.parent)
        }
        #expect(kept?.origin == origin)
        #expect(kept?.reducedAncestor == 1)
    }

    @Test func `An action's payload goes with the action`() {
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

    @Test func `Actions that an effect, a bound dispatch and a subscriber answer later have the right parent`() async {
        let watcher = Watcher()
        let bound = Notes<Dispatch<CounterAction>>()
        let layer = Middleware<Counter, CounterAction> { _, dispatch in
            { next in
                { action in
                    next(action)
                    if case .rename = action { bound.add(dispatch.bound()) }
                }
            }
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
