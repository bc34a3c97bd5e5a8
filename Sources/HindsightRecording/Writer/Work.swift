import HindsightTree

/// What is handed to the writer.
enum Work: Sendable {
    /// The store's beginning: its reducers and its state, which is encoded already.
    case start(reducers: [String], state: KeptStates, text: String)
    /// An action, what it did, and the offset in the journal behind it.
    case action(DispatchedAction, Deed, journalEnd: UInt64)
    /// The whole state after an action, behind actions whose states were left out.
    case whole(KeptStates, seq: Int)

    var isAction: Bool { if case .action = self { true } else { false } }
}

/// What an action did, as far as the dispatching thread has found it out.
enum Deed: Sendable {
    /// The states after its reducers, each with its reducer's time: what changed is still to be looked for.
    case states(KeptStates)
    /// The state was set by time travel.
    case travel(KeptStates)
    /// What changed, and the whole state where that is to be kept.
    case changes([TimedPatch], keyframe: String?)
    /// Its states were left out; the time of its reducers.
    case skipped(Int64)
    /// It never finished.
    case unfinished
}

extension Deed {
    /// The time of all its reducers; `nil` where it never finished.
    var duration: Int64? {
        switch self {
        case .unfinished: nil
        case .travel: 0
        case .skipped(let duration): duration
        case .states(let states): states.duration
        case .changes(let steps, _): steps.reduce(0) { $0 + ($1.duration ?? 0) }
        }
    }
}
