import HindsightFormat
import HindsightRecording
import HindsightTree

/// The first place where today's reducers and a recording disagree.
public struct Divergence: Sendable {
    /// The action; `nil` where the recorded initial state itself does not come through today's state type unchanged.
    public let action: ActionRecord?
    /// The number of the reducer, from 1, or `nil` where ``action`` is, or where the recorder had left out the states of
    /// that action and perhaps some before: then the state after them differs.
    public let reducer: Int?
    /// The name of the reducer, or `nil` where ``action`` is.
    public let reducerName: String?
    /// The first place in the state that differs after that reducer.
    public let path: NodePath
    /// What was recorded there; `nil` where nothing was.
    public let expected: Node?
    /// What is there now; `nil` where nothing is.
    public let got: Node?
    /// Everything that differs after that reducer: the change from the recorded state to today's.
    public let difference: Patch
    /// Whether the reducer was given the recorded state. Then this is where the two part; otherwise it may only have
    /// passed on what had gone astray before.
    public let inputWasRecorded: Bool
    /// Whether the reducer, run again on the same state and action, did the same again.
    public let isRepeatable: Bool
    /// What it looks like.
    public let cause: Cause
    /// What the reducer was given a placeholder for: the redacted places of the action, or where it has none, those of
    /// the state, as patterns. What is made of them differs.
    public let redacted: [String]

    /// The number of the action, or 0.
    public var seq: Int { action?.seq ?? 0 }

    /// Where it is: after this reducer.
    public var position: Position { Position(seq: seq, reducer: reducer) }
}

extension Divergence: CustomStringConvertible {
    /// One line: the action, the reducer and the place. Text of the state is not in it.
    public var description: String {
        let place = path.isRoot ? "the state" : "\(path)"
        if let action, reducer == nil {
            return
                "after action \(action.seq), the last of some without recorded states or with doubtful ones, \(place) differs"
        }
        guard let action, let reducerName, let reducer else {
            return "the initial state differs at \(place) once today's state type has read it"
        }
        return "action \(action.seq) (\(action.type)), reducer \(reducer) (\(reducerName)): \(place) differs"
    }
}
