import HindsightStore
import HindsightSupport
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
    /// The texts of the issues that `body` records.
    private func issues(_ body: () -> Void) -> [String] {
        let texts = Locked([String]())
        withKnownIssue {
            body()
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        return texts.withLock { $0 }
    }

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

    @Test func `After an issue, the next assertion starts with the state that the reducer made`() {
        let texts = issues {
            given(CartState(), cartReducer)
                .when(.add("milk")).then()
                .when(.look).then()
        }
        #expect(texts.count == 1)
        #expect(texts.joined().contains("+ /items/0: \"milk\""), "\(texts)")
    }
}
