import HindsightFormat
import HindsightTree

/// A command for the writer.
enum WriterCommand: Sendable {
    /// The store's start: its reducers, and its state as text. Has the state itself if the writer finds the changes.
    case start(reducers: [String], state: StateSnapshots?, text: String)
    /// An action with its outcome, and the offset behind it in the journal.
    case action(PendingAction, journalEnd: UInt64)
    /// The state after the last of some actions whose states were left out. The recording continues from it.
    case resume(StateSnapshots, seq: Int)
    /// The same as text: the dispatching thread finds the changes from now on.
    case whole(text: String, seq: Int)
    /// The last state as text when the recorder is closed, to compare with the recorded one.
    case final(text: String, seq: Int)

    var isAction: Bool { if case .action = self { true } else { false } }
}

/// The outcome of an action, as far as the dispatching thread knows it.
enum Outcome: Sendable {
    /// The pending action has the states after its reducers, and the reducers' durations. The writer finds the changes.
    case states
    /// The pending action has the state that time travel set.
    case travel
    /// The changes, and the whole state if a keyframe is due.
    case changes([TimedPatch], keyframe: String?)
    /// The writer has found the changes and released the states; the duration of the reducers.
    case done(Int64)
    /// The states were left out; the duration of the reducers.
    case skipped(Int64)
    /// The action never finished.
    case unfinished
}
