import HindsightSupport

extension Store {
    /// Undoes the last step, if there is one.
    ///
    /// The store needs ``Middleware/undo(limit:coalescing:where:)`` among its middleware. Undo sets the state as
    /// ``travel(toState:fileID:line:)`` does: it takes its place in the total order of actions, and in a subscriber it
    /// takes place after the round of notifications.
    ///
    /// - Returns: Whether there was a step to undo. In a subscriber, whether there is one besides those that the calls
    ///   before it will undo; steps of actions that wait in the queue do not count.
    @discardableResult
    public func undo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(from: Origin(file: fileID, line: line), -1) { $0.undo() }
    }

    /// Redoes the last undone step, unless a new step was made since.
    ///
    /// - Returns: Whether there was a step to redo.
    @discardableResult
    public func redo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(from: Origin(file: fileID, line: line), 1) { $0.redo() }
    }

    /// Whether there is a step to undo. `Observation` tracks it, so that a button can follow it.
    public var canUndo: Bool { observed(.canUndo) { $0.canUndo } }

    /// Whether there is a step to redo. `Observation` tracks it, so that a button can follow it.
    public var canRedo: Bool { observed(.canRedo) { $0.canRedo } }

    /// Makes all actions that `body` dispatches one step.
    ///
    /// ```swift
    /// store.undoGroup {
    ///     for id in selected { store.dispatch(.delete(id)) }
    /// }
    /// store.undo()    // all of them are back
    /// ```
    ///
    /// Other threads that dispatch wait until `body` returns. A nested group belongs to the outer one. A group without
    /// an undoable change leaves no step.
    public func undoGroup<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock {
            require(
                dispatchState.pointee.phase == .idle,
                """
                An undo group was opened in a subscriber or a reducer, which cannot dispatch at once. Open it in \
                middleware, in a thunk, or outside of a dispatch.
                """
            )
            let undo = undoObserver
            undo.change { $0.openGroup() }
            defer { undo.change { $0.closeGroup() } }
            return try body()
        }
    }

    /// Ends the last step: the next action begins a new one, whatever its key. Call it when a text field loses focus.
    public func endUndoStep() {
        lock.withLock { undoObserver.change { $0.endStep() } }
    }

    /// Discards all steps, for example after opening another document.
    public func clearUndo() {
        let old = lock.withLock {
            let old = undoObserver.clear()
            observation?.changed(AnyHashable(UndoAnswer.canUndo))
            observation?.changed(AnyHashable(UndoAnswer.canRedo))
            return old
        }
        // Released only now: the end of a state is the app's code, and may dispatch.
        withExtendedLifetime(old) {}
    }

    private var undoObserver: UndoObserver<StateValue, ActionValue> {
        let undos = observers.compactMap { $0 as? UndoObserver<StateValue, ActionValue> }
        require(
            undos.count == 1,
            undos.isEmpty
                ? "This store cannot undo. Put `.undo()` among the middleware that it is created with."
                : "This store has \(undos.count) undo middleware. Remove all but one."
        )
        return undos[0]
    }

    /// Takes a step if it is possible after those that wait in the queue.
    ///
    /// - Parameter direction: -1 to undo, 1 to redo.
    private func step(
        from origin: Origin,
        _ direction: Int,
        _ step: @escaping (UndoObserver<StateValue, ActionValue>) -> UndoStack<StateValue>.Snapshot?
    ) -> Bool {
        lock.withLock {
            let undo = undoObserver
            // The store may have dropped queued steps as part of a loop.
            if !dispatchState.pointee.hasQueuedWork && !dispatchState.pointee.isRunningQueue { undo.forgetPlanned() }
            guard undo.plan(direction) else { return false }
            travel(from: origin) {
                undo.begin(direction)
                guard let target = step(undo) else { return }
                self.arrive(at: target.state, of: target.seq)
            }
            return true
        }
    }

    private func observed(
        _ key: UndoAnswer,
        _ answer: @escaping (UndoObserver<StateValue, ActionValue>) -> Bool
    ) -> Bool {
        let undo = undoObserver
        return readObserved(key: AnyHashable(key), isSame: ==) { _ in answer(undo) }
    }
}

/// What `Observation` tracks beside the state.
private enum UndoAnswer { case canUndo, canRedo }
