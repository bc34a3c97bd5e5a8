/// What can be undone and redone: states only, and nothing of a store.
struct UndoMachine<State: Sendable>: Sendable {
    struct Snapshot: Sendable {
        var state: State
        /// The action after which the state was this one, if it was one of the store's past.
        var seq: Int?
    }

    private let limit: Int
    private(set) var present: Snapshot
    /// The states to which undo goes back, the last one first to be undone.
    private(set) var past: [Snapshot] = []
    /// The states to which redo goes, the last one first to be redone.
    private(set) var future: [Snapshot] = []
    /// What joins the next change to the last step.
    private var openKey: HashableKey?
    private var groupDepth = 0
    private var groupHasStep = false

    init(initial: State, limit: Int) {
        self.limit = limit
        present = Snapshot(state: initial, seq: 0)
    }

    var canUndo: Bool { !past.isEmpty }
    var canRedo: Bool { !future.isEmpty }

    /// The state has changed in a way that can be undone.
    ///
    /// - Parameter key: Joins this change to the step before, if that was made by changes of the same key.
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

    /// The state has changed in a way that is no step of its own: by an action that cannot be undone, or by undo.
    mutating func move(to next: Snapshot) {
        present = next
    }

    /// Goes one step back.
    ///
    /// - Returns: Where that leads; `nil` where there is nothing to undo.
    mutating func undo() -> Snapshot? {
        guard let target = past.popLast() else { return nil }
        future.append(present)
        endStep()
        return target
    }

    /// Goes one undone step forth.
    ///
    /// - Returns: Where that leads; `nil` where there is nothing to redo.
    mutating func redo() -> Snapshot? {
        guard let target = future.popLast() else { return nil }
        past.append(present)
        endStep()
        return target
    }

    /// Nothing joins the last step any more.
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
