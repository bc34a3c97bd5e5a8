import HindsightFormat
import HindsightSQLite

/// Why a recording does not have a state, or the changes of an action.
package enum Absence: Sendable, Hashable {
    /// The recorder fell behind, and left out the states of these actions.
    case skipped(ClosedRange<Int>)
    /// The recording is live, and they are not written yet.
    case notYet
    /// The recorder ended before it wrote them.
    case lost
    /// The process ended while this action was being reduced: in this reducer, or outside of the reducers if it is
    /// `nil`.
    case unfinished(seq: Int, reducer: Int?)
}

extension Recording {
    /// Returns why the state at a position was not recorded; `nil` if it was.
    ///
    /// - Parameter position: A position of the recording.
    package func absence(at position: Position) -> Absence? {
        if position.seq > lastFinished, position.reducer != 0 { return unfinishedAbsence(position.seq) }
        if let run = bounds.gap(at: position) { return .skipped(run) }
        return position.lastBegun > bounds.lastKnown ? (isLive ? .notYet : .lost) : nil
    }

    /// Returns why the changes of an action were not recorded; `nil` if they were.
    package func absence(ofChangesIn seq: Int) -> Absence? {
        if seq > lastFinished { return unfinishedAbsence(seq) }
        if let run = bounds.run(of: seq) { return .skipped(run) }
        return seq > bounds.lastKnown ? (isLive ? .notYet : .lost) : nil
    }

    private func unfinishedAbsence(_ seq: Int) -> Absence {
        if case .crashed(seq, let reducer) = ending { return .unfinished(seq: seq, reducer: reducer) }
        return isLive ? .notYet : .lost
    }

    /// Returns the last position before an action whose state was recorded. Running the reducers from there computes
    /// the others.
    package func lastRecorded(before seq: Int) -> Position {
        let known = min(seq - 1, bounds.lastKnown)
        guard let run = bounds.run(of: known), known < run.upperBound else { return Position(seq: known) }
        return Position(seq: run.lowerBound - 1)
    }

    /// Returns the last position that replay reaches without running the reducer in which the process ended, or a later
    /// one.
    package var lastBeforeCrash: Position {
        guard case .crashed(let seq, let reducer) = ending else { return Position(seq: lastFinished) }
        var returned = reducer.map { $0 - 1 } ?? 0
        if reducer == nil, case .betweenReducers(let count?, seq) = lastActivity {
            returned = min(count, reducers.count)
        }
        return returned > 0 ? Position(seq: seq, reducer: returned) : Position(seq: lastFinished)
    }

    /// Whether a recorder was writing when the recording was opened or last refreshed. Otherwise the recording is
    /// final.
    package var isLive: Bool { ending == .open(live: true) }

    /// The last action of which nothing else will be written. Of a live recording, only actions in the file itself count;
    /// and the last of the actions whose states were left out gets the changes of all of them, or a keyframe, later.
    package var lastFinal: Int {
        guard isLive else { return actionCount }
        let last = bounds.lastStored
        return last > bounds.lastKnown && bounds.run(of: last)?.upperBound == last ? last - 1 : last
    }
}
