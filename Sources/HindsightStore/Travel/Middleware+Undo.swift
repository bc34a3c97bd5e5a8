extension Middleware {
    /// Keeps what undo and redo need: ``Store/undo(fileID:line:)``, ``Store/redo(fileID:line:)`` and the like then work.
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
    /// **What is restored** is the whole state, so what other actions changed meanwhile is undone with it; to leave
    /// that alone, use ``undo(of:limit:coalescing:where:)``. A new step forgets what could be redone. ``Store/travel(to:fileID:line:)``
    /// is a step like any other: undo leads back to where it started.
    ///
    /// **Cost.** Each step keeps a state, which shares with the others whatever did not change. The last state is kept
    /// too, so the first change that an action makes to a collection copies it.
    ///
    /// - Parameters:
    ///   - limit: How many steps are kept.
    ///   - key: Actions in a row with the same key are one step; `nil` makes an action a step of its own. Actions that
    ///     are not undoable do not end a row. None are joined by default.
    ///   - isUndoable: Whether an action makes a step at all. All do by default.
    public static func undo(
        limit: Int = 100,
        coalescing key: @escaping @Sendable (Action) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (Action) -> Bool = { _ in true }
    ) -> Middleware {
        Middleware(observer: UndoLayer(rules: .init(limit: limit, isUndoable: isUndoable, key: key)))
    }

    /// Keeps what undo and redo need; an action that leaves the state as it was, by its own `==`, makes no step.
    ///
    /// Otherwise as the function of the same name for states that cannot be compared.
    public static func undo(
        limit: Int = 100,
        coalescing key: @escaping @Sendable (Action) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (Action) -> Bool = { _ in true }
    ) -> Middleware where State: Equatable {
        let rules = UndoLayer<State, Action>.Rules(limit: limit, isUndoable: isUndoable, key: key) { $0 != $1 }
        return Middleware(observer: UndoLayer(rules: rules))
    }

    /// Keeps what undo and redo of one part of the state need; the rest stays as it is.
    ///
    /// ```swift
    /// .undo(of: \AppState.document)
    /// ```
    ///
    /// An action that leaves the part as it was, by its own `==`, makes no step. Otherwise as
    /// ``undo(limit:coalescing:where:)``.
    ///
    /// - Parameters:
    ///   - part: What can be undone.
    ///   - limit: How many steps are kept.
    ///   - key: Actions in a row with the same key are one step.
    ///   - isUndoable: Whether an action makes a step at all.
    public static func undo<Part: Equatable & SendableMetatype>(
        of part: WritableKeyPath<State, Part> & Sendable,
        limit: Int = 100,
        coalescing key: @escaping @Sendable (Action) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (Action) -> Bool = { _ in true }
    ) -> Middleware {
        let rules = UndoLayer<State, Action>.Rules(limit: limit, isUndoable: isUndoable, key: key) {
            $0[keyPath: part] != $1[keyPath: part]
        } restore: {
            $0[keyPath: part] = $1[keyPath: part]
        }
        return Middleware(observer: UndoLayer(rules: rules))
    }
}
