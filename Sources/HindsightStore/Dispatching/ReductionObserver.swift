/// Observes each reduction of a store: before the first reducer runs, after each one, and after the last.
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
/// A recorder is an observer. Add an observer by ``Middleware/init(observer:)``; its position among the middleware
/// makes no difference. The store makes all calls in order, never two at a time, on the dispatching thread. An observer
/// that keeps a state makes the next reducer copy what it changes.
///
/// If an observer dispatches an action, the store reduces it after the present one, as it does for subscribers.
public protocol ReductionObserver<StateValue, ActionValue>: AnyObject, Sendable {
    associatedtype StateValue: Sendable
    associatedtype ActionValue: Sendable

    /// The store was created. `reducers` are the unique names of its reducers in the order in which they run.
    func storeStarted(initial: StateValue, reducers: [String])

    /// An action has passed all middleware and has a number. No reducer has run yet.
    func willReduce(_ action: ActionValue, context: ActionContext)

    /// The reducer with this number, counted from 1, has run.
    func didRun(reducer: Int, state: StateValue)

    /// All reducers have run. The store has not called its subscribers yet.
    func didReduce(state: StateValue)

    /// Time travel set the state. No reducer ran, but the travel has a number of its own: `context.seq`.
    ///
    /// - Parameters:
    ///   - seq: The action that led to this state; `nil` if the state is not from the store's history.
    ///   - state: The present state.
    func didTravel(to seq: Int?, context: ActionContext, state: StateValue)

    /// A phase of a dispatch begins.
    ///
    /// The store calls this about three times an action, and more often if it has several observers. Return quickly,
    /// and do not dispatch.
    func didEnter(_ phase: DispatchPhase)
}

extension ReductionObserver {
    /// Does nothing.
    public func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {}

    /// Does nothing.
    public func didEnter(_ phase: DispatchPhase) {}
}

/// An observer that also runs the reducers itself, on a state of its own.
package protocol ReducingObserver<StateValue, ActionValue>: ReductionObserver {
    /// The store was created. Called instead of ``ReductionObserver/storeStarted(initial:reducers:)``.
    ///
    /// - Parameters:
    ///   - initial: The state before the first action.
    ///   - reducer: Its reducer. The leaves are numbered from 1.
    ///   - present: Returns the state and the number of the last action; `nil` if the store is in the middle of an action,
    ///     or another thread uses it. It does not keep the store alive.
    func storeStarted(
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        present: @escaping @Sendable () -> (state: StateValue, seq: Int)?
    )
}
