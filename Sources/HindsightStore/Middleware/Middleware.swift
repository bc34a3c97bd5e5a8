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
/// Middleware may drop an action by not calling `next`, change it, or dispatch others before or after it. If it calls
/// `next` more than once, each call is an action of its own, with the same origin and parent.
///
/// You may keep the closures that it receives and call them later from any thread. They do not keep the store alive:
/// once the store is gone, `getState` returns its last state, and `dispatch` and `next` do nothing.
///
/// A layer gets `next` once, for all actions. To keep the origin and the parent of an action that you pass on later, bind
/// `next`: ``Dispatcher/bound(_:)``. Bind it also if you pass the action on while the middleware handles another one, as a
/// layer that collects actions does: otherwise the store takes it for a part of that one.
public struct Middleware<StateValue: Sendable, ActionValue: Sendable>: Sendable {
    /// Passes an action on.
    public typealias Next = @Sendable (ActionValue) -> Void
    /// `(getState, dispatch) -> (next) -> (action) -> Void`.
    public typealias Body =
        @Sendable (_ getState: @escaping @Sendable () -> StateValue, _ dispatch: Dispatcher<ActionValue>) -> (
            @escaping Next
        ) ->
        Next

    /// A struct, because calls to a function in an optional or an array go through reabstraction thunks.
    @usableFromInline
    struct Layer: Sendable {
        @usableFromInline let make: Body
    }

    /// The layers, the first outermost. None if this middleware only observes.
    @usableFromInline let layers: [Layer]
    let observers: [any ReductionObserver<StateValue, ActionValue>]

    private init(layers: [Layer] = [], observers: [any ReductionObserver<StateValue, ActionValue>] = []) {
        self.layers = layers
        self.observers = observers
    }

    /// Creates middleware from a function in curried form.
    public init(_ body: @escaping Body) {
        self.init(layers: [Layer(make: body)])
    }

    /// Middleware that does nothing, in place of one that is turned off. It has no cost.
    public static var empty: Middleware { Middleware() }

    /// Creates middleware that passes every action on and observes the reduction.
    ///
    /// An observer costs each dispatch one call before the reducers, one after each, and one after the last.
    public init(observer: any ReductionObserver<StateValue, ActionValue>) {
        self.init(observers: [observer])
    }

    /// Combines middleware: the first is the outermost.
    public static func combine(_ middleware: Middleware...) -> Middleware {
        combine(middleware)
    }

    /// Combines middleware: the first is the outermost.
    ///
    /// ```swift
    /// let debugging = Middleware.combine([logging, timing])
    /// ```
    public static func combine(_ middleware: [Middleware]) -> Middleware {
        Middleware(layers: middleware.flatMap(\.layers), observers: middleware.flatMap(\.observers))
    }

    /// Calls this middleware without a store, in the form in which it was written.
    ///
    /// ```swift
    /// let handle = logging({ AppState(count: 3) }, Dispatcher { action, _ in print("dispatched", action) })
    /// handle({ action in print("passed on", action) })(.add(1))
    /// ```
    ///
    /// So middleware can contain other middleware, for example one that is replaced while the store lives. Tests of
    /// middleware use `MiddlewareHarness` of `HindsightTesting`. Observers are not called.
    ///
    /// - Parameters:
    ///   - getState: Returns the present state.
    ///   - dispatch: Takes the actions that the middleware dispatches.
    /// - Returns: A function from `next` to the function that handles an action.
    public func callAsFunction(
        _ getState: @escaping @Sendable () -> StateValue,
        _ dispatch: Dispatcher<ActionValue>
    ) -> (@escaping Next) -> Next {
        let made = layers.map { $0.make(getState, dispatch) }
        return { next in made.reversed().reduce(next) { next, layer in layer(next) } }
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
        _ report: @escaping @Sendable (_ action: ActionValue, _ duration: Duration) -> Void
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
    public static func filter(_ isIncluded: @escaping @Sendable (_ action: ActionValue) -> Bool) -> Middleware {
        Middleware { _, _ in
            { next in
                { action in
                    if isIncluded(action) { next(action) }
                }
            }
        }
    }
}
