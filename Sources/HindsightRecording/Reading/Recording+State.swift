import HindsightFormat
import HindsightTree

extension Recording {
    /// The state at a position, as it was recorded.
    ///
    /// Costs reading the nearest whole state before it and applying what changed since: at most about twice the state.
    ///
    /// States that had not been written when the process ended are not recorded, nor is the state after an action that
    /// never finished, nor are those between its reducers; the last that is recorded is before its first, such as `413.0`.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    public func state(at position: Position) throws -> Node {
        try StateCursor(on: self, at: position).state
    }

    /// The actions after which there is a whole state, in their order.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    package func wholeStates() throws -> [Int] {
        try file.reading {
            let row = try file.connection.prepare("SELECT seq FROM keyframe WHERE seq > ? AND seq <= ? ORDER BY seq")
            try row.bind(start.seq, at: 1)
            try row.bind(bounds.lastKnown, at: 2)
            var seqs: [Int] = []
            while try row.step() {
                let seq = Int(try row.integer(0))
                guard seq > seqs.last ?? 0 else {
                    throw file.damaged("its whole states are not in their order", seq: seq)
                }
                seqs.append(seq)
            }
            return seqs
        }
    }

    /// Refuses a position that the recording does not have, or whose state it does not have.
    func check(_ position: Position, knownOnly: Bool = true) throws {
        guard bounds.hasKeyframe else {
            if bounds.lastAction > 0 { throw file.damaged("it has no whole state") }
            throw RecordingError(.empty, file: file.path, reason: "no store was attached to its recorder")
        }
        let text = position.description
        if position.seq < start.seq || position.seq == start.seq && position.reducer != nil, dropped > 0 {
            throw outOfRange(text, reason: dropReason, knownOnly: knownOnly)
        }
        if let reducer = position.reducer {
            guard position.seq > start.seq && position.seq <= bounds.lastAction else {
                throw outOfRange(text, knownOnly: knownOnly)
            }
            guard reducer >= 0 && reducer <= reducers.count else {
                throw outOfRange(text, reason: "there are \(reducers.count) reducers", knownOnly: knownOnly)
            }
        } else {
            guard position.seq >= start.seq && position.seq <= bounds.lastAction else {
                throw outOfRange(text, knownOnly: knownOnly)
            }
        }
        guard knownOnly else { return }
        guard let absence = absence(at: position) else { return }
        var error = outOfRange(text, reason: reason(of: absence, at: position))
        error.isComputable = absence != .notYet && position <= lastBeforeCrash
        throw error
    }

    private func reason(of absence: Absence, at position: Position) -> String {
        switch absence {
        case .lost where position.seq > lastFinished && position.reducer != 0:
            // Its recording ended while it was being reduced, and its process went on.
            return "action \(position.seq) never finished, \(position.seq).0 is before it"
        case .skipped(let run):
            let actions = run.count == 1 ? "action \(run.lowerBound)" : "actions \(run.lowerBound) to \(run.upperBound)"
            return "the recorder was behind and left out the states of \(actions); replaying computes them"
        case .notYet:
            return "the states after action \(bounds.lastKnown) are being written right now"
        case .lost:
            return "the states after action \(bounds.lastKnown) were not written any more; replaying computes them"
        case .unfinished(let seq, _):
            let last = lastBeforeCrash
            let more = last.seq == seq ? "; replaying computes it up to \(last), where its process ended" : ""
            return "action \(seq) never finished, \(seq).0 is before it\(more)"
        }
    }

    /// - Parameter knownOnly: Whether only positions whose states are recorded would have been accepted.
    func outOfRange(_ text: String, reason: String? = nil, knownOnly: Bool = true) -> RecordingError {
        var error = RecordingError(.positionOutOfRange, file: file.path, reason: reason)
        error.given = text
        error.allowed = (knownOnly ? recordedPositions : [allPositions]) + ["start", "end"]
        if case .crashed(let seq, _) = ending, seq - 1 <= bounds.lastKnown { error.allowed.append("crash") }
        return error
    }

    /// All positions after an action, whether or not their states are recorded.
    var allPositions: String { Self.text(of: start.seq...max(start.seq, bounds.lastAction)) }

    /// The positions whose states are recorded: what lies between the runs of actions whose states were left out.
    package var recordedPositions: [String] {
        var known: [String] = []
        var first = start.seq
        for run in bounds.skipped where run.lowerBound <= end.seq {
            if first < run.lowerBound { known.append(Self.text(of: first...run.lowerBound - 1)) }
            first = run.upperBound
        }
        return first <= end.seq ? known + [Self.text(of: first...end.seq)] : known
    }

    /// The positions whose states are not recorded and are reached without running the reducer in which the recorded process
    /// ended: the app's reducers compute them.
    package var computablePositions: [String] {
        var positions: [String] = []
        for run in bounds.skipped where run.count > 1 && run.upperBound <= end.seq {
            positions.append(Self.text(of: run.lowerBound...run.upperBound - 1))
        }
        let last = lastBeforeCrash
        let lastWhole = last.reducer == nil ? last.seq : last.seq - 1
        if end.seq < lastWhole { positions.append(Self.text(of: end.seq + 1...lastWhole)) }
        if last.reducer != nil { positions.append("\(last)") }
        return positions
    }

    private static func text(of positions: ClosedRange<Int>) -> String {
        positions.count == 1 ? "\(positions.lowerBound)" : "\(positions.lowerBound) to \(positions.upperBound)"
    }
}
