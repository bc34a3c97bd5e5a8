import HindsightSupport

struct UndoRules<StateValue: Sendable, ActionValue: Sendable>: Sendable {
    let limit: Int
    let key: @Sendable (ActionValue) -> (any Hashable & Sendable)?
    let isUndoable: @Sendable (ActionValue) -> Bool
    let hasChanged: @Sendable (StateValue, StateValue) -> Bool
    /// Copies the undoable part of the second state into the first.
    let restore: @Sendable (inout StateValue, StateValue) -> Void
}

/// Observes a store's changes, and keeps the states to which undo and redo lead.
final class UndoObserver<StateValue: Sendable, ActionValue: Sendable>: ReductionObserver {
    struct Steps: Sendable {
        var states: [StateValue] = []
        /// The index of the present state.
        var present = 0
        /// Whether the action that the store is reducing is a step, and its key.
        var action: (isUndoable: Bool, key: HashableKey?) = (false, nil)
        /// The key that joins the next change to the last step.
        var openKey: HashableKey?
        /// Whether the next travel is that of a step that was taken.
        var isStepping = false

        func can(_ offset: Int) -> Bool { states.indices.contains(present + offset) }
    }

    let steps = Locked(Steps())
    private let rules: UndoRules<StateValue, ActionValue>

    init(rules: UndoRules<StateValue, ActionValue>) { self.rules = rules }

    func storeStarted(initial: StateValue, reducers: [String]) {
        let isNew = steps.withLock { $0.states.isEmpty }
        require(isNew, "One undo middleware was given to two stores. Make a new one for each store.")
        steps.withLock { $0.states = [initial] }
    }

    func willReduce(_ action: ActionValue, context: ActionContext) {
        let (isUndoable, key) = (rules.isUndoable(action), rules.key(action).map { HashableKey($0) })
        steps.withLock { $0.action = (isUndoable, key) }
    }

    func didRun(reducer: Int, state: StateValue) {}

    func didReduce(state: StateValue) {
        steps.withLock { change(&$0, to: state, isStep: $0.action.isUndoable, key: $0.action.key) }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {
        steps.withLock { steps in
            // Undo and redo are no steps, not even of a part that does not equal itself, such as one with a NaN.
            let isStep = !steps.isStepping
            steps.isStepping = false
            change(&steps, to: state, isStep: isStep, key: nil)
        }
    }

    private func change(_ steps: inout Steps, to state: StateValue, isStep: Bool, key: HashableKey?) {
        // Only a step, or a change while a step is open, needs the comparison.
        let isChange =
            (isStep || steps.openKey != nil) && rules.hasChanged(steps.states[steps.present], state)
        if isStep, isChange, key == nil || key != steps.openKey {
            steps.openKey = key
            steps.states.removeSubrange((steps.present + 1)...)
            steps.states.append(state)
            if steps.states.count - 1 > rules.limit { steps.states.removeFirst() }
            steps.present = steps.states.count - 1
        } else {
            // A change that is no step closes the step, so that undoing the next one does not revert it.
            if isChange, !isStep { steps.openKey = nil }
            steps.states[steps.present] = state
        }
    }

    /// Takes a step, and returns where it leads; `nil` if there is none. The store must travel there at once.
    ///
    /// - Returns: Also the kept state that it replaces. Release that after the travel: its end may dispatch.
    func step(by offset: Int) -> (state: StateValue, replaced: StateValue)? {
        steps.withLock { steps in
            let target = steps.present + offset
            guard steps.can(offset) else { return nil }
            let replaced = steps.states[target]
            var state = steps.states[steps.present]
            rules.restore(&state, replaced)
            steps.states[target] = state
            (steps.present, steps.openKey, steps.isStepping) = (target, nil, true)
            return (state, replaced)
        }
    }
}
