extension Store {
    /// Takes back the last undoable step, if there is one.
    ///
    /// The store needs ``Middleware/undo(limit:coalescing:where:)`` among its middleware. The state is set as
    /// ``travel(toState:fileID:line:)`` does it: it has its place in the one order of actions, and in a subscriber it
    /// happens when the round of notifications is over.
    ///
    /// - Returns: Whether there was a step to take back.
    @discardableResult
    public func undo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(from: Origin(file: fileID, line: line), if: \.canUndo) { $0.undo() }
    }

    /// Does again what was undone last, unless a new step was made since.
    ///
    /// - Returns: Whether there was a step to do again.
    @discardableResult
    public func redo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(from: Origin(file: fileID, line: line), if: \.canRedo) { $0.redo() }
    }

    /// Whether there is a step to undo. Tracked by `Observation`, so that a button can follow it.
    public var canUndo: Bool { observed(\.canUndo, as: \.canUndo) }

    /// Whether there is a step to redo. Tracked by `Observation`, so that a button can follow it.
    public var canRedo: Bool { observed(\.canRedo, as: \.canRedo) }

    /// Makes all that is dispatched in `body` one step.
    ///
    /// ```swift
    /// store.undoGroup {
    ///     for id in selected { store.dispatch(.delete(id)) }
    /// }
    /// store.undo()    // all of them are back
    /// ```
    ///
    /// Dispatches of other threads wait until it is over. A group within a group belongs to the outer one. A group in
    /// which nothing undoable happened leaves no step.
    public func undoGroup<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock {
            precondition(
                door.pointee.phase == .idle,
                """
                An undo group was opened in a subscriber or a reducer, where nothing can be dispatched at once. Open it \
                in middleware, in a thunk, or where the action comes from.
                """
            )
            let layer = undoLayer
            layer.change { $0.openGroup() }
            defer { layer.change { $0.closeGroup() } }
            return try body()
        }
    }

    /// Ends the last step: the next action begins a new one, whatever its key. Call it where a text field loses focus.
    public func endUndoStep() {
        lock.withLock { undoLayer.change { $0.endStep() } }
    }

    /// Forgets all that could be undone or redone, as after saving or opening another document.
    public func clearUndo() {
        lock.withLock {
            undoLayer.change { $0.clear() }
            observation?.changed(\.canUndo)
            observation?.changed(\.canRedo)
        }
    }

    private var undoLayer: UndoLayer<State, Action> {
        let layers = observers.compactMap { $0 as? UndoLayer<State, Action> }
        precondition(
            layers.count == 1,
            layers.isEmpty
                ? "This store cannot undo. Put `.undo()` among the middleware that it is created with."
                : "This store has \(layers.count) undo middleware. Leave all but one away."
        )
        return layers[0]
    }

    private func step(
        from origin: Origin,
        if isPossible: (UndoLayer<State, Action>) -> Bool,
        _ step: @escaping (UndoLayer<State, Action>) -> UndoMachine<State>.Snapshot?
    ) -> Bool {
        lock.withLock {
            let layer = undoLayer
            guard isPossible(layer) else { return false }
            travel(from: origin) {
                guard let target = step(layer) else { return }
                self.arrive(at: target.state, of: target.seq)
            }
            return true
        }
    }

    private func observed(
        _ answer: @escaping (UndoLayer<State, Action>) -> Bool,
        as name: KeyPath<ObservationHub<State, Action>, Bool>
    ) -> Bool {
        let layer = undoLayer
        return observationHub.read(as: name, key: AnyHashable(name), isSame: ==) { _ in answer(layer) }
    }
}

extension ObservationHub {
    /// Name what is observed of undo towards `Observation`.
    fileprivate var canUndo: Bool { store.canUndo }
    fileprivate var canRedo: Bool { store.canRedo }
}
