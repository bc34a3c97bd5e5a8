import HindsightFormat
import HindsightSupport
import HindsightTree

/// The mutable state of a recorder on the dispatching threads.
///
/// It is not generic, so that the code that runs for each action is compiled once.
struct RecorderSession {
    let journal: Journal
    /// The attachment of the recorded store; `nil` before the first store.
    var attachment: AnyObject?
    var reducerCount = 0
    /// The action types that left a gap.
    var troubledTypes: Set<ScalarKey> = []
    /// The action types of which a redacted action was decoded as a check.
    var readTypes: Set<ScalarKey> = []

    /// The action that is being reduced.
    private var slot: PendingAction?
    /// Whether its states are kept.
    private(set) var keepsStates = false
    /// The start of the present reducer.
    private var started: Int64 = 0
    /// The duration of the reducers that have run.
    private(set) var duration: Int64 = 0
    /// The changes by each reducer, if they are found on the dispatching thread.
    var steps: [TimedPatch] = []

    /// Whether the states of the previous action were left out.
    private(set) var isBehind = false
    /// The state after it.
    private var resumption: (state: StateSnapshots, seq: Int)?

    init(journal: Journal) {
        self.journal = journal
    }

    /// The states after each reducer so far, and the reducers' durations.
    var kept: StateSnapshots? { slot?.states }

    /// Begins an action that was written ahead.
    mutating func begin(_ slot: PendingAction, keepingStates: Bool) {
        self.slot = slot
        keepsStates = keepingStates
        duration = 0
        // A longer reference would make the reducers copy what they change.
        if !keepingStates { resumption = nil }
        mark(reducer: 1, of: slot.action.seq)
        started = SystemClock.monotonic
    }

    /// The action that is being reduced and the duration of its present reducer; `nil` between actions.
    mutating func timeReducer(until now: Int64) -> (seq: Int, duration: Int64)? {
        guard let seq = slot?.action.seq else { return nil }
        duration += now - started
        return (seq, now - started)
    }

    func mark(reducer: Int, of seq: Int) {
        journal.mark(ReducerMark(phase: .reducing, seq: seq, reducer: reducer))
    }

    /// Ends the present reducer, and begins the next one.
    mutating func next(after reducer: Int, of seq: Int) {
        guard reducer < reducerCount else { return mark(reducer: 0, of: seq) }
        mark(reducer: reducer + 1, of: seq)
        started = SystemClock.monotonic
    }

    /// Ends the action; `nil` between actions.
    mutating func end() -> PendingAction? { slot.take() }

    /// Notes that an action's states were left out, and keeps the last of them.
    mutating func fallBehind(at seq: Int, _ state: StateSnapshots) {
        isBehind = true
        resumption = (state, seq)
    }

    /// Notes that states are kept again.
    ///
    /// - Returns: The last state that was left out and its action, if there is one.
    mutating func catchUp() -> (state: StateSnapshots, seq: Int)? {
        defer { (isBehind, resumption) = (false, nil) }
        return resumption
    }

    /// Takes the changes by each reducer, if they are found on the dispatching thread.
    mutating func takeSteps() -> [TimedPatch] {
        defer { steps = [] }
        return steps
    }
}
