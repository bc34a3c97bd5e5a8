/// The part of a dispatch that a store is in, as it tells its observers.
///
/// A store handles one dispatch at a time, on the thread that holds its lock, so it is in one phase at a time.
/// Dispatches from middleware, and those that subscribers asked for, are nested: when one of them ends, the phase of
/// the enclosing dispatch begins again.
///
/// ```swift
/// func didEnter(_ phase: DispatchPhase) {
///     if case .subscribers(let seq) = phase { print("subscribers hear of", seq) }
/// }
/// ```
public enum DispatchPhase: Sendable, Equatable {
    /// No dispatch is under way. `after` is the number of the last action, or 0 before the first.
    case idle(after: Int)
    /// The middleware or the observers handle an action that has no number yet. `after` is the number of the last
    /// action, `parent` that of the action that this one answers.
    case middleware(after: Int, parent: Int?, origin: Origin)
    /// The reducer with this number, counted from 1, runs for the action with number `of`.
    case reducer(Int, of: Int)
    /// The action with number `of` is being reduced, but no reducer runs: observers, or subscribers with the timing
    /// `.eachReducer`, are called. `after` is the number of reducers that have run.
    case betweenReducers(after: Int, of: Int)
    /// Subscribers are called for the action with number `of`.
    case subscribers(of: Int)
    /// The middleware continues after the reduction of the action with number `of`. `after` is the number of the last
    /// action, which is greater if the middleware has dispatched others.
    case unwinding(of: Int, after: Int)
}
