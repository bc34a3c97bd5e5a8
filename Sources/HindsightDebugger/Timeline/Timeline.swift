import HindsightQuery
import HindsightTree

/// A recording as a debugger moves through it: its positions in order, and the states there.
///
/// A position whose state was not recorded is a position all the same; its state is then `nil`.
final class Timeline {
    let recording: Recording
    /// The state at the present position, and that before the present step. They move with the debugger, so each costs
    /// the changes in between.
    private let present: LazyStateCursor
    private let before: LazyStateCursor
    /// Whether an action has positions after its reducers, for the last action that was asked for.
    private var known: (seq: Int, isTravel: Bool)?
    /// What was computed of the action that never finished.
    var computed: ComputedSteps?
    /// Whether it is known that nothing more can be computed.
    var hasComputed = false

    init(_ recording: Recording) {
        self.recording = recording
        (present, before) = (LazyStateCursor(on: recording), LazyStateCursor(on: recording))
    }

    var isLive: Bool { recording.ending == .open(live: true) }

    var first: Recording.Position { recording.start }

    /// The last position: in the action that never finished, before its first reducer; else after the last action. If
    /// the recording is live, after the last action whose state is written.
    var last: Recording.Position {
        if isLive { return max(recording.end, first) }
        if case .crashed(let seq, _) = recording.ending, seq == recording.actionCount, seq > first.seq {
            return Recording.Position(seq: seq, reducer: 0)
        }
        return max(Recording.Position(seq: recording.lastFinished), first)
    }

    /// The last position of a step by reducer: ``last``, or that after the last computed step.
    var lastStep: Recording.Position { computed.map { max($0.last, last) } ?? last }

    // MARK: Positions

    /// The number of positions after single reducers of an action; 0 if the action is one step: time travel, or one
    /// whose changes were not recorded.
    func reducerCount(in seq: Int) throws(RecordingError) -> Int {
        if let computed, computed.seq == seq { return computed.steps.count }
        guard seq > first.seq, recording.absence(ofChangesIn: seq) == nil else { return 0 }
        if known?.seq != seq { known = (seq, try recording.action(seq).isTravel) }
        return known?.isTravel == true ? 0 : recording.reducers.count
    }

    /// The next position; `nil` at the last one.
    func next(after position: Recording.Position, by granularity: StateCursor.Granularity) throws(RecordingError)
        -> Recording.Position?
    {
        // The action that never finished has no position after it: a step by action leads to its last computed one.
        if granularity == .action, position > last { return position < lastStep ? lastStep : nil }
        guard position < (granularity == .reducer ? lastStep : last) else { return nil }
        if let done = position.reducer, done < max(1, recording.reducers.count) {
            let count = granularity == .reducer ? try reducerCount(in: position.seq) : 0
            return Recording.Position(seq: position.seq, reducer: done < count ? done + 1 : nil)
        }
        let seq = position.seq + 1
        guard seq <= last.seq else { return nil }
        if last == Recording.Position(seq: seq, reducer: 0) { return last }
        let count = granularity == .reducer ? try reducerCount(in: seq) : 0
        return Recording.Position(seq: seq, reducer: count > 0 ? 1 : nil)
    }

    /// The position before another one; `nil` at the first one.
    ///
    /// After a whole action is the same moment as after its last reducer, so a step back by reducer leads from both to
    /// the reducer before.
    func previous(before position: Recording.Position, by granularity: StateCursor.Granularity) throws(RecordingError)
        -> Recording.Position?
    {
        guard position > first else { return nil }
        let seq = position.seq - 1
        guard granularity == .reducer else { return Recording.Position(seq: max(seq, first.seq)) }
        let count = try reducerCount(in: position.seq)
        let done = min(position.reducer ?? count, count)
        if done > 1 { return Recording.Position(seq: position.seq, reducer: done - 1) }
        if position > last { return last }
        guard seq > first.seq else { return first }
        let countBefore = try reducerCount(in: seq)
        return Recording.Position(seq: seq, reducer: countBefore > 0 ? countBefore : nil)
    }

    /// The position from which the step at a position began; `nil` if there is no step: at the start, and before the
    /// first reducer of an action.
    ///
    /// That of a run of actions without states is before the whole run.
    func origin(of position: Recording.Position) -> Recording.Position? {
        guard position.seq > first.seq, position.reducer != 0 else { return nil }
        if let run = recording.skippedRun(with: position.seq) { return Recording.Position(seq: run.lowerBound - 1) }
        return position.before
    }

    // MARK: States

    /// The state at a position; `nil` if it was not recorded.
    func state(at position: Recording.Position) throws(RecordingError) -> Node? {
        if let state = computed?.state(at: position) { return state }
        return try present.knownState(at: position)
    }

    /// The state before the step at a position; `nil` if there is no step, or the state was not recorded.
    func state(beforeStepAt position: Recording.Position) throws(RecordingError) -> Node? {
        guard let origin = origin(of: position) else { return nil }
        if let state = computed?.state(at: origin) { return state }
        return try before.knownState(at: origin)
    }
}
