import HindsightFormat

/// What is handed to the writer.
enum WriterCommand: Sendable {
    /// The store's beginning: its reducers, and its state as text. The state itself is there if the writer is to look for
    /// what changes.
    case start(reducers: [String], state: StateSnapshots?, text: String)
    /// An action with what it did, and the offset in the journal behind it.
    case action(PendingAction, journalEnd: UInt64)
    /// The state after the last of some actions whose states were left out: the recording goes on from it.
    case resume(StateSnapshots, seq: Int)
    /// The same as text: the writer is not to look for what changes any more.
    case whole(text: String, seq: Int)
    /// The last state as text, as it is when the recorder is closed: it is compared with what was recorded.
    case final(text: String, seq: Int)

    var isAction: Bool { if case .action = self { true } else { false } }
}

/// What an action did, as far as the dispatching thread has found it out.
enum Outcome: Sendable {
    /// Its slot has the states after its reducers, each with its reducer's time: what changed is still to be looked for.
    case states
    /// Its slot has the state that was set by time travel.
    case travel
    /// What changed, as text, and the whole state if that is to be kept.
    case changes(RowWriter.Effect)
    /// The writer has found out what changed, and let go of the states; the time of its reducers.
    case done(Int64)
    /// Its states were left out; the time of its reducers.
    case skipped(Int64)
    /// It never finished.
    case unfinished
}
