import HindsightFormat
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
}

extension ChangeOrigin {
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
    /// Who set what was there when the recording begins.
    var beginning: ChangeOrigin { droppedCount == 0 ? .start : .dropped(droppedCount) }

    /// The ranges of actions that begin before a position, and whose changes are not recorded one by one, or are doubtful,
    /// in order. The states before and after each are known and exact.
    func unknownRanges(before position: Position) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        let all = (gaps + doubtful.map(\.actions)).sorted { $0.lowerBound < $1.lowerBound }
        for range in all where range.upperBound > start.seq {
            // The state before must be known.
            let first = max(lastRecorded(before: max(range.lowerBound, start.seq + 1)).seq, start.seq) + 1
            if let last = ranges.last, first <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(first...range.upperBound)
            }
        }
        return ranges.filter { Position(seq: $0.lowerBound, reducer: 0) < position }
    }

    /// The ranges of actions that begin before a position, and of which at most the sum of their changes is known: those
    /// of ``unknownRanges(before:)``, and the runs whose states were left out but whose change as a whole was recorded.
    func summedRanges(before position: Position) -> [ClosedRange<Int>] {
        let unknown = unknownRanges(before: position)
        let bridged = skipped.filter { run in
            run.lowerBound > start.seq && run.upperBound <= end.seq
                && Position(seq: run.lowerBound, reducer: 0) < position
                && !unknown.contains { $0.lowerBound <= run.lowerBound && run.upperBound <= $0.upperBound }
        }
        return (unknown + bridged).sorted { $0.lowerBound < $1.lowerBound }
    }
}
