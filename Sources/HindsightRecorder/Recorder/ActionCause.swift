/// Which recorded action some work comes from, so that the actions of an effect get it as their parent.
///
/// Inside the function that ``Recorder/record(_:in:fileID:line:_:)`` runs, the cause is the action under way. A task that
/// is started there has the same cause, and so have its own tasks:
///
/// ```swift
/// func send(_ action: AppAction) {
///     recorder.record(action, in: &state) { state in
///         let effect = reduce(&state, action)
///         Task { await effect.run(send) }
///     }
/// }
/// ```
///
/// A detached task, a queue, a callback, or a store that starts its effects later has none. Keep the cause, and run the
/// work with it:
///
/// ```swift
/// let cause = ActionCause.current
/// loader.load { lines in cause.run { send(.loaded(lines)) } }
/// ```
///
/// An action of another recorder than the cause's has no parent. A `Store` knows the parents of its actions by itself.
///
/// **Cost.** ``current`` reads a task-local value, and ``run(_:)`` binds one. A cause keeps no recorder open.
public struct ActionCause: Sendable {
    /// The action that is the cause.
    struct Action: Sendable {
        /// The store whose recording has it.
        let store: any StepObserver
        let seq: Int
    }

    @TaskLocal static var action: Action?

    private let action: Action?

    /// The cause of the code that runs now: the action under way, or the one that this task comes from; without either,
    /// a cause that is no action.
    public static var current: ActionCause { ActionCause(action: action) }

    /// Runs `body`, whose actions come from this cause. If the cause is no action, they have no parent.
    ///
    /// - Throws: What `body` throws.
    public func run<Outcome>(_ body: () throws -> Outcome) rethrows -> Outcome {
        try Self.$action.withValue(action, operation: body)
    }

    /// Runs `body`, whose actions come from this cause. If the cause is no action, they have no parent.
    ///
    /// - Throws: What `body` throws.
    public func run<Outcome>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Outcome
    ) async rethrows -> Outcome {
        try await Self.$action.withValue(action, operation: body, isolation: isolation)
    }
}
