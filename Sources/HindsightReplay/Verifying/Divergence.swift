import HindsightFormat
import HindsightRecording
import HindsightTree

/// The first place at which today's reducers and a recording disagree.
public struct Divergence: Sendable {
    /// The action; `nil` if today's state type does not decode and encode the recorded initial state unchanged.
    public let action: RecordedAction?
    /// The number of the reducer, from 1. It is `nil` if ``action`` is, and if the states of the action, and perhaps of
    /// some before it, were left out or are doubtful: then the state after them differs.
    public let reducer: Int?
    /// The name of the reducer; `nil` if ``reducer`` is.
    public let reducerName: String?
    /// The first place in the state that differs after that reducer.
    public let path: NodePath
    /// The recorded value at ``path``; `nil` if there was none.
    public let expected: Node?
    /// Today's value at ``path``; `nil` if there is none.
    public let actual: Node?
    /// All differences after that reducer: the change from the recorded state to today's.
    public let difference: Patch
    /// Whether the reducer ran on the recorded state. If it did not, an earlier reducer may be the cause.
    public let inputWasRecorded: Bool
    /// Whether the reducer gave the same result when it ran again on the same state and action.
    public let isRepeatable: Bool
    /// The actions in one of which it began, if their states were not recorded: ``action`` is the last of them, after which
    /// states were compared again. `nil` if it began in ``action``.
    public internal(set) var actions: ClosedRange<Int>?
    /// The likely cause.
    public let cause: Cause
    /// The redacted places that the reducer read as placeholders: those of the action, or, if it has none, those of the
    /// state, as patterns. Values derived from them differ.
    public let redacted: [String]

    /// The number of the action, or 0.
    public var seq: Int { action?.seq ?? 0 }

    /// The position after this reducer.
    public var position: Recording.Position { Recording.Position(seq: seq, reducer: reducer) }
}

extension Divergence: CustomStringConvertible {
    /// One line: the action, the reducer and the path, without values of the state.
    public var description: String {
        let place = path.isRoot ? "the state" : "\(path)"
        if let action, reducer == nil {
            let range = actions.map { "one of the actions \($0.lowerBound) to \($0.upperBound)" } ?? "some action"
            return
                "\(range) without recorded states, or with doubtful ones: after action \(action.seq) \(place) differs"
        }
        guard let action, let reducerName, let reducer else {
            return "the initial state differs at \(place) once today's state type has read it"
        }
        return "action \(action.seq) (\(action.type)), reducer \(reducer) (\(reducerName)): \(place) differs"
    }
}
