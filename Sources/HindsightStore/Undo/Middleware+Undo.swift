import HindsightSupport

extension Middleware {
    /// Keeps the states for ``Store/undo(fileID:line:)`` and ``Store/redo(fileID:line:)``: see <doc:TimeTravel>.
    ///
    /// - Parameters:
    ///   - part: The part of the state that undo restores, such as `\.document`, or `\.self`. An action that leaves it
    ///     equal by its `==` is no step.
    ///   - limit: The number of steps to keep. Each keeps a state, which shares storage with the others.
    ///   - key: Consecutive actions with the same key are one step. An action without a key is a step of its own. An
    ///     action between them that is no step, but changes `part`, ends the step: undo of what comes after it keeps its
    ///     change. One that leaves `part` equal does not end the step.
    ///   - isUndoable: Whether an action is a step at all. The change of one that is none belongs to the step before it:
    ///     undo of that step also reverts it.
    public static func undo<Part: Equatable & SendableMetatype>(
        of part: WritableKeyPath<StateValue, Part> & Sendable,
        limit: Int = 100,
        coalescing key: @escaping @Sendable (ActionValue) -> (any Hashable & Sendable)? = { _ in nil },
        where isUndoable: @escaping @Sendable (ActionValue) -> Bool = { _ in true }
    ) -> Middleware {
        require(limit > 0, "An undo limit of \(limit) keeps nothing. Remove the undo middleware.")
        let rules = UndoRules<StateValue, ActionValue>(limit: limit, key: key, isUndoable: isUndoable) {
            $0[keyPath: part] != $1[keyPath: part]
        } restore: {
            $0[keyPath: part] = $1[keyPath: part]
        }
        return Middleware(observer: UndoObserver(rules: rules))
    }
}
