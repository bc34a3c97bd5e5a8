import HindsightRecorder
import HindsightStore
import HindsightTesting
import Testing

private struct CartState: Codable, Sendable, Equatable {
    var items: [String] = []
    var count = 0
    var note: String?

    /// An equality that hides differences.
    static func == (left: CartState, right: CartState) -> Bool { true }
}

private enum CartAction: Codable, Sendable {
    case add(String)
    case clear
    case look
}

private let cartReducer = Reducer<CartState, CartAction>("cart") { state, action in
    switch action {
    case .add(let item):
        state.items.append(item)
        state.count += 1
    case .clear: state = CartState()
    case .look: break
    }
}

@Suite struct ReducerTestTests {
    @Test func `adding an item counts it`() {
        given(CartState(), cartReducer)
            .when(.add("milk")).then {
                $0.items.append("milk")
                $0.count = 1
            }
            .when(.clear).then { $0 = CartState() }
    }

    @Test func `Several actions are asserted together, and an action that changes nothing without a closure`() {
        let test = given(CartState(items: ["tea"], count: 1), cartReducer)
            .when(.add("milk"), .add("bread")).when(.look).then {
                $0.items += ["milk", "bread"]
                $0.count = 3
            }
            .when(.look).then()
        #expect(test.state.items == ["tea", "milk", "bread"])
    }

    @Test func `A change that is not asserted is named with both values`() {
        let texts = issues {
            given(CartState(), cartReducer).when(.add("milk")).then { $0.items = ["milk"] }
        }
        #expect(
            texts == [
                """
                After add("milk"), the state is not as asserted.
                Changed, but not asserted (-: before, +: now):
                - /count: 0
                + /count: 1
                """
            ]
        )
    }

    @Test func `An asserted change that was not made, and one to another value, are told apart`() {
        let texts = issues {
            given(CartState(), cartReducer).when(.add("milk")).then {
                $0.items = ["milk"]
                $0.count = 2
                $0.note = "full"
            }
        }
        #expect(texts.count == 1)
        let text = texts.joined()
        #expect(text.contains("Asserted, but not changed (-: asserted, +: now):\n- /note: \"full\""), "\(text)")
        #expect(text.contains("Changed to another value (-: asserted, +: now):\n- /count: 2\n+ /count: 1"), "\(text)")
        #expect(!text.contains("not asserted"), "\(text)")
    }

    @Test func `A change of an element that an asserted one has moved is no change that was not asserted`() {
        let reducer = Reducer<CartState, CartAction>("last") { state, _ in state.items[1] = "beet" }
        let text = issues {
            given(CartState(items: ["tea", "tea"]), reducer).when(.look).then { $0.items = ["water", "tea", "beef"] }
        }.joined()
        #expect(text.contains("Changed to another value (-: asserted, +: now):\n- /items/0: \"water\""), "\(text)")
        #expect(!text.contains("before"), "\(text)")
    }

    private struct Titled: Codable, Sendable {
        var title: String?
        var count = 0
    }

    @Test func `Another order of members is no difference`() {
        let reducer = Reducer<Titled, CartAction>("title") { state, _ in
            state = Titled(title: "list", count: state.count + 2)
        }
        let added = #"{"op":"add","path":"/title","value":"list"}"#
        let texts = issues {
            given(Titled(), reducer).when(.look)
                .then(changes: "[\(added)," + #"{"op":"replace","path":"/count","old":0,"value":1}]"#)
        }
        #expect(texts.count == 1)
        #expect(texts.joined().hasSuffix("(-: asserted, +: now):\n- /count: 1\n+ /count: 2"), "\(texts)")
    }

    @Test func `After an issue, the next assertion starts with the state that the reducer made`() {
        let texts = issues {
            given(CartState(), cartReducer)
                .when(.add("milk")).then()
                .when(.look).then()
        }
        #expect(texts.count == 1)
        #expect(texts.joined().contains("+ /items/0: \"milk\""), "\(texts)")
    }

    private static let app = ReplayableApp("cart", version: "1", initial: CartState(), reducer: cartReducer)
    private static let state = #"{"items":["tea"],"count":1}"#

    @Test func `A recorded state, recorded actions and recorded changes are a test`() throws {
        let test = try given(CartState.self, from: Self.state, CartAction.self, by: Self.app)
            .when(json: #"{"add":{"_0":"milk"}}"#)
            .then(
                changes: """
                    [{"op":"splice","path":"/items","at":1,"remove":[],"insert":["milk"]},
                    {"op":"replace","path":"/count","old":1,"value":2}]
                    """
            )
            .when(.look).then()
        #expect(test.state.count == 2)
    }

    @Test func `Other changes than the recorded ones, and ones that do not fit, are issues`() throws {
        let test = try given(CartState.self, from: Self.state, CartAction.self, by: Self.app).when(.add("milk"))
        let other = issues { test.then(changes: #"[{"op":"replace","path":"/count","old":1,"value":3}]"#) }.joined()
        #expect(other.contains("Changed, but not asserted (-: before, +: now):\n"), "\(other)")
        #expect(other.contains("- /count: 3\n+ /count: 2"), "\(other)")
        let unfit = issues { test.then(changes: #"[{"op":"replace","path":"/count","old":7,"value":3}]"#) }.joined()
        #expect(unfit.contains("The states cannot be compared"), "\(unfit)")
        let damaged = issues { test.then(changes: "[{") }.joined()
        #expect(damaged.contains("The states cannot be compared"), "\(damaged)")
    }

    @Test func `Types of another app, and JSON without an app, are refused`() throws {
        #expect(throws: ReducerTestError.self) {
            _ = try given(CartState.self, from: Self.state, Int.self, by: Self.app)
        }
        #expect(throws: ReducerTestError.self) { _ = try given(CartState(), cartReducer).when(json: "{}") }
    }
}
