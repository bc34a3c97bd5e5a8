import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightTree
import Testing

// The packages themselves are not dependencies. These stand-ins have the shape of their public protocols.

private struct AppState: Codable, Sendable, Equatable {
    var lines: [String] = []
    var isLoading = false
}

private enum Composable {
    struct Effect<Action: Sendable> {
        var run: ((_ send: (Action) -> Void) -> Void)?
        static var none: Effect { Effect() }
    }

    protocol Reducer<State, Action> {
        associatedtype State
        associatedtype Action: Sendable
        func reduce(into state: inout State, action: Action) -> Effect<Action>
    }

    struct Recorded<Base: Reducer>: Reducer where Base.State: Codable & Sendable, Base.Action: Codable & Sendable {
        let base: Base
        let recorder: Recorder<Base.State, Base.Action>

        func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
            recorder.record(action, in: &state) { state in base.reduce(into: &state, action: action) }
        }
    }

    enum AppAction: Codable, Sendable { case load, loaded([String]) }

    struct App: Reducer {
        func reduce(into state: inout AppState, action: AppAction) -> Effect<AppAction> {
            switch action {
            case .load:
                state.isLoading = true
                return Effect { send in send(.loaded(["a", "b"])) }
            case .loaded(let lines):
                state = AppState(lines: lines)
                return .none
            }
        }
    }

    final class Store<R: Reducer> {
        var state: R.State
        let reducer: R

        init(_ state: R.State, _ reducer: R) { (self.state, self.reducer) = (state, reducer) }

        func send(_ action: R.Action) { reducer.reduce(into: &state, action: action).run?(send) }
    }
}

private struct ReSwiftLike {
    protocol Action {}
    struct Initialize: Action {}
    enum AppAction: Action, Codable, Sendable { case add(String) }

    let recorder: Recorder<AppState, AppAction>

    func reduce(_ action: Action, _ state: AppState) -> AppState {
        guard case .add(let line)? = action as? AppAction else { return state }
        return AppState(lines: state.lines + [line])
    }

    func recorded(_ action: Action, _ old: AppState?) -> AppState {
        var state = old ?? AppState()
        guard let action = action as? AppAction else { return reduce(action, state) }
        return recorder.record(action, in: &state) { state in
            state = reduce(action, state)
            return state
        }
    }
}

@Suite("The guide to recording other stores") struct StoreGuideTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("A composable reducer and its effects are recorded")
    func composable() throws {
        let recorder = try Recorder<AppState, Composable.AppAction>(to: scratch.file(), app: AppInfo(name: "app"))
        let store = Composable.Store(AppState(), Composable.Recorded(base: Composable.App(), recorder: recorder))
        store.send(.load)
        try recorder.close()
        #expect(store.state == AppState(lines: ["a", "b"]))
        let recording = try Recording(at: scratch.file())
        #expect(try (1...recording.actionCount).map { try recording.action($0).type } == ["load", "loaded"])
        #expect(try recording.state(at: Recording.Position(seq: 1))["isLoading"] == .bool(true))
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
    }

    @Test("A reducer function that returns the new state is recorded, and foreign actions are not")
    func function() throws {
        let recorder = try Recorder<AppState, ReSwiftLike.AppAction>(to: scratch.file(), app: AppInfo(name: "app"))
        let app = ReSwiftLike(recorder: recorder)
        var state = app.recorded(ReSwiftLike.Initialize(), nil)
        for line in ["a", "b", "c"] { state = app.recorded(ReSwiftLike.AppAction.add(line), state) }
        try recorder.close()
        #expect(state.lines == ["a", "b", "c"])
        let recording = try Recording(at: scratch.file())
        #expect(try (1...recording.actionCount).map { try recording.action($0).type } == ["add", "add", "add"])
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(state))
    }

    @Test("The guide shows what is compiled here")
    func article() throws {
        let package = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let path = "Sources/HindsightRecorder/HindsightRecorder.docc/RecordingAnyStore.md"
        func words(_ text: some StringProtocol) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let article = try String(contentsOf: package.appending(path: path), encoding: .utf8)
        let code = words(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
        let shown = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        let compiled = shown.filter { $0.hasPrefix("struct Recorded") || $0.hasPrefix("func recorded") }
        #expect(compiled.count == 2)
        for part in compiled { #expect(code.contains(words(part)), "\(part)") }
    }
}
