import HindsightSupport

extension Store {
    /// Undoes the last step, if there is one. In a subscriber, it does so after the round of notifications.
    ///
    /// - Returns: Whether there is a step at the time of the call.
    @discardableResult
    public func undo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(by: -1, from: Origin(file: fileID, line: line))
    }

    /// Redoes the last undone step, unless a new step was made since.
    @discardableResult
    public func redo(fileID: String = #fileID, line: Int = #line) -> Bool {
        step(by: 1, from: Origin(file: fileID, line: line))
    }

    /// Whether there is a step to undo. `Observation` tracks it, so that a button can follow it.
    public var canUndo: Bool { can(-1) }

    /// Whether there is a step to redo. `Observation` tracks it, so that a button can follow it.
    public var canRedo: Bool { can(1) }

    private func step(by offset: Int, from origin: Origin) -> Bool {
        lock.withLock {
            let undo = undoObserver
            let isPossible = undo.steps.withLock { $0.can(offset) }
            guard isPossible || dispatchState.pointee.phase != .idle else { return false }
            travel(from: origin) {
                guard let step = undo.step(by: offset) else { return }
                withExtendedLifetime(step.replaced) { self.arrive(at: step.state, of: nil) }
            }
            return isPossible
        }
    }

    private func can(_ offset: Int) -> Bool {
        let steps = undoObserver.steps
        return readObserved(key: AnyHashable("undo \(offset)"), isSame: ==) { _ in steps.withLock { $0.can(offset) } }
    }

    private var undoObserver: UndoObserver<StateValue, ActionValue> {
        let undos = observers.compactMap { $0 as? UndoObserver<StateValue, ActionValue> }
        require(undos.count == 1, "This store cannot undo. Put `.undo(of:)` among its middleware, once.")
        return undos[0]
    }
}
