import HindsightFormat
import HindsightSupport

/// An action and its outcome, on their way from the store's observer to their row in the file.
///
/// Reused for later actions, because creating one costs more than filling it.
///
/// Sound to send: a thread that hands it on does not access it afterwards.
final class PendingAction: @unchecked Sendable {
    var action: DispatchedAction
    var outcome = Outcome.unfinished
    /// The states after its reducers, until the writer has found the changes.
    let states: StateSnapshots
    /// Runs one of the app's reducers for this action on a state at an address, if the writer computes the states.
    var reduce: Reduction?
    /// The bytes that count against the queue's limit.
    var bytes = 0

    init(_ action: consuming DispatchedAction, states: StateSnapshots) {
        self.action = action
        self.states = states
    }

    /// The time of all its reducers; `nil` if it never finished.
    var duration: Int64? {
        switch outcome {
        case .unfinished: nil
        case .travel: 0
        case .skipped(let duration), .finished(let duration): duration
        case .states, .computable: states.duration
        case .changes(let changes): changes.duration
        }
    }

    /// Releases its changes, once they are written or if they cannot be. Keeps its duration.
    func dropChanges() {
        if let duration { outcome = .finished(duration) }
    }

    /// Clears it for reuse.
    func clear() {
        states.removeAll()
        action.payload = nil
        reduce = nil
        outcome = .unfinished
    }
}

/// Runs the reducer with an index on the state at an address.
typealias Reduction = @Sendable (_ state: UnsafeMutableRawPointer, _ reducer: Int) -> Void

/// The outcome of an action, as far as it is known.
enum Outcome: Sendable {
    /// It is being reduced, or never finished.
    case unfinished
    /// The states after its reducers were kept, each with its reducer's time. The writer finds the changes.
    case states
    /// Its reducers have run, and the writer runs them again to find the changes.
    case computable
    /// The state that time travel set was kept. The writer finds the changes.
    case travel
    /// The changes are known.
    case changes(ActionChanges)
    /// Its states were left out, since the recorder was behind; the time of its reducers.
    case skipped(Int64)
    /// It finished, and its changes are not written; the time of its reducers.
    case finished(Int64)

    var changes: ActionChanges? { if case .changes(let changes) = self { changes } else { nil } }
    var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

/// The changes of an action.
struct ActionChanges: Sendable {
    /// The time of its reducers.
    var duration: Int64
    /// The steps of its reducers, as text.
    var steps: String
    /// The keyframe after it, if one is due.
    var keyframe: String?
}

/// Pending actions that the writer gives back for reuse.
final class PendingActionPool: Sendable {
    private let actions = Locked<[PendingAction]>([])

    /// The most actions that are kept, and the most bytes for their states.
    private static var most: Int { 1024 }
    private static var maxBytes: Int { 8 << 20 }

    func takeAll() -> [PendingAction] {
        actions.withLock { actions in
            var taken: [PendingAction] = []
            swap(&taken, &actions)
            return taken
        }
    }

    /// Clears pending actions and gives them back. The pool keeps the larger set of these and its own.
    func give(_ used: [PendingAction]) {
        for action in used { action.clear() }
        // All of them have room for the same number of states.
        let most = min(Self.most, Self.maxBytes / max(1, used.first?.states.bytes ?? 1))
        var given = used.count > most ? Array(used.prefix(most)) : used
        actions.withLock { if $0.count < given.count { swap(&$0, &given) } }
    }
}
