import HindsightFormat
import HindsightSupport
import HindsightTree

/// The place of one action on its way from the reducers' door to the writer: what was dispatched, and the states that its
/// reducers made. Used for one action after another, since making a new one costs more than filling it.
///
/// Sound to send: whoever has one hands it on, and does not touch it afterwards.
final class PendingAction: @unchecked Sendable {
    @exclusivity(unchecked) var action: DispatchedAction
    @exclusivity(unchecked) var outcome = Outcome.unfinished
    let states: StateSnapshots
    /// What it takes of the queue's room.
    @exclusivity(unchecked) var bytes = 0
    init(_ action: consuming DispatchedAction, states: StateSnapshots) {
        self.action = action
        self.states = states
    }

    /// The time of all its reducers; `nil` where it never finished.
    var duration: Int64? {
        switch outcome {
        case .unfinished: nil
        case .travel: 0
        case .skipped(let duration), .done(let duration): duration
        case .states: states.duration
        case .changes(let effect): effect.duration
        }
    }

    /// Lets go of its states, of which nothing is needed any more but their reducers' time.
    func releaseStates() {
        outcome = .done(duration ?? 0)
        states.removeAll()
    }

    /// Lets go of what is in it.
    func clear() {
        states.removeAll()
        action.payload = nil
        outcome = .unfinished
    }
}

/// Empty slots on their way back from the writer.
final class PendingActionPool: Sendable {
    private let slots = Locked<[PendingAction]>([])

    /// More are not kept, nor more bytes of states.
    private static var most: Int { 1024 }
    private static var mostBytes: Int { 8 << 20 }

    func takeAll() -> [PendingAction] {
        slots.withLock { slots in
            var taken: [PendingAction] = []
            swap(&taken, &slots)
            return taken
        }
    }

    /// Clears slots and gives them back. Those that there were before go, where they are fewer.
    func give(_ used: [PendingAction]) {
        for slot in used { slot.clear() }
        // All of them have the same room.
        let most = min(Self.most, Self.mostBytes / max(1, used.first?.states.bytes ?? 1))
        var given = used.count > most ? Array(used.prefix(most)) : used
        slots.withLock { if $0.count < given.count { swap(&$0, &given) } }
    }
}
