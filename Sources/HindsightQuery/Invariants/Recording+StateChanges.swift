import HindsightRecording
import HindsightTree

extension Recording {
    /// Calls `body` with the state at the start and after each action whose state is known, in order, and with the
    /// operations that lead to it from the one before; `nil` if they are not known. Costs a pass over the recorded
    /// changes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, or the error of `body`.
    func forEachState(_ body: (_ state: Node, _ operations: [Patch.Operation]?) throws -> Void) throws {
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
                try body(state ?? .null, operations)
            } else {
                let whole = try self.state(at: position)
                try body(whole, nil)
                state = doubtfulStates(at: position) == nil ? whole : nil
            }
            seq += 1
        }
    }
}
