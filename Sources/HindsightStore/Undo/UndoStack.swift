/// The states to which undo and redo lead. Knows nothing of a store.
struct UndoStack<StateValue: Sendable>: Sendable {
    struct Snapshot: Sendable {
        var state: StateValue
        /// The action that led to the state, if the state is from the store's past.
        var seq: Int?
    }

    private let limit: Int
    private(set) var present: Snapshot
    /// The states to which undo leads, the next one last.
    private(set) var past: [Snapshot] = []
    /// The states to which redo leads, the next one last.
    private(set) var future: [Snapshot] = []
    /// The key that joins the next change to the last step.
    private var openKey: HashableKey?
    private var groupDepth = 0
    private var groupHasStep = false

    init(initial: StateValue, limit: Int) {
        self.limit = limit
        present = Snapshot(state: initial, seq: 0)
    }

    var canUndo: Bool { !past.isEmpty }
    var canRedo: Bool { !future.isEmpty }

    /// Records an undoable change.
    ///
    /// - Parameter key: Joins this change to the last step, if that has the same key.
    mutating func change(to next: Snapshot, key: HashableKey?) {
        defer { present = next }
        future = []
        if groupDepth > 0 {
            if groupHasStep { return }
            groupHasStep = true
        } else {
            if let key, key == openKey { return }
            openKey = key
        }
        past.append(present)
        if past.count > limit { past.removeFirst(past.count - limit) }
    }

    /// Records a change that is no step of its own: by an action that cannot be undone, or by undo.
    mutating func move(to next: Snapshot) {
        present = next
    }

    /// Undoes a step.
    ///
    /// - Returns: The state to restore; `nil` if there is nothing to undo.
    mutating func undo() -> Snapshot? {
        guard let target = past.popLast() else { return nil }
        future.append(present)
        endStep()
        return target
    }

    /// Redoes a step.
    ///
    /// - Returns: The state to restore; `nil` if there is nothing to redo.
    mutating func redo() -> Snapshot? {
        guard let target = future.popLast() else { return nil }
        past.append(present)
        endStep()
        return target
    }

    /// Ends the last step: no later change joins it.
    mutating func endStep() {
        openKey = nil
        groupHasStep = false
    }

    mutating func openGroup() {
        if groupDepth == 0 { endStep() }
        groupDepth += 1
    }

    mutating func closeGroup() {
        groupDepth -= 1
        if groupDepth == 0 { endStep() }
    }

    mutating func clear() {
        past = []
        future = []
        endStep()
    }
}
