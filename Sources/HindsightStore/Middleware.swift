/// Dispatches an action; what middleware is handed to dispatch with.
///
/// ```swift
/// let greeting = Middleware<AppState, AppAction> { getState, dispatch in
///     { next in
///         { action in
///             next(action)
///             if getState().count == 1 { dispatch(.rename("first")) }
///         }
///     }
/// }
/// ```
///
/// Called while the middleware handles an action, the new action knows that one as its parent. Called later, from
/// another thread or task, it has none, unless it was ``bound()``. Once its store is gone it does nothing.
public struct Dispatch<Action: Sendable>: Sendable {
    @usableFromInline let send: @Sendable (Action, Origin) -> Void
    /// The store, while it is there.
    let target: @Sendable () -> (any DispatchTarget<Action>)?
    /// Whether it knows the parent of what it dispatches already.
    let isBound: Bool

    @usableFromInline
    init(
        isBound: Bool = false,
        send: @escaping @Sendable (Action, Origin) -> Void,
        target: @escaping @Sendable () -> (any DispatchTarget<Action>)?
    ) {
        self.isBound = isBound
        self.send = send
        self.target = target
    }

    /// Dispatches `action` through the whole chain of middleware.
    @inlinable
    public func callAsFunction(_ action: Action, fileID: String = #fileID, line: Int = #line) {
        send(action, Origin(file: fileID, line: line))
    }
}

/// A layer around a store's reducers: sees each action before them, and again when they are done.
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
/// It may hold an action back by not calling `next`, change it, or dispatch others, before or after.
///
/// What it is handed may be kept, and called from anywhere later on; it does not keep the store. Once that is gone,
/// `getState` gives its last state, and `dispatch` and `next` do nothing.
public struct Middleware<State: Sendable, Action: Sendable>: Sendable {
    /// Passes an action on.
    public typealias Next = @Sendable (Action) -> Void
    /// `(getState, dispatch) -> (next) -> (action) -> Void`.
    public typealias Body =
        @Sendable (_ getState: @escaping @Sendable () -> State, _ dispatch: Dispatch<Action>) -> (@escaping Next) ->
        Next

    /// A layer as a type of its own: an optional function, and one in an array, is called in a roundabout way.
    @usableFromInline
    struct Layer: Sendable {
        @usableFromInline let make: Body
    }

    /// The layer itself, or `nil` where this middleware only observes the reducers' door.
    @usableFromInline let layer: Layer?
    /// Told at the reducers' door.
    let observer: (any ReductionObserver<State, Action>)?

    /// Creates middleware from a function in curried form.
    public init(_ body: @escaping Body) {
        layer = Layer(make: body)
        self.observer = nil
    }

    /// Lets every action through untouched and observes nothing: it costs a store nothing at all.
    ///
    /// Stands in for middleware that is turned off.
    public static var empty: Middleware { Middleware() }

    private init() {
        layer = nil
        observer = nil
    }

    /// Creates middleware that lets every action through untouched and observes the reducers' door.
    ///
    /// An observer costs each dispatch one call before the reducers, one after each, and one after the last.
    public init(observer: any ReductionObserver<State, Action>) {
        layer = nil
        self.observer = observer
    }
}
