import HindsightTree

/// What changes while a recorder is at work on the dispatching threads.
///
/// It knows no types of the app: so what is done for every action is compiled once and well.
struct RecorderSession {
    let journal: Journal
    /// Whether a store has been handed to the recorder.
    var isAttached = false
    var reducerCount = 0
    /// The types of actions that left a gap.
    var troubledTypes: Set<String> = []
    /// The types of actions of which one was read back as it was redacted.
    var readTypes: Set<String> = []

    /// The action that is being reduced.
    private var action: DispatchedAction?
    /// When the present reducer started.
    private var started: Int64 = 0
    /// The states after the reducers that have run, and their times.
    private(set) var kept: KeptStates?
    /// What the reducers did, where that is looked for at once.
    var steps: [TimedPatch] = []

    init(journal: Journal) {
        self.journal = journal
    }

    /// Takes an action that was written ahead.
    mutating func begin(_ action: DispatchedAction, keeping states: KeptStates) {
        self.action = action
        kept = states
        journal.mark(AheadMark(phase: .reducing, seq: action.seq, reducer: 1))
        started = Clock.monotonic
    }

    /// The action that is being reduced, and the time that its present reducer took; `nil` where none is.
    func timeReducer(until now: Int64) -> (seq: Int, duration: Int64)? {
        action.map { ($0.seq, now - started) }
    }

    func mark(reducer: Int, of seq: Int) {
        journal.mark(AheadMark(phase: .reducing, seq: seq, reducer: reducer))
    }

    /// Says that a reducer has run, and that the next begins, where there is one.
    mutating func next(after reducer: Int, of seq: Int) {
        mark(reducer: reducer >= reducerCount ? 0 : reducer + 1, of: seq)
        started = Clock.monotonic
    }

    /// Ends the action that is being reduced; `nil` where none is.
    mutating func end() -> DispatchedAction? {
        defer { action = nil }
        return action
    }

    /// Lets go of what was kept of an action.
    mutating func forget() {
        kept = nil
        steps = []
    }
}
