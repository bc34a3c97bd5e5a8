import HindsightRecording

/// Who changed a place.
package enum ChangeOrigin: Sendable, Hashable {
    /// A reducer, or time travel if the position is that after the whole action. The position is that after it.
    case step(Recording.Position)
    /// One of these actions; which of them was not recorded.
    case oneOf(ClosedRange<Int>)
    /// The initial state.
    case start
    /// One of the actions up to this one, which the recording's limit has dropped, or the initial state.
    case dropped(Int)

    /// The first action that may have made the change; 0 if it was before all recorded actions.
    var firstAction: Int {
        switch self {
        case .step(let position): position.seq
        case .oneOf(let actions): actions.lowerBound
        case .start, .dropped: 0
        }
    }

    /// The last position before the change; `nil` if it is not in the recording.
    package var positionBefore: Recording.Position? {
        switch self {
        case .step(let position): position.before
        case .oneOf(let actions): Recording.Position(seq: actions.lowerBound - 1)
        case .start, .dropped: nil
        }
    }
}

extension Recording.Position {
    /// The position before the action or reducer that leads here.
    package var before: Recording.Position {
        // Time travel has no steps by reducers.
        guard let reducer, reducer > 1 else { return Recording.Position(seq: seq - 1) }
        return Recording.Position(seq: seq, reducer: reducer - 1)
    }
}

extension Recording {
    /// The last action of which all reducers have run at a position.
    package func lastWhole(upTo position: Position) -> Int {
        guard let reducer = position.reducer, reducer < reducers.count else { return position.seq }
        return position.seq - 1
    }

    /// Who set what was there when the recording begins.
    var beginning: ChangeOrigin { droppedCount == 0 ? .start : .dropped(droppedCount) }
}

extension ChangeIndex {
    /// Who made the changes of a step.
    func origin(of key: Int) -> ChangeOrigin {
        let position = keys.position(key)
        return recording.skippedRun(with: position.seq).map { .oneOf($0) } ?? .step(position)
    }

    /// The position before a step.
    func position(before key: Int) -> Recording.Position {
        let position = keys.position(key)
        if let run = recording.skippedRun(with: position.seq) { return Recording.Position(seq: run.lowerBound - 1) }
        return position.before
    }

    /// The ranges of actions that begin before a position, and of which at most the sum of their changes is known: those
    /// of ``unknownRanges``, and the runs whose states were left out but whose change as a whole was recorded.
    func summedRanges(before position: Recording.Position) -> [ClosedRange<Int>] {
        let bridged = recording.skipped.filter { run in
            run.lowerBound > recording.start.seq && run.upperBound <= recording.end.seq
                && Recording.Position(seq: run.lowerBound, reducer: 0) < position
                && !unknownRanges.contains { $0.lowerBound <= run.lowerBound && run.upperBound <= $0.upperBound }
        }
        return (unknownRanges(before: position) + bridged).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The ranges of ``unknownRanges`` that begin before a position, in order.
    func unknownRanges(before position: Recording.Position) -> [ClosedRange<Int>] {
        unknownRanges.filter { Recording.Position(seq: $0.lowerBound, reducer: 0) < position }
    }
}
