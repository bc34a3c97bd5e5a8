extension Effect {
    /// Runs work that may fail in a task of its own.
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
    ///   - work: Is handed a dispatch that knows the action which started the effect.
    ///   - failed: Is handed what `work` threw, unless the effect was cancelled: then nobody wants to know.
    public static func task(
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatch<Action>) async throws -> Void,
        catch failed: @escaping @Sendable (_ error: any Error, _ dispatch: Dispatch<Action>) async -> Void
    ) -> Effect {
        task(priority: priority, caught(work, failed))
    }

    /// Runs work that may fail in a task of its own, in place of the effect that runs with the same id.
    ///
    /// - Parameters:
    ///   - id: Names the effect among all of its store.
    ///   - priority: The task's priority; that of the dispatching task by default.
    ///   - work: Is handed a dispatch that knows the action which started the effect.
    ///   - failed: Is handed what `work` threw, unless the effect was cancelled: then nobody wants to know.
    public static func task(
        id: some Hashable & Sendable,
        priority: TaskPriority? = nil,
        _ work: @escaping @Sendable (_ dispatch: Dispatch<Action>) async throws -> Void,
        catch failed: @escaping @Sendable (_ error: any Error, _ dispatch: Dispatch<Action>) async -> Void
    ) -> Effect {
        task(id: id, priority: priority, caught(work, failed))
    }

    private static func caught(
        _ work: @escaping @Sendable (Dispatch<Action>) async throws -> Void,
        _ failed: @escaping @Sendable (any Error, Dispatch<Action>) async -> Void
    ) -> @Sendable (Dispatch<Action>) async -> Void {
        { dispatch in
            do {
                try await work(dispatch)
            } catch {
                if !Task.isCancelled { await failed(error, dispatch) }
            }
        }
    }
}
