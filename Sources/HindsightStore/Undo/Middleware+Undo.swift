extension Middleware {
    /// Keeps the states for undo and redo. ``Store/undo(fileID:line:)`` and ``Store/redo(fileID:line:)`` need it.
    ///
    /// ```swift
    /// let store = Store(
    ///     initial: AppState(),
    ///     reducer: appReducer,
    ///     middleware: [
    ///         .undo(limit: 50) { action in
    ///             if case .typed = action { return "typing" }
    ///             return nil
    ///         } where: { action in
    ///             if case .select = action { return false }
    ///             return true
    ///         }
    ///     ]
    /// )
    /// ```
    ///
    /// Undo restores the whole state, including changes by actions that are no steps. To restore only a part, use
    /// ``undo(of:limit:coalescing:where:)``. A new step discards the steps to redo. ``Store/travel(to:fileID:line:)``
    /// is a step like any other: undo leads back to where it started.
    ///
    /// **Cost.** Each step keeps a state, which shares storage with the others. The middleware also keeps the present
    /// state, so the first change that an action makes to a collection copies it.
    ///
    /// - Parameters:
    ///   - limit: The number of steps to keep.
    ///   - key: Returns a key for an action. Consecutive actions with the same key are one step; actions that are not
    ///     undoable do not count in between. An action with the key `nil`, the default, is a step of its own.
    ///   - isUndoable: Whether an action is a step at all. By default, all are.
    public static func undo(
        limit: Int = 100,
        coalescing key: @escaping @Sendable (ActionValue) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (ActionValue) -> Bool = { _ in true }
    ) -> Middleware {
        Middleware(observer: UndoObserver(rules: .init(limit: limit, isUndoable: isUndoable, key: key)))
    }

    /// Keeps the states for undo and redo. An action is no step if it leaves the state equal, as decided by its `==`.
    ///
    /// Otherwise like the function of the same name for states that are not `Equatable`.
    public static func undo(
        limit: Int = 100,
        coalescing key: @escaping @Sendable (ActionValue) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (ActionValue) -> Bool = { _ in true }
    ) -> Middleware where StateValue: Equatable {
        let rules = UndoObserver<StateValue, ActionValue>.Rules(limit: limit, isUndoable: isUndoable, key: key) {
            $0 != $1
        }
        return Middleware(observer: UndoObserver(rules: rules))
    }

    /// Keeps the states for undo and redo of one part of the state. Undo does not change the rest.
    ///
    /// ```swift
    /// .undo(of: \AppState.document)
    /// ```
    ///
    /// An action is no step if it leaves the part equal, as decided by its `==`. Otherwise like
    /// ``undo(limit:coalescing:where:)``.
    ///
    /// - Parameters:
    ///   - part: The undoable part of the state.
    ///   - limit: The number of steps to keep.
    ///   - key: Returns a key for an action. Consecutive actions with the same key are one step.
    ///   - isUndoable: Whether an action is a step at all.
    public static func undo<Part: Equatable & SendableMetatype>(
        of part: WritableKeyPath<StateValue, Part> & Sendable,
        limit: Int = 100,
        coalescing key: @escaping @Sendable (ActionValue) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (ActionValue) -> Bool = { _ in true }
    ) -> Middleware {
        let rules = UndoObserver<StateValue, ActionValue>.Rules(limit: limit, isUndoable: isUndoable, key: key) {
            $0[keyPath: part] != $1[keyPath: part]
        } restore: {
            $0[keyPath: part] = $1[keyPath: part]
        }
        return Middleware(observer: UndoObserver(rules: rules))
    }
}
