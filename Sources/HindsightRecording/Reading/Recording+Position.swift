import HindsightFormat
import HindsightSQLite

extension Recording {
    /// Parses a position.
    ///
    /// | text | position |
    /// |---|---|
    /// | `42` | after action 42 |
    /// | `42.2` | after its second reducer; `42.0` is before its first |
    /// | `start` | the initial state, or the first one that was not dropped |
    /// | `end` | after the last action whose state is recorded, or, without `knownOnly`, that finished |
    /// | `crash` | in the action that never finished, before its first reducer |
    /// | `50%` | after that share of the actions up to `end` |
    /// | a note's name | the position of the note |
    ///
    /// - Parameters:
    ///   - text: The position as text.
    ///   - knownOnly: Whether to refuse a position whose state is not recorded, such as one in an action that never
    ///     finished. Such a state can only be computed.
    /// - Throws: A `RecordingError` with the code `badPosition`, `positionOutOfRange`, `damaged` or `unreadable`.
    public func position(_ text: String, knownOnly: Bool = true) throws(RecordingError) -> Position {
        let end = knownOnly ? end : Position(seq: lastFinished)
        var position = try named(text, end) ?? Position(text) ?? share(text, end)
        if position == nil { position = try noted(text) }
        guard let position else {
            // A number that is too large is out of range. Other text is not a position.
            let isNumber = !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            throw isNumber ? outOfRange(text, knownOnly: knownOnly) : bad(text)
        }
        try check(position, knownOnly: knownOnly)
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
        try file.reading {
            let row = try file.connection.prepare("SELECT seq, reducer FROM note WHERE name = ?")
            try row.bind(text, at: 1)
            guard try row.step() else { return nil }
            return Position(seq: Int(try row.integer(0)), reducer: try row.optionalInteger(1).map { Int($0) })
        }
    }

    private func bad(_ text: String) -> RecordingError {
        var error = RecordingError(.badPosition, file: file.path)
        error.given = text
        error.allowed = [
            "an action's number (\(allPositions))", "42.2 for after its second reducer", "start", "end", "50%",
        ]
        if case .crashed = ending { error.allowed.append("crash") }
        return error
    }
}
