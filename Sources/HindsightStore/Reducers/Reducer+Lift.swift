extension Reducer {
    /// Maps each leaf to a leaf of a larger state and action, under the same names.
    @inlinable
    func mapLeaves<Whole, WholeAction>(
        _ lift: (Leaf) -> @Sendable (inout Whole, WholeAction) -> Void
    ) -> Reducer<Whole, WholeAction> {
        Reducer<Whole, WholeAction>(
            leaves: leaves.map { .init(name: $0.name, formerNames: $0.formerNames, reduce: lift($0)) }
        )
    }

    /// Lifts this reducer into a larger state and a larger action.
    ///
    /// - Parameters:
    ///   - state: The path from the larger state to this reducer's; by default, both are the same. The reducer changes
    ///     the state in place, at the cost of one key path access.
    ///   - action: Returns this reducer's action from the larger one. If it returns `nil`, the reducer does not run.
    @inlinable
    public func lift<Whole, WholeAction>(
        state: WritableKeyPath<Whole, StateValue> & Sendable = \StateValue.self,
        action extract: @escaping @Sendable (WholeAction) -> ActionValue?
    ) -> Reducer<Whole, WholeAction> {
        mapLeaves { leaf in
            { whole, wholeAction in
                guard let action = extract(wholeAction) else { return }
                leaf.reduce(&whole[keyPath: state], action)
            }
        }
    }

    /// Lifts this reducer into a larger state with the same actions.
    @inlinable
    public func lift<Whole>(state: WritableKeyPath<Whole, StateValue> & Sendable) -> Reducer<Whole, ActionValue> {
        lift(state: state, action: { $0 })
    }

    /// Lifts this reducer into a larger state and into one case of a larger action.
    ///
    /// ```swift
    /// let app = editor.lift(state: \AppState.draft, action: AppAction.editor)
    /// ```
    ///
    /// Here, `AppAction.editor` is a static property that you write: an ``EnumCase`` shows how.
    @inlinable
    public func lift<Whole, WholeAction>(
        state: WritableKeyPath<Whole, StateValue> & Sendable = \StateValue.self,
        action: EnumCase<WholeAction, ActionValue>
    ) -> Reducer<Whole, WholeAction> {
        lift(state: state, action: action.extract)
    }
}

extension Reducer {
    /// Lifts this reducer into an optional state: it runs only if the state is not `nil`.
    ///
    /// ```swift
    /// let app = session.optional().lift(state: \AppState.session, action: AppAction.session)
    /// ```
    ///
    /// Changes the state in place. An action on `nil` is no error, because effects may answer late.
    @inlinable
    public func optional() -> Reducer<StateValue?, ActionValue> {
        mapLeaves { leaf in
            { state, action in
                guard state != nil else { return }
                leaf.reduce(&state!, action)
            }
        }
    }

    /// Lifts this reducer into an enum state: it runs only if the state is that case.
    ///
    /// ```swift
    /// let screen = editor.lift(case: Screen.editor)
    /// let app = screen.lift(state: \AppState.screen, action: AppAction.editor)
    /// ```
    ///
    /// Each leaf costs two moves of the payload's bytes, without a copy of the buffers it refers to. See
    /// ``EnumCase/modify(_:_:)``.
    @inlinable
    public func lift<Whole>(case part: EnumCase<Whole, StateValue>) -> Reducer<Whole, ActionValue> {
        mapLeaves { leaf in
            { whole, action in part.modify(&whole) { leaf.reduce(&$0, action) } }
        }
    }
}
