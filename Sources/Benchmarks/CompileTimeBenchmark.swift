import Foundation

/// How long the compiler takes to type-check an app's code against the built store, for each reducer, subscription and
/// chain of operators. Each of the three files has one literal of 100.
func benchmarkCompileTime() throws {
    let modules = buildFolder.appendingPathComponent("Modules")
    guard FileManager.default.fileExists(atPath: modules.appendingPathComponent("HindsightStore.swiftmodule").path)
    else {
        print("\nThe store's module is not built beside this program: swift build -c release")
        return
    }
    let table = Table("Type-checking an app, each of 100", "time", "bar")
    try inScratchFolder { folder in
        let file = folder.appendingPathComponent("app.swift")
        func timeToCheck(_ code: AppCode, _ count: Int) throws -> Double {
            try Data(code.source(count).utf8).write(to: file)
            let arguments = [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", modules.path,
                "-module-cache-path", folder.appendingPathComponent("cache").path, file.path,
            ]
            let times = try (0..<5).map { _ in try Spawned.run("/usr/bin/env", arguments).cpuTime }
            return times.sorted()[times.count / 2]
        }
        for code in AppCode.allCases {
            let one = try timeToCheck(code, 1)
            let each = try (timeToCheck(code, 101) - one) / 100
            table.row(code.title, time(max(each, 0)), "10 ms")
        }
    }
}

/// An app's source, of one kind of declaration.
private enum AppCode: CaseIterable {
    case reducers
    case subscriptions
    case chains

    var title: String {
        switch self {
        case .reducers: "reducer"
        case .subscriptions: "subscription to a key path"
        case .chains: "chain of filter, map and removeDuplicates"
        }
    }

    func source(_ count: Int) -> String {
        let properties = (0..<count).map { "    var v\($0) = 0\n" }.joined()
        let items = (0..<count).map { "        \(item($0)),\n" }.joined()
        let (parameter, element) =
            switch self {
            case .reducers: ("", "Reducer<AppState, AppAction>")
            case .subscriptions, .chains: ("_ store: Store<AppState, AppAction>", "SubscriptionToken")
            }
        return """
            import HindsightStore
            struct AppState: Sendable {
            \(properties)}
            enum AppAction: Sendable { case add(Int), clear }
            func items(\(parameter)) -> [\(element)] {
                [
            \(items)    ]
            }
            """
    }

    private func item(_ number: Int) -> String {
        switch self {
        case .reducers:
            #"Reducer("r\#(number)") { state, action in if case .add(let n) = action { state.v\#(number) += n + 1 } }"#
        case .subscriptions:
            #"store.subscribe(\.v\#(number)) { print($0 + \#(number)) }"#
        case .chains:
            #"store.observe(\.v\#(number)).filter { $0 > \#(number) }.map { $0 + \#(number) }.removeDuplicates()"#
                + ".subscribe { print($0) }"
        }
    }
}
