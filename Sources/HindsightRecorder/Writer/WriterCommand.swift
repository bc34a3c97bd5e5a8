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
