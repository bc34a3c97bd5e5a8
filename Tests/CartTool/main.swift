import Foundation
import HindsightCLI
import HindsightRecorder

// An app with a store of another kind, and its tool: `CartTool app FILE` records five actions, of which the last ends the
// process. If CART is "asking", it is one that has a description.
if CommandLine.arguments.dropFirst().first == "app", let file = CommandLine.arguments.last {
    let recorder = Recorder<Cart, CartAction>.start(to: URL(filePath: file), app: cartApp.info)
    let store = ComposableStore(initialState: Cart()) { Recorded(base: CartFeature(), recorder: recorder) }
    store.send(.load)
    store.send(.ask(Described(Question(text: "Remove milk?"))))
    store.send(.remove(at: 1))
    try recorder.flush()
    if ProcessInfo.processInfo.environment["CART"] == "asking" { store.send(.ask(Described(Question(text: "")))) }
    store.send(.remove(at: 1))
}
HindsightTool.run(cartApp)
