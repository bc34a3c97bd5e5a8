import TestSupport
import Testing

@testable import HindsightStore

private struct App: Codable, Sendable, Equatable {
    struct Item: Codable, Sendable, Equatable {
        var title: String
        var done = false
    }

    var items = [Item(title: "a"), Item(title: "b")]
    var filter = "all"
    var byName: [String: Int] = [:]
}

private enum AppAction: Sendable {
    enum Todo: Sendable { case toggle(id: Int), rename(id: Int, to: String), add(String), fill(Int), none }
    case todo(Todo)
    case filter(String)
}

private let reducer = Reducer<App, AppAction>("app") { app, action in
    switch action {
    case .todo(.toggle(let id)): app.items[id].done.toggle()
    case .todo(.rename(let id, let title)): app.items[id].title = title
    case .todo(.add(let title)):
        app.items.append(App.Item(title: title))
        app.byName[title] = app.items.count
    case .todo(.fill(let count)):
        for number in 0..<count { app.byName["\(number + 100)"] = number }
    case .todo(.none): break
    case .filter(let filter): app.filter = filter
    }
}

@Suite struct LoggingTests {
    private func log(_ actions: AppAction...) -> [String] {
        let lines = Guarded<[String]>([])
        let store = Store(
            initial: App(),
            reducer: reducer,
            middleware: [.logging { line in lines.withLock { $0.append(line) } }]
        )
        for action in actions { store.dispatch(action) }
        return lines.withLock({ $0 })
    }

    @Test func `A log shows each action with its changes`() {
        #expect(
            log(.todo(.toggle(id: 1)), .filter("open"), .todo(.none)) == [
                "todo.toggle(id: 1)  /items/1/done false → true",
                #"filter("open")  /filter "all" → "open""#,
                "todo.none  changes nothing",
            ]
        )
    }

    @Test func `Each of several changes has its own line`() {
        #expect(
            log(.todo(.add("c"))) == [
                """
                todo.add("c")
                  /items/2 + {"title":"c","done":false}
                  /byName/c + 3
                """
            ]
        )
    }

    @Test func `Long values and long lists are truncated`() {
        let long = log(.filter(String(repeating: "x", count: 500)))[0]
        #expect(long.contains(#"… (502 characters)"#))
        #expect(log(.todo(.fill(30)))[0].hasSuffix("\n  … and 18 more changes"))
    }

    @Test func `Control characters are escaped`() {
        let text = log(.filter("\u{1B}[31m\u{202E}\u{85}"))[0]
        #expect(text.unicodeScalars.allSatisfy { !"\u{1B}\u{202E}\u{85}".unicodeScalars.contains($0) })
        #expect(text.contains(#"\u{202e}"#))
    }

    @Test func `Control characters of an error are escaped`() {
        struct Refusal: Error, CustomStringConvertible { let description = "no\nadmin.loggedIn" }
        struct Fragile: Codable, Sendable {
            var isBroken = false
            init() {}
            init(from decoder: any Decoder) throws { throw Refusal() }
            func encode(to encoder: any Encoder) throws { if isBroken { throw Refusal() } }
        }
        let lines = Guarded<[String]>([])
        let store = Store(
            initial: Fragile(),
            reducer: Reducer<Fragile, Int>("break") { state, _ in state.isBroken = true },
            middleware: [.logging { line in lines.withLock { $0.append(line) } }]
        )
        store.dispatch(1)
        let text = lines.withLock { $0.joined() }
        #expect(text.contains(#"no\u{a}admin.loggedIn"#) && !text.contains("\n"), "\(text)")
    }

    @Test func `Time travel and undo are logged`() throws {
        let lines = Guarded<[String]>([])
        let store = Store(
            initial: App(),
            reducer: reducer,
            middleware: [.logging { line in lines.withLock { $0.append(line) } }, .undo(of: \.self)],
            history: .last(actions: 5)
        )
        store.dispatch(.filter("open"))
        try store.travel(to: 0)
        store.undo()
        store.travel(toState: App())
        #expect(
            lines.withLock({ $0 }).dropFirst() == [
                #"travel to 0  /filter "open" → "all""#,
                #"travel  /filter "all" → "open""#,
                #"travel  /filter "open" → "all""#,
            ]
        )
    }

    @Test func `A disabled logger adds no observer`() {
        let off = Middleware<App, AppAction>.logging(to: nil)
        let store = Store(initial: App(), reducer: reducer, middleware: [off])
        store.dispatch(.filter("open"))
        #expect(off.observers.isEmpty && off.layers.isEmpty)
    }

    @Test func `A logger in two stores reports that and stops`() {
        let lines = Guarded<[String]>([])
        let logging = Middleware<App, AppAction>.logging { line in lines.withLock { $0.append(line) } }
        let stores = (1...2).map { _ in Store(initial: App(), reducer: reducer, middleware: [logging]) }
        for store in stores { store.dispatch(.filter("open")) }
        #expect(lines.withLock({ $0 }).count == 1)
        #expect(lines.withLock({ $0 })[0].contains("two stores"))
    }
}
