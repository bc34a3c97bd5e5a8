import HindsightFormat
import HindsightTree

extension Recording {
    /// Returns the recorded state at a position.
    ///
    /// Costs reading the nearest keyframe before it and applying the changes since: at most about twice the state.
    ///
    /// States that were not written when the process ended are not recorded. Of an action that never finished, neither
    /// the state after it nor those between its reducers are recorded; the last recorded one is before its first
    /// reducer, such as `413.0`.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    public func state(at position: Position) throws(RecordingError) -> Node {
        try StateCursor(on: self, at: position).state
    }

    /// The keyframe after an action, parsed and as text; `nil` if there is none.
    package func keyframe(after seq: Int) throws(RecordingError) -> (state: Node, text: String)? {
        try file.reading(seq: seq) {
            let row = try file.connection.prepare("SELECT seq, state FROM keyframe WHERE seq = \(seq)")
            guard try row.step() else { return nil }
            return (try file.wholeState(row, 1, seq: seq), try row.text(1))
        }
    }

    /// Returns the actions that a keyframe follows, in order.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func wholeStates() throws(RecordingError) -> [Int] {
        try file.reading {
            let row = try file.connection.prepare("SELECT seq FROM keyframe WHERE seq > ? AND seq <= ? ORDER BY seq")
            try row.bind(start.seq, at: 1)
            try row.bind(bounds.lastKnown, at: 2)
            var seqs: [Int] = []
            while try row.step() {
                let seq = Int(try row.integer(0))
                guard seq > seqs.last ?? 0 else {
                    throw file.damaged("its keyframes are not in their order", seq: seq)
                }
                seqs.append(seq)
            }
            return seqs
        }
    }
}
