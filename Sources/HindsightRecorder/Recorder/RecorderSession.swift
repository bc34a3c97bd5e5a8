import HindsightFormat
import HindsightSupport
import HindsightTree

/// The state of a recorder on the dispatching threads.
///
/// It is not generic over the app's types, so that the compiler optimizes what runs for every action.
struct RecorderSession {
    let journal: Journal
    /// The attachment of the recorded store; `nil` before the first store.
    var attachment: AnyObject?
    var reducerCount = 0
    /// The types of actions whose failure to encode was reported.
    var troubledTypes: Set<ScalarKey> = []
    /// The types of actions for which decoding a redacted action was checked.
    var readTypes: Set<ScalarKey> = []

    /// The action that is being reduced, or was and is not handed over yet.
    private(set) var pending: PendingAction?
    /// Whether its states are kept.
    private(set) var keepsStates = false
    /// The start of the present reducer.
    private var started: Int64 = 0
    /// The time of the reducers that have run.
    private(set) var duration: Int64 = 0

    /// The number of the last action, and of the reducers of it that have run while it is being reduced.
    private(set) var last = (seq: 0, reducers: 0)
    /// The number of notes.
    private var noteCount = 0

    /// Whether the states of the previous action were left out.
    private(set) var isBehind = false
    /// The state after it.
    private var resumption: (state: StateSnapshots?, seq: Int)?
    /// The end of the last reducer.
    private(set) var time: Int64 = 0

    init(journal: Journal) {
        self.journal = journal
    }

    /// The states after the reducers that have run, and their times.
    var kept: StateSnapshots? { pending?.states }

    /// Begins an action that was written ahead.
    mutating func begin(_ pending: PendingAction, keepingStates: Bool) {
        self.pending = pending
        last = (pending.action.seq, 0)
        keepsStates = keepingStates
        duration = 0
        // Otherwise the reducers would copy what they change.
        if !keepingStates { resumption = nil }
        mark(reducer: 1, of: pending.action.seq)
        started = SystemClock.monotonic
    }

    /// The action that is being reduced and the duration of its present reducer; `nil` between actions.
    mutating func timeReducer(until now: Int64) -> (seq: Int, duration: Int64)? {
        guard let seq = pending?.action.seq else { return nil }
        duration += now - started
        time = now
        return (seq, now - started)
    }

    func mark(reducer: Int, of seq: Int) {
        journal.mark(ReducerMark(phase: .reducing, seq: seq, reducer: reducer))
    }

    /// Marks that a reducer has run, and that the next begins, if there is one.
    mutating func next(after reducer: Int, of seq: Int) {
        last.reducers = reducer
        guard reducer < reducerCount else { return mark(reducer: 0, of: seq) }
        mark(reducer: reducer + 1, of: seq)
        started = SystemClock.monotonic
    }

    /// Begins time travel, which has no reducers.
    mutating func travel(_ pending: PendingAction) {
        self.pending = pending
        last = (pending.action.seq, 0)
    }

    /// Whether an action is being reduced.
    var isReducing: Bool { pending != nil }

    /// A note at the present position, with the next number.
    func note(_ text: String) -> JournalNote {
        let reducer = isReducing ? last.reducers : nil
        return JournalNote(id: noteCount + 1, seq: last.seq, reducer: reducer, text: text, at: SystemClock.wall)
    }

    /// Counts a note that is handed to the writer.
    mutating func countNote() { noteCount += 1 }

    /// Ends the action that is being reduced, which is handed to the writer.
    mutating func end() { pending = nil }

    /// Hands the action that is being reduced to the writer, without an end, if there is one.
    mutating func leaveUnfinished(to channel: WriterChannel<WriterCommand>) {
        guard let pending else { return }
        end()
        pending.outcome = .unfinished
        channel.add(.action(pending, journalEnd: journal.end), bytes: 0)
    }

    /// Notes that an action's states were left out, and the last of them, unless the writer computes it.
    mutating func fallBehind(at seq: Int, _ state: StateSnapshots?) {
        isBehind = true
        resumption = (state, seq)
    }

    /// Whether ``catchUp()`` returns a state. It does not while an action without states is being reduced.
    var canCatchUp: Bool { resumption != nil }

    /// Notes that states are kept again.
    ///
    /// - Returns: The last state that was left out, unless the writer computes it, and its action; `nil` if none was.
    mutating func catchUp() -> (state: StateSnapshots?, seq: Int)? {
        defer { (isBehind, resumption) = (false, nil) }
        return resumption
    }
}
