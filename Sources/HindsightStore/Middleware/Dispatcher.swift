/// Dispatches actions to a store. Middleware, effects and thunks receive one.
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
/// Outside of middleware, ``Store/dispatcher`` returns one, for code that should neither know the state nor keep the
/// store alive.
///
/// If you call it while the middleware handles an action, the new action has that one as its parent. If you call it
/// later, or from another thread or task, the new action has no parent unless the dispatcher is ``bound()``. It does
/// nothing once its store is gone.
public struct Dispatcher<ActionValue: Sendable>: Dispatching {
    @usableFromInline let send: @Sendable (ActionValue, Origin) -> Void
    /// The store, if it is alive.
    let target: @Sendable () -> (any DispatchTarget<ActionValue>)?
    /// Whether the parent of its actions is settled.
    let isBound: Bool

    @usableFromInline
    init(
        isBound: Bool = false,
        send: @escaping @Sendable (ActionValue, Origin) -> Void,
        target: @escaping @Sendable () -> (any DispatchTarget<ActionValue>)?
    ) {
        self.isBound = isBound
        self.send = send
        self.target = target
    }

    /// Dispatches `action` through all middleware.
    @inlinable
    public func dispatch(_ action: ActionValue, from origin: Origin) {
        send(action, origin)
    }

    /// Dispatches `action` through all middleware.
    @inlinable
    public func callAsFunction(_ action: ActionValue, fileID: String = #fileID, line: Int = #line) {
        send(action, Origin(file: fileID, line: line))
    }
}

extension Dispatcher {
    /// The same dispatcher, bound to the action that the middleware is handling: that action is the parent of all that
    /// it dispatches, also later and from other threads.
    ///
    /// ```swift
    /// let answering = Middleware<AppState, AppAction> { getState, dispatch in
    ///     { next in
    ///         { action in
    ///             next(action)
    ///             guard case .typed(let text) = action else { return }
    ///             let answer = dispatch.bound()
    ///             Task { answer(.found(await lookUp(text))) }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The dispatchers of effects and thunks are bound already. Binding a bound dispatcher changes nothing.
    public func bound() -> Dispatcher {
        isBound ? self : target()?.boundDispatcher() ?? self
    }

    /// `next`, bound to the action that the middleware is handling: an action that you pass on later, or from another
    /// thread, keeps that one's origin, its parent and its children.
    ///
    /// ```swift
    /// let delaying = Middleware<AppState, AppAction> { getState, dispatch in
    ///     { next in
    ///         { action in
    ///             let next = dispatch.bound(next)
    ///             Task {
    ///                 try await Task.sleep(for: .milliseconds(100))
    ///                 next(action)
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A `next` that is not bound passes the action on as well, but its origin is unknown, and it has no parent. While the
    /// middleware handles another action, it passes it on with the origin and the parent of that one.
    public func bound(
        _ next: @escaping @Sendable (ActionValue) -> Void
    ) -> @Sendable (ActionValue) -> Void {
        guard let run = target()?.boundFrame() else { return next }
        return { action in run { next(action) } }
    }

    /// A dispatcher for the payload of one case, for code that knows only that part of the actions.
    ///
    /// ```swift
    /// let editor = dispatch.lift(AppAction.editor)
    /// editor(.insert("!"))
    /// ```
    public func lift<Part>(_ part: EnumCase<ActionValue, Part>) -> Dispatcher<Part> {
        // Sends by `send`, so its actions have the same parent as this dispatcher's.
        Dispatcher<Part>(
            isBound: isBound,
            send: { [send] action, origin in send(part.embed(action), origin) },
            target: { [target] in target().map { LiftedTarget(whole: $0, part: part) } }
        )
    }
}

/// A store as a dispatcher needs it, without the type of its state.
@usableFromInline
protocol DispatchTarget<ActionValue>: AnyObject, Sendable {
    associatedtype ActionValue: Sendable

    /// A dispatcher whose actions answer the innermost action.
    func boundDispatcher() -> Dispatcher<ActionValue>

    /// Runs a closure, then or later, as a part of the innermost action's way through the middleware.
    func boundFrame() -> @Sendable (() -> Void) -> Void

    /// Runs `work` in a task, in answer to the innermost action, instead of the effect that runs with this id.
    func startEffect(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (Dispatcher<ActionValue>) async -> Void
    )

    func cancelEffect(id: HashableKey)
}

/// A store as code sees it that knows only one case of its actions.
private final class LiftedTarget<Whole: Sendable, Part: Sendable>: DispatchTarget {
    let whole: any DispatchTarget<Whole>
    let part: EnumCase<Whole, Part>

    init(whole: any DispatchTarget<Whole>, part: EnumCase<Whole, Part>) {
        self.whole = whole
        self.part = part
    }

    func boundDispatcher() -> Dispatcher<Part> { whole.boundDispatcher().lift(part) }

    func boundFrame() -> @Sendable (() -> Void) -> Void { whole.boundFrame() }

    func startEffect(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (Dispatcher<Part>) async -> Void
    ) {
        whole.startEffect(id: id, priority: priority) { [part] in await work($0.lift(part)) }
    }

    func cancelEffect(id: HashableKey) { whole.cancelEffect(id: id) }
}
