import HindsightFormat

/// The bounds and the ending of a recording at one moment. ``Recording`` describes the properties that it has too.
struct RecordingBounds {
    let facts: Facts
    let redaction: RecordedRedaction
    let reducers: [String]
    /// The number of the last action; 0 if there is none.
    var lastAction: Int
    var lastFinished: Int
    /// The number of the last action with a known state.
    let lastKnown: Int
    /// The journal, judged by the file.
    let journal: JournalInspection
    /// The actions after those in the file, which are only in the journal.
    var journalOnly = JournalOnlyActions()
    /// The notes that are only in the journal.
    var journalNotes: [JournalNote] = []
    /// The first action with a keyframe after it; 0 if there is none.
    let firstKeyframe: Int
    let skipped: [ClosedRange<Int>]
    /// The runs of ``skipped`` whose changes are unknown.
    let gaps: [ClosedRange<Int>]
    let doubtful: [Recording.DoubtfulStates]
    /// The last actions of runs of ``doubtful`` that no keyframe follows. No recorder leaves them so.
    let openDoubt: Set<Int>
    var unaudited = 0
    var lost: ClosedRange<Int>?
    var lacksJournal = false
    var lacksLog = false
    /// Whether the recording has a state: whether a store was attached to the recorder.
    let hasKeyframe: Bool
    var keptSince: Int64?
    let closed: Int64?
    var stopped: String?
    /// Where the process ended, as a ``Recovery`` wrote it. The journal is gone.
    let died: Recording.Position?
    let salvaged: String?
    let cutOrigin: CutOrigin?
    let parent: RecordingParent?
    let isRecovered: Bool
    var ending = Recording.Ending.closed
    var lastActivity: LastActivity?
    var crashSignal: CrashSignal?
    var exited = false
}

extension RecordingBounds {
    /// The run because of which the state at a position was left out; `nil` if it was not.
    func gap(at position: Recording.Position) -> ClosedRange<Int>? {
        let seq = position.lastBegun
        guard let run = run(of: seq) else { return nil }
        let isWhole = position.reducer == nil || position.reducer == 0
        return isWhole && seq == run.upperBound ? nil : run
    }

    /// The number of the last action in the file itself, not only in the journal.
    var lastStored: Int { lastAction - journalOnly.actions.count }

    /// The run without states that contains an action.
    func run(of seq: Int) -> ClosedRange<Int>? { skipped.range(with: seq) }

    /// Whether what changed does not lead from one position to the other.
    func hasGap(between left: Recording.Position, and right: Recording.Position) -> Bool {
        let (low, high) = (min(left, right), max(left, right))
        return gaps.contains { $0.lowerBound <= high.lastBegun && $0.upperBound > low.lastBegun }
            || hasDoubt(between: low, and: high)
    }

    /// Whether the path between two positions crosses doubtful states. Their changes cannot be undone, and do not lead
    /// to the keyframe after them.
    private func hasDoubt(between low: Recording.Position, and high: Recording.Position) -> Bool {
        doubtful.contains { states in
            low < Recording.Position(seq: states.actions.upperBound) && high.seq >= states.actions.lowerBound
        }
    }

    /// The doubtful states to which the one at a position belongs; `nil` if it is not doubtful.
    func doubtfulStates(at position: Recording.Position) -> Recording.DoubtfulStates? {
        let position = withoutLastReducer(position)
        return doubtful.first { states in
            let last = Recording.Position(seq: states.actions.upperBound)
            return Recording.Position(seq: states.actions.lowerBound, reducer: 0) < position
                && (position < last || position == last && openDoubt.contains(last.seq))
        }
    }

    /// The position after the whole action, if a position is after its last reducer and doubtful states end there. The
    /// state is the same, but only the whole action has the keyframe that contradicts them.
    func withoutLastReducer(_ position: Recording.Position) -> Recording.Position {
        guard position.reducer == reducers.count, doubtful.contains(where: { $0.actions.upperBound == position.seq })
        else { return position }
        return Recording.Position(seq: position.seq)
    }
}

extension RecordingPosition {
    /// The last action all of whose reducers have run.
    var lastWhole: Int { reducer == nil ? seq : seq - 1 }

    /// The last action of which a reducer has run: the position before an action's first reducer is the one after the
    /// previous action.
    var lastBegun: Int { reducer == 0 ? seq - 1 : seq }
}

extension [ClosedRange<Int>] {
    /// The range that contains a number, among ordered ranges that do not overlap. Costs a binary search.
    func range(with number: Int) -> ClosedRange<Int>? {
        let index = partitioningIndex { $0.upperBound >= number }
        return index < count && self[index].contains(number) ? self[index] : nil
    }

    /// Adds a range that does not begin before the last one. Joins them if they overlap or nothing lies between them.
    mutating func join(_ range: ClosedRange<Int>) {
        guard let last, last.upperBound + 1 >= range.lowerBound else { return append(range) }
        self[count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
    }
}
