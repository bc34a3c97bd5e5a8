import HindsightSupport

/// Watches a store's changes and knows what can be undone.
final class UndoLayer<State: Sendable, Action: Sendable>: ReductionObserver {
    /// What can be undone, and what it takes.
    struct Rules: Sendable {
        let limit: Int
        let isUndoable: @Sendable (Action) -> Bool
        let key: @Sendable (Action) -> (any Hashable & Sendable)?
        /// Whether there is anything to undo between two states.
        var hasChanged: @Sendable (State, State) -> Bool = { _, _ in true }
        /// Puts the undoable part of the second state into the first; `nil` where all of it is undoable.
        var restore: (@Sendable (inout State, State) -> Void)?
    }

    private struct Content {
        var machine: UndoMachine<State>?
        /// The action that is being reduced.
        var action: (seq: Int, isUndoable: Bool, key: HashableKey?)?
        /// Whether the next travel is undo or redo.
        var isOwnTravel = false
    }

    private let rules: Rules
    private let content = Locked(Content())

    init(rules: Rules) {
        precondition(rules.limit > 0, "An undo limit of \(rules.limit) keeps nothing. Leave the undo middleware away.")
        self.rules = rules
    }

    // MARK: At the reducers' door

    func storeStarted(initial: State, reducers: [String]) {
        content.withLock { content in
            precondition(
                content.machine == nil,
                "One undo middleware was given to two stores. Make a new one for each store."
            )
            content.machine = UndoMachine(initial: initial, limit: rules.limit)
        }
    }

    func willReduce(_ action: Action, context: ActionContext) {
        let isUndoable = rules.isUndoable(action)
        let key = isUndoable ? rules.key(action).map { HashableKey($0) } : nil
        content.withLock { $0.action = (context.seq, isUndoable, key) }
    }

    func didRun(reducer: Int, state: State) {}

    func didReduce(state: State) {
        content.withLock { content in
            guard let action = content.action, let before = content.machine?.present.state else { return }
            content.action = nil
            let next = UndoMachine.Snapshot(state: state, seq: action.seq)
            if action.isUndoable && rules.hasChanged(before, state) {
                content.machine?.change(to: next, key: action.key)
            } else {
                content.machine?.move(to: next)
            }
        }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: State) {
        content.withLock { content in
            let next = UndoMachine.Snapshot(state: state, seq: context.seq)
            if content.isOwnTravel {
                content.isOwnTravel = false
                content.machine?.move(to: next)
            } else {
                content.machine?.change(to: next, key: nil)
            }
        }
    }

    // MARK: Undoing

    var canUndo: Bool { content.withLock { $0.machine?.canUndo ?? false } }
    var canRedo: Bool { content.withLock { $0.machine?.canRedo ?? false } }

    /// Where undo leads. The store is to travel there at once.
    func undo() -> UndoMachine<State>.Snapshot? { go { $0.undo() } }

    /// Where redo leads. The store is to travel there at once.
    func redo() -> UndoMachine<State>.Snapshot? { go { $0.redo() } }

    /// Changes what is known of steps, but not the state.
    func change(_ change: @Sendable (inout UndoMachine<State>) -> Void) {
        content.withLock { content in
            if content.machine != nil { change(&content.machine!) }
        }
    }

    private func go(
        _ step: @Sendable (inout UndoMachine<State>) -> UndoMachine<State>.Snapshot?
    ) -> UndoMachine<State>.Snapshot? {
        content.withLock { content in
            guard var machine = content.machine, let target = step(&machine) else { return nil }
            content.machine = machine
            content.isOwnTravel = true
            guard let restore = rules.restore else { return target }
            var state = machine.present.state
            restore(&state, target.state)
            return UndoMachine.Snapshot(state: state, seq: nil)
        }
    }
}
