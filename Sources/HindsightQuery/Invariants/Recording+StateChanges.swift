import HindsightRecording
import HindsightTree

extension Recording {
    /// How a state differs from the one before it.
    enum StateChange {
        /// It is not known how.
        case whole
        /// These operations lead to it, one after the other.
        case operations([Patch.Operation])
    }

    /// Calls `body` with the state at the start and after each action whose state is known, in order, and with what
    /// led to it. Costs a pass over the recorded changes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, or the error of `body`.
    func forEachState(_ body: (_ position: Position, _ state: Node, _ change: StateChange) throws -> Void) throws {
        guard hasStates else { return }
        let steps = try ActionCursor(of: self, reading: [.steps])
        defer { steps.release() }
        var state: Node?
        var seq = start.seq
        while seq <= end.seq {
            let position = Position(seq: seq)
            if let run = skippedRun(with: seq), seq < run.upperBound {
                state = nil
                seq = run.upperBound
                continue
            }
            let isLed = state != nil && skippedRun(with: seq) == nil && doubtfulStates(at: position) == nil
            if isLed, seq > start.seq {
                try steps.move(to: seq)
                let operations = try steps.timedPatches().flatMap(\.patch.operations)
                do throws(TreeError) {
                    // The copy in `state` would make each change copy the whole.
                    var present = state ?? .null
                    state = nil
                    try Patch(operations).apply(to: &present)
                    state = present
                } catch {
                    throw patchFailure(error, seq: seq, reducer: nil)
                }
                try body(position, state ?? .null, .operations(operations))
            } else {
                let whole = try self.state(at: position)
                try body(position, whole, .whole)
                state = doubtfulStates(at: position) == nil ? whole : nil
            }
            seq += 1
        }
    }
}
