import HindsightFormat

/// A command from the dispatching threads to the writer.
enum WriterCommand: Sendable {
    /// The start of the store: its reducers, and its initial state as text. `state` is `nil` if the dispatching threads
    /// find changes. If `computes` is true, the writer computes the states from there.
    case start(reducers: [String], state: StateSnapshots?, text: String, computes: Bool)
    /// An action, and the offset in the journal behind it.
    case action(PendingAction, journalEnd: UInt64)
    /// A note of the app, and the offset in the journal behind it; `nil` if an action is being reduced, which the journal
    /// must keep, or if the journal does not have the note.
    case note(JournalNote, journalEnd: UInt64?)
    /// The state after actions whose states were left out; `nil` if the writer computes it. The recording resumes from it.
    case resume(StateSnapshots?, seq: Int)
    /// The same, as text. The dispatching threads find changes from now on.
    case whole(text: String, seq: Int)
    /// The app's state after an action, to compare with the one that the writer has computed. If `isLast` is true, the
    /// writer computes no state after it.
    case audit(StateSnapshots, seq: Int, isLast: Bool)
    /// The last state as text, when the recorder is closed. The writer compares it with what it has recorded.
    case final(text: String, seq: Int)
}
