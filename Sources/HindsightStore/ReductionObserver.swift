/// Sits at the reducers' door: told before the first reducer of an action runs, after each, and after the last.
///
/// ```swift
/// final class Printer: ReductionObserver {
///     func storeStarted(initial: AppState, reducers: [String]) { print(reducers) }
///     func willReduce(_ action: AppAction, context: ActionContext) { print(context.seq, action) }
///     func didRun(reducer: Int, state: AppState) { print("  reducer", reducer) }
///     func didReduce(state: AppState) { print("  count is", state.count) }
/// }
///
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [Middleware(observer: Printer())])
/// ```
///
/// A recorder is one. An observer reaches the store through ``Middleware/init(observer:)`` and is told the same things
/// wherever that middleware stands in the chain. All calls for one store come in order and never overlap, on the thread
/// that dispatched. The state is lent: keeping it costs the store a copy of what the next reducer changes.
///
/// What an observer dispatches is reduced when the action is done, as what subscribers dispatch is.
public protocol ReductionObserver<State, Action>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// The store was made. `reducers` are the names of the leaves in the order in which they run, made unique.
    func storeStarted(initial: State, reducers: [String])

    /// An action has passed all middleware and has its number; no reducer has run yet.
    func willReduce(_ action: Action, context: ActionContext)

    /// The leaf with number `reducer` (counted from 1) has run.
    func didRun(reducer: Int, state: State)

    /// All leaves have run; subscribers have not been told yet.
    func didReduce(state: State)

    /// The state was set by time travel, without reducers. That has a number of its own: `context.seq`.
    ///
    /// - Parameters:
    ///   - seq: The action after which the state was this one; `nil` where it is no state of the store's past.
    ///   - state: The state as it is now.
    func didTravel(to seq: Int?, context: ActionContext, state: State)

    /// A phase of a dispatch begins. Called some three times an action, and more often where there are several observers:
    /// it should do next to nothing, and must not dispatch.
    func didEnter(_ phase: DispatchPhase)
}

extension ReductionObserver {
    /// Does nothing: an observer that keeps no states need not care.
    public func didTravel(to seq: Int?, context: ActionContext, state: State) {}

    /// Does nothing.
    public func didEnter(_ phase: DispatchPhase) {}
}
