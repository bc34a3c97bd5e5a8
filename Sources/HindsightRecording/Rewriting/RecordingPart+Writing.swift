import HindsightFormat
import HindsightTree

extension RecordingPart {
    /// Writes the part, with numbers from 1. Damage is not copied.
    func write(to tables: NewTables, _ progress: (Int) throws -> Void) throws {
        let cursor = try StateCursor(on: recording, at: Recording.Position(seq: first))
        try tables.begin(reducers: recording.reducers, cursor.state.json, at: 0)
        if first < last {
            try tables.copyActions(first + 1...last, of: recording) { action, keyframe in
                try check(action.seq, keyframe, cursor)
                try progress(action.seq)
                return moved(action)
            }
        }
        try tables.copyRuns(of: recording) { range in
            let (low, high) = (max(range.lowerBound, first + 1), min(range.upperBound, last))
            return low <= high ? low - first...high - first : nil
        }
        try tables.copyNotes(of: recording, after: first) { place in
            // A note within the action before the first state has no place.
            guard place.seq <= last, place.seq > first || place.reducer == nil else { return nil }
            return Recording.Position(seq: place.seq - first, reducer: place.reducer)
        }
        try tables.finish(try facts(recording.rawFacts()))
    }

    /// Applies the changes of an action, so that damage is found.
    private func check(_ seq: Int, _ keyframe: Node?, _ cursor: StateCursor) throws(RecordingError) {
        let position = Recording.Position(seq: seq)
        guard recording.absence(at: position) == nil, recording.doubtfulStates(at: position) == nil else { return }
        try cursor.move(to: position)
        guard let keyframe, keyframe != cursor.state else { return }
        throw recording.file.damaged("the keyframe differs from the state to which the changes lead", seq: seq)
    }

    /// The action with its number in the part, and its parent if the part has that.
    private func moved(_ action: RecordedAction) -> DispatchedAction {
        let parent = action.parent.flatMap { first < $0 && $0 <= last ? $0 - first : nil }
        var moved = action.renumbered(action.seq - first, parent: parent).dispatched
        if action.isTravel, first > 0, let text = moved.problem {
            moved.problem = text + " (Numbered as before the cut.)"
        }
        return moved
    }
}
