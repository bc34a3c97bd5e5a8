import HindsightFormat
import HindsightSupport
import HindsightTree

/// What changes while a recorder is at work on the dispatching threads.
///
/// It knows no types of the app: so what is done for every action is compiled once and well.
struct RecorderSession {
    let journal: Journal
    /// The name of the attachment whose store is recorded; `nil` until one was handed to the recorder.
    var attachment: AnyObject?
    var reducerCount = 0
    /// The types of actions that left a gap.
    var troubledTypes: Set<ScalarKey> = []
    /// The types of actions of which one was read back as it was redacted.
    var readTypes: Set<ScalarKey> = []

    /// The action that is being reduced.
    private var pending: PendingAction?
    /// Whether its states are kept.
    private(set) var keepsStates = false
    /// When the present reducer started.
    private var started: Int64 = 0
    /// The time that the reducers took which have run.
    private(set) var duration: Int64 = 0

    /// Whether the states of the action before were left out.
    private(set) var isBehind = false
    /// The state after it.
    private var resumption: (state: StateSnapshots, seq: Int)?

    init(journal: Journal) {
        self.journal = journal
    }

    /// The states after the reducers that have run, and their times.
    var kept: StateSnapshots? { pending?.states }

    /// Takes an action that was written ahead.
    mutating func begin(_ pending: PendingAction, keepingStates: Bool) {
        self.pending = pending
        keepsStates = keepingStates
        duration = 0
        // Kept any longer, it would make the reducers copy what they change.
        if !keepingStates { resumption = nil }
        mark(reducer: 1, of: pending.action.seq)
        started = SystemClock.monotonic
    }

    /// The action that is being reduced, and the time that its present reducer took; `nil` where none is.
    mutating func timeReducer(until now: Int64) -> (seq: Int, duration: Int64)? {
        guard let seq = pending?.action.seq else { return nil }
        duration += now - started
        return (seq, now - started)
    }

    func mark(reducer: Int, of seq: Int) {
        journal.mark(ReducerMark(phase: .reducing, seq: seq, reducer: reducer))
    }

    /// Says that a reducer has run, and that the next begins, where there is one.
    mutating func next(after reducer: Int, of seq: Int) {
        guard reducer < reducerCount else { return mark(reducer: 0, of: seq) }
        mark(reducer: reducer + 1, of: seq)
        started = SystemClock.monotonic
    }

    /// Ends the action that is being reduced; `nil` where none is.
    mutating func end() -> PendingAction? { pending.take() }

    /// Says that an action's states were left out, and what the last of them is.
    mutating func fallBehind(at seq: Int, _ state: StateSnapshots) {
        isBehind = true
        resumption = (state, seq)
    }

    /// Says that states are kept again.
    ///
    /// - Returns: The state from which they go on, where some were left out, and the action after which it was.
    mutating func catchUp() -> (state: StateSnapshots, seq: Int)? {
        defer { (isBehind, resumption) = (false, nil) }
        return resumption
    }
}
