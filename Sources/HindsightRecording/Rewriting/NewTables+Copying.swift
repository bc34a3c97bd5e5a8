import HindsightFormat
import HindsightTree

extension NewTables {
    /// Copies actions, with the texts of their changes and the keyframes after them.
    ///
    /// - Parameters:
    ///   - range: The numbers of the actions.
    ///   - row: Returns an action as it is to be written. Gets the keyframe after it, if there is one.
    package func copyActions(
        _ range: ClosedRange<Int>,
        of recording: Recording,
        as row: (_ action: RecordedAction, _ keyframe: Node?) throws -> DispatchedAction
    ) throws {
        let wholeStates = Set(try recording.wholeStates())
        var entries = try recording.entries(in: range, withSteps: false)
        while let (action, _) = try entries.next() {
            let keyframe = wholeStates.contains(action.seq) ? try recording.keyframe(after: action.seq) : nil
            try insert(
                try row(action, keyframe?.state),
                duration: action.durationInNanoseconds,
                steps: try recording.storedSteps(of: action.seq),
                keyframe: keyframe?.text
            )
        }
    }

    /// Copies the last action that a limit dropped: its time says since when the recording has everything.
    package func copyDropped(of recording: Recording) throws {
        guard let action = try recording.lastDropped() else { return }
        let steps = try recording.storedSteps(of: action.seq)
        try insert(action.dispatched, duration: action.durationInNanoseconds, steps: steps)
    }

    /// Copies the runs of skipped actions, and the doubtful states.
    ///
    /// - Parameter moved: The new numbers of a run of actions; `nil` to leave it out.
    package func copyRuns(of recording: Recording, as moved: (ClosedRange<Int>) -> ClosedRange<Int>?) throws {
        for run in recording.skipped.compactMap(moved) { try add(skipped: run) }
        for states in recording.doubtful {
            guard let actions = moved(states.actions) else { continue }
            try add(DoubtfulStates(actions: actions, path: states.path))
        }
    }

    /// Copies the notes in their order.
    ///
    /// - Parameters:
    ///   - first: The position of the first note.
    ///   - moved: The new position of a note; `nil` to leave it out.
    package func copyNotes(
        of recording: Recording,
        after first: Int,
        as moved: (Recording.Position) throws -> Recording.Position?
    ) throws {
        for var note in try recording.storedNotes(after: first) {
            guard let place = try moved(Recording.Position(seq: note.seq, reducer: note.reducer)) else { continue }
            (note.seq, note.reducer) = (place.seq, place.reducer)
            try add(note)
        }
    }
}
