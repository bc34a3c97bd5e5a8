import HindsightSupport

/// Observes a store's changes and keeps its undo stack.
final class UndoObserver<StateValue: Sendable, ActionValue: Sendable>: ReductionObserver {
    struct Rules: Sendable {
        let limit: Int
        let isUndoable: @Sendable (ActionValue) -> Bool
        let key: @Sendable (ActionValue) -> (any Hashable & Sendable)?
        /// Whether two states differ in their undoable part.
        var hasChanged: @Sendable (StateValue, StateValue) -> Bool = { _, _ in true }
        /// Copies the undoable part of the second state into the first; `nil` if the whole state is undoable.
        var restore: (@Sendable (inout StateValue, StateValue) -> Void)?
    }

    private struct Content {
        var stack: UndoStack<StateValue>?
        /// The action that the store is reducing.
        var action: (seq: Int, isUndoable: Bool, key: HashableKey?)?
        /// Whether the next travel is undo or redo.
        var isOwnTravel = false
        /// The sum of the directions of the steps that are planned: -1 to undo, 1 to redo.
        var planned = 0
    }

    private let rules: Rules
    private let content = Locked(Content())

    init(rules: Rules) {
        require(rules.limit > 0, "An undo limit of \(rules.limit) keeps nothing. Remove the undo middleware.")
        self.rules = rules
    }

    // MARK: ReductionObserver

    func storeStarted(initial: StateValue, reducers: [String]) {
        content.withLock { content in
            require(
                content.stack == nil,
                "One undo middleware was given to two stores. Make a new one for each store."
            )
            content.stack = UndoStack(initial: initial, limit: rules.limit)
        }
    }

    func willReduce(_ action: ActionValue, context: ActionContext) {
        let isUndoable = rules.isUndoable(action)
        let key = isUndoable ? rules.key(action).map { HashableKey($0) } : nil
        content.withLock { $0.action = (context.seq, isUndoable, key) }
    }

    func didRun(reducer: Int, state: StateValue) {}

    func didReduce(state: StateValue) {
        content.withLock { content in
            guard let action = content.action, let before = content.stack?.present.state else { return }
            content.action = nil
            let next = UndoStack.Snapshot(state: state, seq: action.seq)
            if action.isUndoable && rules.hasChanged(before, state) {
                content.stack?.change(to: next, key: action.key)
            } else {
                content.stack?.move(to: next)
            }
        }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {
        content.withLock { content in
            let next = UndoStack.Snapshot(state: state, seq: context.seq)
            if content.isOwnTravel {
                content.isOwnTravel = false
                content.stack?.move(to: next)
            } else {
                content.stack?.change(to: next, key: nil)
            }
        }
    }

    // MARK: Undoing

    var canUndo: Bool { content.withLock { $0.stack?.canUndo ?? false } }
    var canRedo: Bool { content.withLock { $0.stack?.canRedo ?? false } }

    /// Plans to undo (-1) or to redo (1), if that is possible after the planned steps.
    func plan(_ direction: Int) -> Bool {
        content.withLock { content in
            guard let stack = content.stack else { return false }
            let count = direction < 0 ? stack.past.count + content.planned : stack.future.count - content.planned
            if count <= 0 { return false }
            content.planned += direction
            return true
        }
    }

    /// Begins a planned step.
    func begin(_ direction: Int) {
        content.withLock { $0.planned -= direction }
    }

    /// Forgets planned steps that never began.
    func forgetPlanned() {
        content.withLock { $0.planned = 0 }
    }

    /// Undoes a step, and returns where it leads. The store must travel there at once.
    func undo() -> UndoStack<StateValue>.Snapshot? { go { $0.undo() } }

    /// Redoes a step, and returns where it leads. The store must travel there at once.
    func redo() -> UndoStack<StateValue>.Snapshot? { go { $0.redo() } }

    /// Changes the steps, but not the state.
    func change(_ change: @Sendable (inout UndoStack<StateValue>) -> Void) {
        content.withLock { content in
            if content.stack != nil { change(&content.stack!) }
        }
    }

    /// Discards all steps.
    ///
    /// - Returns: The steps, so that the caller releases their states after its locks.
    func clear() -> UndoStack<StateValue>? {
        content.withLock { content in
            let old = content.stack
            content.stack?.clear()
            return old
        }
    }

    private func go(
        _ step: @Sendable (inout UndoStack<StateValue>) -> UndoStack<StateValue>.Snapshot?
    ) -> UndoStack<StateValue>.Snapshot? {
        content.withLock { content in
            guard var stack = content.stack, let target = step(&stack) else { return nil }
            content.stack = stack
            content.isOwnTravel = true
            guard let restore = rules.restore else { return target }
            var state = stack.present.state
            restore(&state, target.state)
            return UndoStack.Snapshot(state: state, seq: nil)
        }
    }
}
