import Foundation
import HindsightRecorder
import HindsightStore
import Observation

// An app in a module whose default isolation is `MainActor`, as Xcode creates it. Only the state, the actions and the
// reducer say `nonisolated`.

nonisolated struct AppState: Codable, Equatable {
    var count = 0
    var name = ""
}

nonisolated enum AppAction: Codable, Equatable {
    case add(Int)
    case rename(String)
    case load
}

nonisolated let appReducer = Reducer<AppState, AppAction>("app") { state, action in
    switch action {
    case .add(let amount): state.count += amount
    case .rename(let name): state.name = name
    case .load: break
    }
}

nonisolated extension AppState {
    static let title = DerivedSelector(\AppState.count, \.name) { count, name in "\(count) \(name)" }
}

let loading = Middleware<AppState, AppAction>.effects { action, getState in
    guard action == .load else { return .none }
    return .task(id: "load") { dispatch in dispatch(.add(getState().count)) }
}

public let app = ReplayableApp("main-actor", version: "1", initial: AppState(), reducer: appReducer)

@Observable
final class Screen {
    private(set) var shown = 0
    private var token: SubscriptionToken?

    func appear(_ store: Store<AppState, AppAction>) {
        token = store.subscribe(\.count, .onMain { [weak self] in self?.shown = $0 })
    }
}

/// Runs the app, records it, and returns what its parts were told.
public func runApp(recordingTo url: URL) async throws -> [String] {
    let recorder = try Recorder<AppState, AppAction>(to: url, app: AppInfo(name: "main-actor", version: "1"))
    let store = Store(initial: AppState(), reducer: appReducer, middleware: [loading, recorder.middleware])
    let notes = Notes()
    let screen = Screen()
    screen.appear(store)
    let tokens = [
        store.subscribe(\.count) { notes.add("count \($0)") },
        store.changes(of: AppState.title).subscribe { notes.add("title \($0.new) at \($0.seq)") },
        store.observe(\.name).filter { !$0.isEmpty }.map { "Welcome, \($0)" }.subscribe { notes.add($0) },
    ]
    store.dispatch(.add(2))
    store.binding(\.name, sending: { .rename($0) }).wrappedValue = "Ada"
    store.dispatch(.load)
    await store.waitForEffects()
    while screen.shown != 4 { await Task.yield() }
    tokens.forEach { $0.cancel() }
    try recorder.close()
    return notes.all + ["observed \(store.observed.count) \(store.observed.name)"]
}

nonisolated final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }
    func add(_ text: String) { lock.withLock { texts.append(text) } }
}
