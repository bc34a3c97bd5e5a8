/// An action that is a function: it reads the state and dispatches other actions.
///
/// For stores whose actions are existentials, such as `any AppAction`. Conform `Thunk` to that protocol, and put
/// ``Middleware/thunks`` among the middleware:
///
/// ```swift
/// protocol AppAction: Sendable {}
/// extension Thunk: AppAction where StateValue == AppState, ActionValue == any AppAction {}
///
/// func addIfOdd(_ amount: Int) -> Thunk<AppState, any AppAction> {
///     Thunk { getState, dispatch in
///         if !getState().count.isMultiple(of: 2) { dispatch(Add(amount)) }
///     }
/// }
/// store.dispatch(addIfOdd(3))
/// ```
///
/// A store whose actions are an enumeration runs a thunk with `store.run(thunk)`, or as the payload of a case, with
/// ``Middleware/thunks(_:)``:
///
/// ```swift
/// enum ScreenAction: Sendable {
///     case add(Int)
///     case run(Thunk<Int, ScreenAction>)
/// }
///
/// let thunks = Middleware<Int, ScreenAction>.thunks { action in
///     if case .run(let thunk) = action { thunk } else { nil }
/// }
/// ```
///
/// A thunk never reaches the reducers and has no number: the actions that it dispatches have the parent of the thunk.
/// While it runs, the store handles no action of another thread.
public struct Thunk<StateValue: Sendable, ActionValue: Sendable>: Sendable {
    let body: @Sendable (_ getState: @escaping @Sendable () -> StateValue, _ dispatch: Dispatcher<ActionValue>) -> Void

    /// Creates a thunk.
    ///
    /// - Parameter body: Runs on the dispatching thread. You may keep its `dispatch` and call it later.
    public init(
        _ body:
            @escaping @Sendable (_ getState: @escaping @Sendable () -> StateValue, _ dispatch: Dispatcher<ActionValue>)
            -> Void
    ) {
        self.body = body
    }

    /// Runs this thunk, for example as a part of another one.
    ///
    /// ```swift
    /// let twice = Thunk<AppState, any AppAction> { getState, dispatch in
    ///     for _ in 1...2 { addIfOdd(1)(getState, dispatch) }
    /// }
    /// ```
    public func callAsFunction(_ getState: @escaping @Sendable () -> StateValue, _ dispatch: Dispatcher<ActionValue>) {
        body(getState, dispatch)
    }
}

extension Middleware {
    /// Runs actions that are a ``Thunk``, and passes the others on.
    ///
    /// Costs each action one dynamic cast. Put it before middleware that should not see thunks.
    public static var thunks: Middleware {
        thunks { $0 as? Thunk<StateValue, ActionValue> }
    }

    /// Runs the thunks that actions contain, and passes the other actions on.
    ///
    /// - Parameter extract: Returns an action's thunk; `nil` if it has none.
    public static func thunks(
        _ extract: @escaping @Sendable (_ action: ActionValue) -> Thunk<StateValue, ActionValue>?
    ) -> Middleware {
        Middleware { getState, dispatch in
            { next in
                { action in
                    guard let thunk = extract(action) else { return next(action) }
                    thunk.body(getState, dispatch.bound())
                }
            }
        }
    }
}
