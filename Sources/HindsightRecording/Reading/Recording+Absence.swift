import HindsightFormat

/// Why a recording does not have a state, or what an action changed.
package enum Absence: Sendable, Hashable {
    /// The recorder was behind and left out the states of these actions.
    case skipped(ClosedRange<Int>)
    /// The recorder is at work and has not written them yet.
    case notYet
    /// The recorder ended before it wrote them.
    case lost
    /// The process ended while this action was being reduced: in this reducer, or, where it is `nil`, outside of them.
    case unfinished(seq: Int, reducer: Int?)
}

extension Recording {
    /// Why the state at a position was not recorded; `nil` where it was.
    ///
    /// - Parameter position: One that the recording has.
    package func absence(at position: Position) -> Absence? {
        if position.seq > lastFinished, position.reducer != 0 { return unfinishedAbsence(position.seq) }
        if let run = bounds.gap(at: position) { return .skipped(run) }
        // Before an action's first reducer is after the action before.
        let seq = position.reducer == 0 ? position.seq - 1 : position.seq
        return seq > bounds.lastKnown ? (isLive ? .notYet : .lost) : nil
    }

    /// Why it was not recorded what an action changed; `nil` where it was.
    package func absence(ofChangesIn seq: Int) -> Absence? {
        if seq > lastFinished { return unfinishedAbsence(seq) }
        if let run = bounds.run(of: seq) { return .skipped(run) }
        return seq > bounds.lastKnown ? (isLive ? .notYet : .lost) : nil
    }

    private func unfinishedAbsence(_ seq: Int) -> Absence {
        if case .crashed(seq, let reducer) = ending { return .unfinished(seq: seq, reducer: reducer) }
        return isLive ? .notYet : .lost
    }

    /// The last position before an action whose state was recorded: running the reducers from there on computes those
    /// that were not.
    package func lastRecorded(before seq: Int) -> Position {
        let known = min(seq - 1, bounds.lastKnown)
        guard let run = bounds.run(of: known), known < run.upperBound else { return Position(seq: known) }
        return Position(seq: run.lowerBound - 1)
    }

    /// The last position that is reached without running the reducer in which the recorded process ended, or those that it
    /// had not come to.
    package var lastBeforeCrash: Position {
        guard case .crashed(let seq, let reducer) = ending else { return Position(seq: lastFinished) }
        var returned = reducer.map { $0 - 1 } ?? 0
        if reducer == nil, case .betweenReducers(let count?, seq) = lastActivity {
            returned = min(count, reducers.count)
        }
        return returned > 0 ? Position(seq: seq, reducer: returned) : Position(seq: lastFinished)
    }
}
