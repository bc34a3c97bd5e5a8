import HindsightTree

/// What is handed to the writer.
enum Work<State: Sendable>: Sendable {
    /// The store's beginning: its reducers and its state, which is encoded already.
    case start(reducers: [String], state: State, text: String)
    /// An action, what it did, and the offset in the journal behind it.
    case action(DispatchedAction, Deed<State>, journalEnd: UInt64)
}

/// What an action did, as far as the dispatching thread has found it out.
enum Deed<State: Sendable>: Sendable {
    /// The states after its reducers, each with its reducer's time: what changed is still to be looked for.
    case states([(state: State, duration: Int64)])
    /// The state was set by time travel.
    case travel(State)
    /// What changed, and the whole state where that is to be kept.
    case changes([TimedPatch], keyframe: String?)
    /// It never finished.
    case unfinished
}
