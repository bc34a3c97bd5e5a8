/// A layer around a store's reducers, which sees each action before them and again after them.
///
/// The first of a store's middleware is the outermost. Each is a function in curried form:
///
/// ```swift
/// let logging = Middleware<AppState, AppAction> { getState, dispatch in
///     { next in
///         { action in
///             print("before", getState())
///             next(action)
///             print("after", getState())
///         }
///     }
/// }
/// ```
///
/// Middleware may drop an action by not calling `next`, change it, or dispatch others before or after it.
///
/// You may keep the closures that it receives and call them later from any thread. They do not keep the store alive:
/// once the store is gone, `getState` returns its last state, and `dispatch` and `next` do nothing.
public struct Middleware<State: Sendable, Action: Sendable>: Sendable {
    /// Passes an action on.
    public typealias Next = @Sendable (Action) -> Void
    /// `(getState, dispatch) -> (next) -> (action) -> Void`.
    public typealias Body =
        @Sendable (_ getState: @escaping @Sendable () -> State, _ dispatch: Dispatcher<Action>) -> (@escaping Next) ->
        Next

    /// A struct, because calls to a function in an optional or an array go through reabstraction thunks.
    @usableFromInline
    struct Layer: Sendable {
        @usableFromInline let make: Body
    }

    /// `nil` if this middleware only observes.
    @usableFromInline let layer: Layer?
    let observer: (any ReductionObserver<State, Action>)?

    private init(layer: Layer?, observer: (any ReductionObserver<State, Action>)?) {
        self.layer = layer
        self.observer = observer
    }

    /// Creates middleware from a function in curried form.
    public init(_ body: @escaping Body) {
        self.init(layer: Layer(make: body), observer: nil)
    }

    /// Middleware that does nothing, in place of one that is turned off. It has no cost.
    public static var empty: Middleware { Middleware(layer: nil, observer: nil) }

    /// Creates middleware that passes every action on and observes the reduction.
    ///
    /// An observer costs each dispatch one call before the reducers, one after each, and one after the last.
    public init(observer: any ReductionObserver<State, Action>) {
        self.init(layer: nil, observer: observer)
    }
}

extension Middleware {
    /// Reports how long each action took.
    ///
    /// ```swift
    /// .timing { action, duration in
    ///     if duration > .milliseconds(8) { print("slow:", action, duration) }
    /// }
    /// ```
    ///
    /// It measures all that comes after it: as the last middleware, the reducers and the subscribers; as the first, the
    /// other middleware too. The time includes the actions that subscribers dispatch in answer.
    ///
    /// - Parameters:
    ///   - clock: The clock to measure with.
    ///   - report: Called on the dispatching thread after the action.
    public static func timing<Time: Clock<Duration>>(
        clock: Time = ContinuousClock(),
        _ report: @escaping @Sendable (_ action: Action, _ duration: Duration) -> Void
    ) -> Middleware {
        Middleware { _, _ in
            { next in
                { action in
                    let start = clock.now
                    next(action)
                    report(action, start.duration(to: clock.now))
                }
            }
        }
    }

    /// Passes only those actions on for which `isIncluded` returns `true`.
    ///
    /// ```swift
    /// .filter { action in isSignedIn || action.isPublic }
    /// ```
    ///
    /// A dropped action gets no number. Only the middleware before this one sees it.
    public static func filter(_ isIncluded: @escaping @Sendable (_ action: Action) -> Bool) -> Middleware {
        Middleware { _, _ in
            { next in
                { action in
                    if isIncluded(action) { next(action) }
                }
            }
        }
    }
}
