import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

extension Recording {
    /// Names doubtful states, and why they are, as a clause.
    func clause(about states: DoubtfulStates) -> String {
        let place = states.path.shown("the state")
        let cause =
            computedStates?.last.map { states.actions.upperBound > $0 } ?? true
            ? "\(place) changed, but the recorder saw no change"
            : "the recorder computed them, and the app had another \(states.path.isRoot ? "one" : "value at \(place)")"
        let last = states.actions.upperBound
        let end =
            hasOpenDoubt(after: last)
            ? "no keyframe follows, so that after action \(last) is doubtful, too"
            : "the state after action \(last) is exact"
        return "the states in \(Quantities.actions(states.actions)): \(cause); \(end)"
    }

    /// Says how states were computed, and how far they were compared with the app's; `nil` if all states that the
    /// recording has are the app's own.
    var sentenceAboutComputedStates: String? {
        guard let computed = computedStates else { return nil }
        let last = min(computed.last ?? end.seq, end.seq)
        if last <= start.seq { return nil }
        let range = last < end.seq ? "the states up to action \(Quantities.grouped(last))" : "the states"
        let beginning = "\(range), by the recorder with the app's reducers"
        let confirmed = Quantities.grouped(computed.confirmed)
        if doubtful.last?.actions.upperBound == computed.confirmed {
            return "\(beginning); after action \(confirmed), the app had another state, which is recorded there"
        }
        if computed.confirmed >= last { return "\(beginning); compared with the app's up to action \(confirmed)" }
        if computed.confirmed == 0 { return "\(beginning); none was compared with the app's" }
        return "\(beginning); those after action \(confirmed) were not compared with the app's"
    }

    /// Whether the state at each position is recorded: none was left out or lost.
    var hasAllStates: Bool { skipped.isEmpty && end.seq == actionCount }

    /// The doubtful states that include the state after an action.
    func doubt(in seq: Int) -> DoubtfulStates? { doubtful.first { $0.actions.contains(seq) } }

    /// Whether one of the states between two positions is doubtful; both ends belong to them.
    func hasDoubtfulStates(from first: Position, to last: Position) -> Bool {
        if doubtfulStates(at: first) != nil || doubtfulStates(at: last) != nil { return true }
        // Of a single action, only the states between its reducers are doubtful.
        return doubtful.contains { states in
            states.actions.count > 1 && Position(seq: states.actions.lowerBound) <= last
                && first < Position(seq: states.actions.upperBound)
        }
    }
}
