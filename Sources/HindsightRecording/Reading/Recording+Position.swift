import HindsightFormat
import HindsightSQLite

extension Recording {
    /// Parses a position.
    ///
    /// | text | position |
    /// |---|---|
    /// | `42` | after action 42 |
    /// | `42.2` | after its second reducer, or after all of it if it is time travel; `42.0` is before its first |
    /// | `start` | the initial state, or the first one that was not dropped |
    /// | `end` | after the last action whose state is recorded, or, without `knownOnly`, that finished |
    /// | `crash` | in the action that never finished, before its first reducer |
    /// | `50%` | after that share of the actions up to `end` |
    /// | `14:03:22`, `2026-11-20T14:03:22.5` | after the last action dispatched at or before that time |
    /// | `14:03:22Z`, `… UTC`, `…+01:00` | the same in a time zone; without one, it is local time |
    /// | `+00:12.5`, `+12.5s` | the same, that long after the recorder was created, as `log` shows it |
    /// | `-5s`, `-250ms`, `-2m` | the same, that long before the end of the recording |
    /// | a note's name or text | the position of the note |
    ///
    /// A time without a fraction covers its whole second: its position is after the last action dispatched before the
    /// next second. Other times cover a whole millisecond, unless they have more digits. The recording ends when it is
    /// closed, as ``closed`` says; if it was not closed, with its last action. A time that the recording had more than once,
    /// because it spans midnight, or because clocks were set back, is an error that lists the choices. A time costs a
    /// binary search; if the clock was set back meanwhile, a pass over the times of all actions.
    ///
    /// - Parameters:
    ///   - text: The position as text.
    ///   - knownOnly: Whether to refuse a position whose state is not recorded, such as one in an action that never
    ///     finished. Such a state can only be computed.
    /// - Throws: A `RecordingError` with the code `badPosition`, `positionOutOfRange`, `ambiguousPosition`, `damaged` or
    ///   `unreadable`.
    public func position(_ text: String, knownOnly: Bool = true) throws(RecordingError) -> Position {
        try position(text, knownOnly: knownOnly, isFirst: false)
    }

    /// Parses the ends of a range of positions, as ``position(_:knownOnly:)`` does; `nil` for one that is not given.
    ///
    /// A time is all positions that were reached at it: `from` is the first of them, and `to` is the last. If there are
    /// none, `from` is the next position, or the last one if there is no next one.
    ///
    /// - Throws: The errors of ``position(_:knownOnly:)``.
    package func positions(
        from first: String?,
        to last: String?,
        knownOnly: Bool = true
    ) throws(RecordingError) -> (first: Position?, last: Position?) {
        var ends: (first: Position?, last: Position?)
        if let first { ends.first = try position(first, knownOnly: knownOnly, isFirst: true) }
        if let last { ends.last = try position(last, knownOnly: knownOnly, isFirst: false) }
        return ends
    }

    private func position(_ text: String, knownOnly: Bool, isFirst: Bool) throws(RecordingError) -> Position {
        let end = knownOnly ? end : Position(seq: lastFinished)
        var position = try named(text, end) ?? Position(text) ?? share(text, end)
        if position == nil { position = try self.position(atMoment: text, isFirst: isFirst) }
        if position == nil { position = try noted(text) }
        guard let position else {
            // A number that is too large is out of range. Other text is not a position.
            let isNumber = !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            throw isNumber ? outOfRange(text, knownOnly: knownOnly) : try bad(text)
        }
        try check(position, knownOnly: knownOnly)
        // Time travel has one step, after which all of it has run.
        if position.reducer ?? 0 > 0, try action(position.seq).isTravel { return Position(seq: position.seq) }
        return position
    }

    private func named(_ text: String, _ end: Position) throws(RecordingError) -> Position? {
        switch text {
        case "start": return start
        case "end": return end
        case "crash":
            guard case .crashed(let seq, _) = ending else { throw outOfRange(text, reason: "it did not crash") }
            return Position(seq: seq, reducer: 0)
        default: return nil
        }
    }

    private func share(_ text: String, _ end: Position) -> Position? {
        guard text.utf8.last == UInt8(ascii: "%"), let percent = Double(text.dropLast()), 0...100 ~= percent,
            text.utf8.dropLast().allSatisfy({ "0123456789.".utf8.contains($0) })
        else { return nil }
        let length = Double(end.seq - start.seq)
        return Position(seq: start.seq + Int((length * percent / 100).rounded()))
    }

