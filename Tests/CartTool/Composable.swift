/// What an effect of a composable store is: it may send actions later.
struct Effect<Action: Sendable> {
    var run: ((_ send: (Action) -> Void) -> Void)?

    static var none: Effect { Effect() }
}

/// A stand-in with the shape of the public protocol of The Composable Architecture, which is not a dependency.
protocol ComposableReducer<State, Action> {
    associatedtype State
    associatedtype Action: Sendable
    func reduce(into state: inout State, action: Action) -> Effect<Action>
}

/// A stand-in for its store, which runs effects at once.
final class ComposableStore<Feature: ComposableReducer> {
    private(set) var state: Feature.State
    private let feature: Feature

    init(initialState: Feature.State, _ feature: () -> Feature) {
        (state, self.feature) = (initialState, feature())
    }

    func send(_ action: Feature.Action) { feature.reduce(into: &state, action: action).run?(send) }
}
