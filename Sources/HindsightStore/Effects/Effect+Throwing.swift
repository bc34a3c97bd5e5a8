extension Effect {
    /// Runs work that may fail in a new task.
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
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Receives a dispatcher bound to the action that started the effect.
    ///   - failed: Receives the error that `work` throws. Not called if the effect was cancelled.
    public static func task(
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatcher<ActionValue>) async throws -> Void,
        catch failed: @escaping @Sendable (_ error: any Error, _ dispatch: Dispatcher<ActionValue>) async -> Void
    ) -> Effect {
        task(priority: priority, caught(work, failed))
    }

    /// Runs work that may fail in a new task, and cancels the running effect with the same id.
    ///
    /// - Parameters:
    ///   - id: Identifies the effect among all of its store.
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Receives a dispatcher bound to the action that started the effect.
    ///   - failed: Receives the error that `work` throws. Not called if the effect was cancelled.
    public static func task(
        id: some Hashable & Sendable,
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatcher<ActionValue>) async throws -> Void,
        catch failed: @escaping @Sendable (_ error: any Error, _ dispatch: Dispatcher<ActionValue>) async -> Void
    ) -> Effect {
        task(id: id, priority: priority, caught(work, failed))
    }

    private static func caught(
        _ work: @escaping @Sendable (Dispatcher<ActionValue>) async throws -> Void,
        _ failed: @escaping @Sendable (any Error, Dispatcher<ActionValue>) async -> Void
    ) -> @Sendable (Dispatcher<ActionValue>) async -> Void {
        { dispatch in
            do {
                try await work(dispatch)
            } catch {
                if !Task.isCancelled { await failed(error, dispatch) }
            }
        }
    }
}
