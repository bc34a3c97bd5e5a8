/// Asynchronous work that an action starts, and that answers with actions.
///
/// ```swift
/// let search = Middleware<AppState, AppAction>.effects { action, getState in
///     switch action {
///     case .typed(let text):
///         .task(id: "search") { dispatch in
///             dispatch(.found(await lookUp(text)))
///         }
///     case .cleared:
///         .cancel(id: "search")
///     default:
///         .none
///     }
/// }
/// ```
///
/// **Parents.** The action that started an effect is the parent of all that the effect dispatches, at any time and from
/// any thread.
///
/// **Cancellation.** Starting an effect cancels the running one with the same id. `cancel(id:)`,
/// ``Store/cancelEffects()`` and the end of the store cancel too. The effect's task is cancelled, and the store reduces
/// none of the actions that the effect dispatches afterwards.
///
/// Replay never runs effects.
public struct Effect<ActionValue: Sendable>: Sendable {
    enum Step: Sendable {
        case task(id: HashableKey?, TaskPriority?, @Sendable (Dispatcher<ActionValue>) async -> Void)
        case cancel(HashableKey)
    }

    let steps: [Step]

    /// No work. It has no cost.
    public static var none: Effect { Effect(steps: []) }

    /// Runs `work` in a new task, and cancels the running effect with the same id, if it has one.
    ///
    /// - Parameters:
    ///   - id: Identifies the effect among all of its store; `nil` if nothing cancels it but the store.
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Receives a dispatcher bound to the action that started the effect.
    public static func task(
        id: (any Hashable & Sendable)? = nil,
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatcher<ActionValue>) async -> Void
    ) -> Effect {
        Effect(steps: [.task(id: id.map { HashableKey($0) }, priority, work)])
    }

    /// Runs work that may fail in a new task, and cancels the running effect with the same id, if it has one.
    ///
    /// ```swift
    /// .task { dispatch in
    ///     dispatch(.found(try await load()))
    /// } catch: { error, dispatch in
    ///     dispatch(.failed("\(error)"))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Identifies the effect among all of its store; `nil` if nothing cancels it but the store.
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Receives a dispatcher bound to the action that started the effect.
    ///   - failed: Receives the error that `work` throws. Not called if the effect was cancelled.
    public static func task(
        id: (any Hashable & Sendable)? = nil,
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatcher<ActionValue>) async throws -> Void,
        catch failed: @escaping @Sendable (_ error: any Error, _ dispatch: Dispatcher<ActionValue>) async -> Void
    ) -> Effect {
        task(id: id, priority: priority) { dispatch in
            do {
                try await work(dispatch)
            } catch {
                if !Task.isCancelled { await failed(error, dispatch) }
            }
        }
    }

    /// Cancels the running effect with this id, if there is one.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(steps: [.cancel(HashableKey(id))])
    }

    /// Combines effects: starts and cancels them in order. Their tasks run concurrently.
    public static func merge(_ effects: Effect...) -> Effect {
        merge(effects)
    }

    /// Combines effects: starts and cancels them in order. Their tasks run concurrently.
    public static func merge(_ effects: [Effect]) -> Effect {
        Effect(steps: effects.flatMap(\.steps))
    }

    /// The same effect for a larger action: its actions become payloads of one case.
    ///
    /// ```swift
    /// let search = Middleware<AppState, AppAction>.effects { action, getState in
    ///     guard case .editor(let action) = action else { return .none }
    ///     return editorEffects(action).lift(AppAction.editor)
    /// }
    /// ```
    public func lift<Whole: Sendable>(_ part: EnumCase<Whole, ActionValue>) -> Effect<Whole> {
        Effect<Whole>(
            steps: steps.map { step in
                switch step {
                case .cancel(let id): .cancel(id)
                case .task(let id, let priority, let work): .task(id: id, priority) { await work($0.lift(part)) }
                }
            }
        )
    }

    func start(on target: any DispatchTarget<ActionValue>) {
        for step in steps {
            switch step {
            case .cancel(let id): target.cancelEffect(id: id)
            case .task(let id, let priority, let work): target.startEffect(id: id, priority: priority, work)
            }
        }
    }
}

extension Middleware {
    /// Starts effects in answer to actions.
    ///
    /// The middleware calls `effect` on the dispatching thread, after an action has been reduced and subscribers have
    /// been notified. `effect` should only describe the work. See ``Effect``.
    ///
    /// - Parameter effect: Returns the effect of an action. `getState` returns the state at the time of the call, also
    ///   from within a task.
    public static func effects(
        _ effect:
            @escaping @Sendable (_ action: ActionValue, _ getState: @escaping @Sendable () -> StateValue) -> Effect<
                ActionValue
            >
    ) -> Middleware {
        Middleware { getState, dispatch in
            { next in
                { action in
                    next(action)
                    let effect = effect(action, getState)
                    if !effect.steps.isEmpty, let target = dispatch.target() { effect.start(on: target) }
                }
            }
        }
    }
}
