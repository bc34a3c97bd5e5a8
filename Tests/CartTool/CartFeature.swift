import HindsightRecorder
import HindsightReplay

typealias Reducer = ComposableReducer

struct Cart: Codable, Sendable, Equatable {
    var lines: [String] = []
    var isLoading = false
    var question = ""
}

/// It has a closure, so it is not `Codable`.
struct Question {
    var text: String
    var confirm: @Sendable () -> Void = {}
}

enum CartAction: Codable, Sendable {
    case load
    case loaded([String])
    case ask(Described<Question>)
    case remove(at: Int)
}

struct CartFeature: Reducer {
    func reduce(into cart: inout Cart, action: CartAction) -> Effect<CartAction> {
        switch action {
        case .load:
            cart.isLoading = true
            return Effect { [cause = ActionCause.current] send in
                cause.run { send(.loaded(["tea", "milk"])) }
            }
        case .loaded(let lines):
            (cart.lines, cart.isLoading) = (lines, false)
        case .ask(let question):
            precondition(!question.value.text.isEmpty, "there is no question")
            cart.question = question.value.text
        case .remove(let index):
            cart.lines.remove(at: index)
        }
        return .none
    }
}

struct Recorded<Base: Reducer>: Reducer where Base.State: Codable & Sendable, Base.Action: Codable & Sendable {
    let base: Base
    let recorder: Recorder<Base.State, Base.Action>

    func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        recorder.record(action, in: &state) { state in base.reduce(into: &state, action: action) }
    }
}

let cartApp = ReplayableApp("cart", version: "1.0", initial: Cart()) { (cart: inout Cart, action: CartAction) in
    _ = CartFeature().reduce(into: &cart, action: action)
}
