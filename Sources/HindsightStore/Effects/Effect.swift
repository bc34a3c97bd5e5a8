/// Work that an action starts outside of the reducers: it may take its time, and answers with actions.
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
/// **Parents.** What an effect dispatches has the action that started it as its parent, from whatever thread and
/// however much later.
///
/// **Cancellation.** Starting an effect cancels the one that runs with the same id; `cancel(id:)`,
/// ``Store/cancelEffects()`` and the end of the store cancel too. An effect learns of it as any task does. Once it is
/// cancelled, nothing that it dispatches is reduced any more.
///
/// Replay never runs effects.
public struct Effect<Action: Sendable>: Sendable {
    enum Step: Sendable {
        case task(id: HashableKey?, TaskPriority?, @Sendable (Dispatch<Action>) async -> Void)
        case cancel(HashableKey)
    }

    let steps: [Step]

    /// Nothing to do. It costs nothing.
    public static var none: Effect { Effect(steps: []) }

    /// Runs `work` in a task of its own.
    ///
    /// - Parameters:
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Is handed a dispatch that knows the action which started the effect.
    public static func task(
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatch<Action>) async -> Void
    ) -> Effect {
        Effect(steps: [.task(id: nil, priority, work)])
    }

    /// Runs `work` in a task of its own, in place of the effect that runs with the same id.
    ///
    /// - Parameters:
    ///   - id: Names the effect among all of its store.
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Is handed a dispatch that knows the action which started the effect.
    public static func task(
        id: some Hashable & Sendable,
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatch<Action>) async -> Void
    ) -> Effect {
        Effect(steps: [.task(id: HashableKey(id), priority, work)])
    }

    /// Cancels the effect that runs with this id, if there is one.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(steps: [.cancel(HashableKey(id))])
    }

    /// Does all that the effects do, in their order; tasks run side by side.
    public static func merge(_ effects: Effect...) -> Effect {
        merge(effects)
    }

    /// Does all that the effects do, in their order; tasks run side by side.
    public static func merge(_ effects: [Effect]) -> Effect {
        Effect(steps: effects.flatMap(\.steps))
    }
}
