import HindsightQuery

/// A frame of the stack at a position: a reducer, the action that it reduced, or an action that led to that one.
package struct StackFrame: Sendable {
    /// What the frame is.
    package enum Kind: Sendable, Hashable {
        /// A reducer, with its number and its name.
        case reducer(Int, name: String)
        /// An action.
        case action
    }

    /// What the frame is.
    package let kind: Kind
    /// The action, or the one that the reducer reduced.
    package let action: RecordedAction
    /// The position: the present one for the reducer and its action, the one after the action for those that led to it.
    package let position: Recording.Position
}

extension Debugger {
    /// The most actions that led to one another.
    private static let maxParents = 100

    /// The reducer, its action and the actions that led to it, the innermost first; none at the start.
    ///
    /// In the action that never finished, the reducer is the one in which the process ended.
    ///
    /// - Parameter other: Another position; the present one by default.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func stack(at other: Recording.Position? = nil) throws(RecordingError) -> [StackFrame] {
        let position = other ?? self.position
        guard position.seq > first.seq else { return [] }
        let action = try recording.action(position.seq)
        var frames: [StackFrame] = []
        if let reducer = reducer(at: position), let name = recording.name(ofReducer: reducer) {
            frames.append(StackFrame(kind: .reducer(reducer, name: name), action: action, position: position))
        }
        frames.append(StackFrame(kind: .action, action: action, position: position))
        var child = action
        while frames.count < Self.maxParents, let seq = child.parent, seq > first.seq, seq < child.seq {
            child = try recording.action(seq)
            frames.append(StackFrame(kind: .action, action: child, position: Recording.Position(seq: seq)))
        }
        return frames
    }

    /// The reducer that led to a position, or in which the process ended there; `nil` if there is none.
    private func reducer(at position: Recording.Position) -> Int? {
        if let reducer = position.reducer, reducer > 0 { return reducer }
        if case .crashed(position.seq, let reducer) = recording.ending, position == last { return reducer }
        return nil
    }
}
