extension Effect {
    /// The same effect for a bigger action: what it dispatches is one case of that.
    ///
    /// ```swift
    /// let search = Middleware<AppState, AppAction>.effects { action, getState in
    ///     guard case .editor(let action) = action else { return .none }
    ///     return editorEffects(action).lift(AppAction.editor)
    /// }
    /// ```
    public func lift<Whole: Sendable>(_ part: EnumCase<Whole, Action>) -> Effect<Whole> {
        Effect<Whole>(
            steps: steps.map { step in
                switch step {
                case .cancel(let id): .cancel(id)
                case .task(let id, let priority, let work): .task(id: id, priority) { await work($0.lift(part)) }
                }
            }
        )
    }
}
