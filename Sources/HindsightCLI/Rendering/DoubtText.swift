import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Describes states that the recording marks as doubtful.
struct DoubtText {
    let states: Recording.DoubtfulStates

    /// Stands before the recorded changes of an action whose states are doubtful.
    static let mark = "? "

    /// Which states they are, and why.
    var sentence: String {
        let place = states.path.isRoot ? "the state" : escape(states.path.description)
        return "the states in \(Quantities.actions(states.actions)): \(place) changed "
            + "where the recorder saw no change; the state after action \(states.actions.upperBound) is right"
    }

    var json: Node {
        [
            "actions": .range(states.actions),
            "path": .string(states.path.description),
        ]
    }
}

extension Recording {
    /// The doubtful states that an action is among.
    func doubt(in seq: Int) -> DoubtfulStates? { doubtful.first { $0.actions.contains(seq) } }
}
