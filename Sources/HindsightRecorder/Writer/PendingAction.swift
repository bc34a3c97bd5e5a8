import HindsightFormat
import HindsightSupport
import HindsightTree

/// One action on its way from the reduction to the writer: the action and the states after its reducers. It is reused
/// for later actions, because a new one costs more than filling it.
///
/// Sound to send: its owner hands it on, and does not access it afterwards.
final class PendingAction: @unchecked Sendable {
    @exclusivity(unchecked) var action: DispatchedAction
    @exclusivity(unchecked) var outcome = Outcome.unfinished
    let states: StateSnapshots
    /// The bytes that count for the queue.
    @exclusivity(unchecked) var bytes = 0
    init(_ action: consuming DispatchedAction, states: StateSnapshots) {
        self.action = action
        self.states = states
    }

    /// The duration of all reducers; `nil` if the action never finished.
    var duration: Int64? {
        switch outcome {
        case .unfinished: nil
        case .travel: 0
        case .skipped(let duration), .done(let duration): duration
        case .states: states.duration
        case .changes(let steps, _): steps.reduce(0) { $0 + ($1.duration ?? 0) }
        }
    }

    /// Releases the states. Only their reducers' durations are still needed.
    func releaseStates() {
        outcome = .done(duration ?? 0)
        states.removeAll()
    }

    /// Releases the contents.
    func clear() {
        states.removeAll()
        action.payload = nil
        outcome = .unfinished
    }
}

/// Pending actions that the writer returns for reuse.
final class PendingActionPool: Sendable {
    private let slots = Locked<[PendingAction]>([])

    /// The limits of actions and of state memory to keep.
    private static var most: Int { 1024 }
    private static var mostBytes: Int { 8 << 20 }

    func takeAll() -> [PendingAction] {
        slots.withLock { slots in
            var taken: [PendingAction] = []
            swap(&taken, &slots)
            return taken
        }
    }

    /// Clears pending actions and returns them. They replace the earlier ones if they are more.
    func give(_ used: [PendingAction]) {
        for slot in used { slot.clear() }
        // All have the same capacity.
        let most = min(Self.most, Self.mostBytes / max(1, used.first?.states.bytes ?? 1))
        var given = used.count > most ? Array(used.prefix(most)) : used
        slots.withLock { if $0.count < given.count { swap(&$0, &given) } }
    }
}
