import HindsightFormat
import HindsightTree

/// Actions of a changed log.
extension RecordedAction {
    /// Creates an action that no recording has.
    package init(inserted payload: Node, ofType type: String, seq: Int, at time: Int64) {
        self.init(Fields(seq: seq, type: type, payload: payload, nanosecondsSinceEpoch: time, durationInNanoseconds: 0))
    }

    /// The same action with another number, parent and time.
    package func renumbered(_ seq: Int, parent: Int?, at time: Int64? = nil) -> RecordedAction {
        var fields = fields
        (fields.seq, fields.parent) = (seq, parent)
        if let time { fields.nanosecondsSinceEpoch = time }
        return RecordedAction(fields)
    }

    /// The action with another payload.
    package func replacing(_ payload: Node, ofType type: String) -> RecordedAction {
        var fields = fields
        (fields.payload, fields.type, fields.problem) = (payload, type, nil)
        return RecordedAction(fields)
    }

    /// The action as a recorder writes it.
    package var dispatched: DispatchedAction {
        DispatchedAction(
            seq: seq,
            parent: parent,
            type: type,
            payload: payload?.json,
            at: nanosecondsSinceEpoch,
            origin: source,
            problem: problem,
            thread: ThreadChange(thread)
        )
    }
}