    private func noted(_ text: String) throws(RecordingError) -> Position? {
        let positions = try positions(ofNote: text)
        guard positions.count > 1 else { return positions.first }
        let reason = "\(positions.count) notes have this text"
        let allowed = positions.map(\.description)
        throw RecordingError(.ambiguousPosition, file: file.path, given: text, allowed: allowed, reason: reason)
    }

    private func bad(_ text: String) throws(RecordingError) -> RecordingError {
        var error = RecordingError(.badPosition, file: file.path, given: text)
        error.allowed = [
            "an action's number (\(allPositions))", "42.2 for after its second reducer", "start", "end", "50%",
            "14:03:22", "+00:12.5", "-5s",
        ]
        if case .crashed = ending { error.allowed.append("crash") }
        error.allowed += try notes().compactMap(\.name).prefix(3)
        return error
    }

    /// Whether nothing was recorded: the process ended before a store was attached to its recorder.
    package var isEmpty: Bool { !bounds.hasKeyframe && bounds.lastAction == 0 }

    /// Throws if the recording does not have a position or its state.
    func check(_ position: Position, knownOnly: Bool = true) throws(RecordingError) {
        if isEmpty { throw RecordingError(.empty, file: file.path, reason: "no store was attached to its recorder") }
        guard bounds.hasKeyframe else { throw file.damaged("it has no keyframe") }
        let text = position.description
        if position.seq < start.seq || position.seq == start.seq && position.reducer != nil, droppedCount > 0 {
            throw outOfRange(text, reason: dropReason, knownOnly: knownOnly)
        }
        // No reducer ran before the initial state.
        let hasBegun = position.reducer == nil ? position.seq >= start.seq : position.seq > start.seq
        guard hasBegun && position.seq <= bounds.lastAction else {
            throw outOfRange(text, knownOnly: knownOnly)
        }
        if let reducer = position.reducer, reducer < 0 || reducer > reducers.count {
            throw outOfRange(text, reason: "there are \(reducers.count) reducers", knownOnly: knownOnly)
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
            return "the recorder was behind and left out the states of \(run.asActions)" + computing("them")
        case .notYet:
            return "the states after action \(bounds.lastKnown) are being written right now"
        case .lost:
            return "the states after action \(bounds.lastKnown) were not written any more" + computing("them")
        case .unfinished(let seq, _):
            let last = lastBeforeCrash
            let more = last.seq == seq ? computing("it up to \(last), where its process ended") : ""
            return "action \(seq) never finished, \(seq).0 is before it\(more)"
        }
    }

    /// - Parameter knownOnly: Whether only positions with recorded states would have been accepted.
    func outOfRange(_ text: String, reason: String? = nil, knownOnly: Bool = true) -> RecordingError {
        var error = RecordingError(.positionOutOfRange, file: file.path, given: text, reason: reason)
        error.allowed = (knownOnly ? recordedPositions : [allPositions]) + ["start", "end"]
        if case .crashed(let seq, _) = ending, seq - 1 <= bounds.lastKnown { error.allowed.append("crash") }
        return error
    }

    /// All positions after an action, with and without recorded states.
    var allPositions: String { Self.text(of: start.seq...max(start.seq, bounds.lastAction)) }

    /// The positions with recorded states: those outside of runs without states.
    package var recordedPositions: [String] { Self.texts(of: start.seq...end.seq, without: skipped) }

    /// The positions without recorded states that replay reaches without running the reducer in which the process
    /// ended. The app's reducers compute these states.
    package var computablePositions: [String] {
        var positions: [String] = []
        for run in bounds.skipped where run.count > 1 && run.upperBound <= end.seq {
            positions.append(Self.text(of: run.lowerBound...run.upperBound - 1))
        }
        let last = lastBeforeCrash
        if end.seq < last.lastWhole { positions.append(Self.text(of: end.seq + 1...last.lastWhole)) }
        if last.reducer != nil { positions.append("\(last)") }
        return positions
    }

    /// The positions in a range, without those after the actions of other ranges, except after the last of each.
    static func texts(of positions: ClosedRange<Int>, without excluded: [ClosedRange<Int>]) -> [String] {
        var texts: [String] = []
        var first = positions.lowerBound
        func add(upTo last: Int) { if first <= last { texts.append(text(of: first...last)) } }
        for range in excluded.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > first {
            add(upTo: min(range.lowerBound - 1, positions.upperBound))
            first = range.upperBound
        }
        add(upTo: positions.upperBound)
        return texts
    }

    private static func text(of positions: ClosedRange<Int>) -> String {
        positions.count == 1 ? "\(positions.lowerBound)" : "\(positions.lowerBound) to \(positions.upperBound)"
    }
}
