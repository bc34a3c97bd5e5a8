import HindsightQuery
import HindsightTree

/// The steps of the action in which the recorded process ended. They are not recorded, so the app's reducers compute
/// them, which is not the machine's work.
extension Debugger {
    /// Whether what led to the position was computed, and not recorded.
    package var isComputed: Bool { timeline.computed?.step(at: position) != nil }

    /// The position at which the process ended: after the last computed step of the action that never finished, or
    /// before its first reducer; `nil` if the process did not end in an action.
    package var crash: Recording.Position? { last.reducer == 0 ? timeline.lastStep : nil }

    /// Whether the position is where the process ended: before the first reducer of the action, or after the last one
    /// that is known to have run.
    package var isAtCrash: Bool { crash.map { position == $0 || position == last } ?? false }

    /// Whether a command may lead into the action in which the process ended, and its steps were not supplied yet.
    ///
    /// Then compute them and ``supply(_:)`` them, before the command.
    package func needsComputedSteps(for command: DebuggerCommand) -> Bool {
        guard !timeline.hasComputed, last.reducer == 0 else { return false }
        return switch command {
        case .step(.forward, .reducer, let count): last.seq - position.seq <= count
        case .go(let target): target > last
        case .run:
            breakpoints.contains { breakpoint in
                guard breakpoint.isEnabled else { return false }
                return switch breakpoint.kind {
                case .change, .reducer: true
                case .action, .expression, .turn, .position, .crash, .divergence: false
                }
            }
        case .step, .checkout, .undo: false
        }
    }

    /// The position that the process has reached: the crash, if the position is after its action.
    ///
    /// - Throws: ``DebuggerError`` with the code `afterCrash` if the position is after the reducer in which the process
    ///   ended.
    package func reached(_ position: Recording.Position) throws(DebuggerError) -> Recording.Position {
        guard let crash, position > crash else { return position }
        guard let done = position.reducer else { return crash }
        if case .crashed(_, let reducer?) = recording.ending, done >= reducer {
            let known = Recording.Position(seq: position.seq, reducer: reducer - 1)
            throw DebuggerError(.afterCrash, given: "\(position)", allowed: ["\(last) to \(known)"])
        }
        return position
    }

    /// The changes of a place in the computed steps, in order.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func computedChanges(of path: NodePath) throws(RecordingError) -> [PlaceHistory.Change] {
        guard let computed = timeline.computed else { return [] }
        var old = try timeline.state(at: last)?[path]
        var changes: [PlaceHistory.Change] = []
        for reducer in computed.steps.indices {
            let position = Recording.Position(seq: computed.seq, reducer: reducer + 1)
            let new = computed.state(at: position)?[path]
            if old != new { changes.append(.init(origin: .step(position), path: path, old: old, new: new)) }
            old = new
        }
        return changes
    }

    /// Takes the steps of the action in which the process of the present branch ended: they become positions like
    /// others, with states and changes.
    ///
    /// - Parameter steps: The steps; `nil` if they cannot be computed.
    package func supply(_ steps: ComputedSteps?) {
        timeline.hasComputed = true
        if let steps, last.reducer == 0, steps.seq == last.seq { timeline.computed = steps }
        changedPlaces = nil
    }
}
