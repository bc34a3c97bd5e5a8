import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightTree
import Observation
import Testing

// The packages themselves are not dependencies. These stand-ins have the shape of their public protocols.

private struct AppState: Codable, Sendable, Equatable {
    var lines: [String] = []
    var isLoading = false
}

private final class ReSwiftLike {
    protocol Action {}
    struct Initialize: Action {}
    enum AppAction: Action, Codable, Sendable { case add(String) }

    /// A stand-in for ReSwift's `Store`.
    final class ReduxStore {
        private(set) var state: AppState
        private let reducer: (Action, AppState?) -> AppState

        init(reducer: @escaping (Action, AppState?) -> AppState, state: AppState?) {
            (self.reducer, self.state) = (reducer, reducer(Initialize(), state))
        }

        func dispatch(_ action: Action) { state = reducer(action, state) }
    }

    let recorder: Recorder<AppState, AppAction>
    private(set) var store: ReduxStore!

    init(_ recorder: Recorder<AppState, AppAction>) {
        self.recorder = recorder
        store = ReduxStore(reducer: recorded, state: nil)
    }

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

private struct CartState: Codable, Sendable {
    var lines: [String] = []
    var isLoading = false
}

private enum CartAction: Codable, Sendable { case add(String), clear }

private func reduce(_ state: inout CartState, _ action: CartAction) {
    switch action {
    case .add(let line): state.lines.append(line)
    case .clear: state.lines.removeAll()
    }
}

@Observable private final class WholeCart {
    private(set) var state = CartState()
    private let recorder: Recorder<CartState, CartAction>

    init(_ recorder: Recorder<CartState, CartAction>) { self.recorder = recorder }

    func send(_ action: CartAction) {
        recorder.record(action, in: &state) { state in reduce(&state, action) }
    }
}

@Observable private final class SplitCart {
    var lines: [String] = []
    var isLoading = false
    private let recorder: Recorder<CartState, CartAction>

    init(_ recorder: Recorder<CartState, CartAction>) { self.recorder = recorder }

    func send(_ action: CartAction) {
        var state = snapshot
        recorder.record(action, in: &state) { state in
            switch action {
            case .add(let line): lines.append(line)
            case .clear: lines.removeAll()
            }
            state = snapshot
        }
    }

    private var snapshot: CartState { CartState(lines: lines, isLoading: isLoading) }
}

private final class OwnStore {
    enum AppAction: Codable, Sendable { case add(String) }

    private(set) var state = AppState()
    private let recorder: Recorder<AppState, AppAction>

    init(_ recorder: Recorder<AppState, AppAction>) { self.recorder = recorder }

    private func reduce(_ state: inout AppState, _ action: AppAction) {
        if case .add(let line) = action { state.lines.append(line) }
    }

    func dispatch(_ action: AppAction) {
        recorder.record(action, in: &state) { state in reduce(&state, action) }
    }
}

@Suite("The guide to recording other stores") struct StoreGuideTests {
    private let scratch = Scratch()

    @Test("A reducer function that returns the new state is recorded, and foreign actions are not")
    func function() throws {
        let recorder = try Recorder<AppState, ReSwiftLike.AppAction>(to: scratch.file(), app: AppInfo(name: "app"))
        let app = ReSwiftLike(recorder)
        for line in ["a", "b", "c"] { app.store.dispatch(ReSwiftLike.AppAction.add(line)) }
        try recorder.close()
        let state = app.store.state
        #expect(state.lines == ["a", "b", "c"])
        let recording = try Recording(at: scratch.file())
        #expect(try (1...recording.actionCount).map { try recording.action($0).type } == ["add", "add", "add"])
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(state))
    }

    @Test("An observable model is recorded, with one value or with many properties")
    func observable() throws {
        let first = try Recorder<CartState, CartAction>(to: scratch.file("a.hindsight"), app: AppInfo(name: "cart"))
        let second = try Recorder<CartState, CartAction>(to: scratch.file("b.hindsight"), app: AppInfo(name: "cart"))
        let (whole, split) = (WholeCart(first), SplitCart(second))
        for action in [.add("a"), .add("b"), .clear, .add("c")] as [CartAction] {
            whole.send(action)
            split.send(action)
        }
        split.isLoading = true
        split.send(.clear)
        try first.close()
        try second.close()
        let recordings = try ["a", "b"].map { try Recording(at: scratch.file("\($0).hindsight")) }
        for seq in 0...4 {
            let states = try recordings.map { try $0.state(at: Recording.Position(seq: seq)) }
            #expect(states[0] == states[1])
        }
        #expect(try recordings[1].actions(in: 1...6).map(\.isTravel) == [false, false, false, false, true, false])
        #expect(try recordings[1].state(at: recordings[1].end) == ["lines": [], "isLoading": true])
    }

    @Test("A reducer function of one's own is recorded")
    func own() throws {
        let recorder = try Recorder<AppState, OwnStore.AppAction>(to: scratch.file(), app: AppInfo(name: "app"))
        let store = OwnStore(recorder)
        for line in ["a", "b"] { store.dispatch(.add(line)) }
        let recording = try recorder.closeAndRead()
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
        #expect(recording.actionCount == 2 && store.state.lines == ["a", "b"])
    }
}
