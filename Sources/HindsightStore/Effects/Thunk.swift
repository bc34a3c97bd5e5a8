/// An action that is a function: it reads the state and dispatches other actions.
///
/// For stores whose actions are existentials, such as `any AppAction`, make it one of the actions, and put
/// ``Middleware/thunks`` among the middleware:
///
/// ```swift
/// protocol AppAction: Sendable {}
/// extension Thunk: AppAction where State == AppState, Action == any AppAction {}
///
/// func addIfOdd(_ amount: Int) -> Thunk<AppState, any AppAction> {
///     Thunk { getState, dispatch in
///         if !getState().count.isMultiple(of: 2) { dispatch(Add(amount)) }
///     }
/// }
/// store.dispatch(addIfOdd(3))
/// ```
///
/// Stores whose actions are an enumeration have ``Store/run(_:)``.
///
/// A thunk never reaches the reducers and has no number: what it dispatches has the parent that it has itself. No
/// action of another thread comes in between while it runs.
public struct Thunk<State: Sendable, Action: Sendable>: Sendable {
    let body: @Sendable (_ getState: @escaping @Sendable () -> State, _ dispatch: Dispatch<Action>) -> Void

    /// Creates a thunk.
    ///
    /// - Parameter body: Runs on the dispatching thread. Its `dispatch` may also be kept, and called later.
    public init(
        _ body: @escaping @Sendable (_ getState: @escaping @Sendable () -> State, _ dispatch: Dispatch<Action>) -> Void
    ) {
        self.body = body
    }
}

extension Middleware {
    /// Runs actions that are a ``Thunk``, and lets the others through.
    ///
    /// Costs each action one dynamic cast. Put it before middleware that is not to see thunks.
    public static var thunks: Middleware {
        Middleware { getState, dispatch in
            { next in
                { action in
                    guard let thunk = action as? Thunk<State, Action> else { return next(action) }
                    thunk.body(getState, dispatch.bound())
                }
            }
        }
    }
}

extension Store {
    /// Runs a function that reads the state and dispatches actions, with no action of another thread in between.
    ///
    /// ```swift
    /// store.run { getState, dispatch in
    ///     if !getState().count.isMultiple(of: 2) { dispatch(.add(1)) }
    /// }
    /// ```
    ///
    /// What it dispatches has the parent that an action dispatched here would have. In a subscriber its actions are
    /// reduced when the round of notifications is over, as any that is dispatched there.
    ///
    /// - Parameter body: Runs on the calling thread. What it is handed may also be kept, and called later; it does not
    ///   keep the store.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func run<Result>(
        _ body: (_ getState: @escaping @Sendable () -> State, _ dispatch: Dispatch<Action>) throws -> Result
    ) rethrows -> Result {
        try lock.withLock {
            precondition(
                door.pointee.phase != .reducing,
                "A reducer ran a function on its store. Reducers only change their state: change it there directly."
            )
            return try body({ [reach] in reach.state }, boundDispatch())
        }
    }
}
