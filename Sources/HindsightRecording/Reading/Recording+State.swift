import HindsightFormat
import HindsightTree

extension Recording {
    /// Returns the recorded state at a position.
    ///
    /// Costs reading the nearest whole state before it and applying the changes since: at most about twice the state.
    ///
    /// States that were not written when the process ended are not recorded. Of an action that never finished, neither
    /// the state after it nor those between its reducers are recorded; the last recorded one is before its first
    /// reducer, such as `413.0`.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    public func state(at position: Position) throws(RecordingError) -> Node {
        try StateCursor(on: self, at: position).state
    }

    /// Returns the actions that a whole state follows, in order.
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
                    throw file.damaged("its whole states are not in their order", seq: seq)
                }
                seqs.append(seq)
            }
            return seqs
        }
    }

    /// Throws if the recording does not have a position or its state.
    func check(_ position: Position, knownOnly: Bool = true) throws(RecordingError) {
        guard bounds.hasKeyframe else {
            if bounds.lastAction > 0 { throw file.damaged("it has no whole state") }
            throw RecordingError(.empty, file: file.path, reason: "no store was attached to its recorder")
        }
        let text = position.description
        if position.seq < start.seq || position.seq == start.seq && position.reducer != nil, droppedCount > 0 {
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
            // The recorder stopped while the action was being reduced, and the process continued.
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

    /// - Parameter knownOnly: Whether only positions with recorded states would have been accepted.
    func outOfRange(_ text: String, reason: String? = nil, knownOnly: Bool = true) -> RecordingError {
        var error = RecordingError(.positionOutOfRange, file: file.path, reason: reason)
        error.given = text
        error.allowed = (knownOnly ? recordedPositions : [allPositions]) + ["start", "end"]
        if case .crashed(let seq, _) = ending, seq - 1 <= bounds.lastKnown { error.allowed.append("crash") }
        return error
    }

    /// All positions after an action, with and without recorded states.
    var allPositions: String { Self.text(of: start.seq...max(start.seq, bounds.lastAction)) }

    /// The positions with recorded states: those outside of runs without states.
    package var recordedPositions: [String] {
        var known: [String] = []
        var first = start.seq
        for run in bounds.skipped where run.lowerBound <= end.seq {
            if first < run.lowerBound { known.append(Self.text(of: first...run.lowerBound - 1)) }
            first = run.upperBound
        }
        return first <= end.seq ? known + [Self.text(of: first...end.seq)] : known
    }

    /// The positions without recorded states that replay reaches without running the reducer in which the process
    /// ended. The app's reducers compute these states.
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
