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
        for seq in stride(from: start.seq, through: end.seq, by: 1) {
            let position = Position(seq: seq)
            let run = skippedRun(with: seq)
            if let run, seq < run.upperBound {
                state = nil
                continue
            }
            let isDoubtful = doubtfulStates(at: position) != nil
            // A copy in `state` would make each change copy the whole.
            if run == nil, !isDoubtful, var present = state.take() {
                try steps.move(to: seq)
                let operations = try steps.timedPatches().flatMap(\.patch.operations)
                do throws(TreeError) {
                    try Patch(operations).apply(to: &present)
                } catch {
                    throw patchFailure(error, seq: seq, reducer: nil)
                }
                try body(present, operations)
                state = present
            } else {
                let whole = try self.state(at: position)
                try body(whole, nil)
                state = isDoubtful ? nil : whole
            }
        }
    }
}
