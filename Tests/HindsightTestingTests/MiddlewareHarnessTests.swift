import HindsightStore
import HindsightTesting
import Testing

private struct AppState: Sendable, Equatable {
    var name = "start"
}

private enum AppAction: Sendable, Equatable {
    case rename(String)
    case refused
    case found(Int)
}

private let checking = Middleware<AppState, AppAction> { getState, dispatch in
    { next in
        { action in
            if action == .rename("") || action == .rename(getState().name) { return dispatch(.refused) }
            next(action)
        }
    }
}

private let looking = Middleware<AppState, AppAction>.effects { action, getState in
    guard case .rename = action else { return .none }
    return .task(id: "look") { dispatch in dispatch(.found(getState().name.count)) }
}

@Suite(.timeLimit(.minutes(1))) struct MiddlewareHarnessTests {
    @Test func `an empty name is dropped`() {
        let harness = MiddlewareHarness(checking, state: AppState())
        harness.send(.rename(""))
        #expect(harness.passed.isEmpty)
        #expect(harness.dispatched == [.refused])
    }

    @Test func `Middleware reads the state that the test gives, and next changes nothing by itself`() {
        let harness = MiddlewareHarness(checking, state: AppState())
        harness.send(.rename("other"))
        #expect(harness.passed == [.rename("other")])
        #expect(harness.state.name == "start")
        harness.state.name = "other"
        harness.send(.rename("other"))
        #expect(harness.passed.count == 1)
        #expect(harness.dispatched == [.refused])
    }

    @Test func `A reducer changes the state between before and after`() async {
        let naming = Reducer<AppState, AppAction>("naming") { state, action in
            if case .rename(let name) = action { state.name = name }
        }
        let harness = MiddlewareHarness(.combine(checking, looking), state: AppState(), reducer: naming)
        harness.send(.rename("seven"))
        await harness.waitForEffects()
        #expect(harness.state.name == "seven")
        #expect(harness.passed == [.rename("seven")])
        #expect(harness.dispatched == [.found(5)])
    }
}
