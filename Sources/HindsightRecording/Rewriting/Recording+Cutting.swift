import Foundation
import HindsightFormat
import HindsightTree

extension Recording {
    /// Writes a part of the recording into a new file: a recording that begins with the state at a position.
    ///
    /// ```swift
    /// let recording = try Recording(at: session)
    /// try recording.cut(from: recording.position("-5s"), to: recording.end, into: url)
    /// ```
    ///
    /// The actions are numbered from 1. They keep their times, origins, payloads, changes and durations, and the parents
    /// that are in the part. What the recording says of its app, its redaction and its states that were left out stays,
    /// and so do the notes of the part. The part has everything since its beginning, so a limit is not kept. If it goes
    /// to the end of the recording, it ends as the recording did; otherwise it was closed after its last action.
    /// ``cutOrigin`` says where it comes from. Verifying it runs the reducers from its first state.
    ///
    /// **Cost.** A state, and a copy of the actions. Applies their changes, so that no damage is copied. Holds some
    /// hundred actions in memory.
    ///
    /// - Parameters:
    ///   - first: The position of the first state, which must be known. If it is within an action, the part begins
    ///     before that action.
    ///   - last: The last position. If it is within an action, the part has all of that action.
    ///   - output: The new file. It is a text if its name ends in `.jsonl`, a database if it ends in `.hindsight`, and
    ///     else like the recording.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    ///   - progress: Called with the number of each action that was written.
    /// - Returns: Where the part comes from.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange` if a position does not exist, the first state is
    ///   not known or doubtful, the last is doubtful, or the last comes before the first; `live`; `unreadable` if the
    ///   recording must be recovered first; `damaged` if the part is; `exists`, `inUse` or `unwritable`; or what
    ///   `progress` throws.
    @discardableResult
    package func cut(
        from first: Position,
        to last: Position,
        into output: URL,
        overwrite: Bool = false,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> CutOrigin {
        let range = try part(from: first, to: last)
        return try RecordingBuilder.write(from: self, to: output, overwrite: overwrite) { tables in
            let part = try RecordingPart(of: self, range)
            try part.write(to: tables, progress)
            return part.origin
        }
    }

    /// The position of the first state of a part, and its last action, for the positions that a cut takes.
    ///
    /// - Parameter endsInDoubt: Whether the last state may be doubtful.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, as ``cut(from:to:into:overwrite:progress:)``
    ///   does.
    package func part(
        from first: Position,
        to last: Position,
        endsInDoubt: Bool = false
    ) throws(RecordingError) -> ClosedRange<Int> {
        for position in [first, last] { try check(position, knownOnly: false) }
        let begin = first.lastWhole
        try checkCut(from: begin, first)
        guard begin <= last.seq else {
            throw refusal(of: last, "it comes before \(first), where the part begins", ends(from: begin))
        }
        if !endsInDoubt, let states = doubtfulStates(at: Position(seq: last.seq)) {
            throw refusal(of: last, reason(of: states, "end"), ends(from: begin))
        }
        return begin...last.seq
    }

    /// Throws if a part cannot begin at a position.
    ///
    /// - Parameter given: The position that was asked for.
    private func checkCut(from begin: Int, _ given: Position) throws(RecordingError) {
        let position = Position(seq: begin)
        // The recorder marked these states, or left them out.
        let excluded = doubtful.map(\.actions) + skipped
        let valid = Self.texts(of: start.seq...max(start.seq, end.seq), without: excluded)
        if let states = doubtfulStates(at: position) {
            throw refusal(of: given, reason(of: states, "begin"), valid)
        }
        do {
            try check(position)
        } catch {
            var error = error
            if error.code == .positionOutOfRange { error.allowed = valid }
            throw error
        }
    }

    /// The positions at which a part may end.
    private func ends(from begin: Int) -> [String] {
        Self.texts(of: begin...max(begin, actionCount), without: doubtful.map(\.actions))
    }

    private func reason(of states: DoubtfulStates, _ verb: String) -> String {
        let (before, after) = (states.actions.lowerBound - 1, states.actions.upperBound)
        return "the state there is doubtful; a part may \(verb) at \(before) or at \(after)"
    }

    private func refusal(of position: Position, _ reason: String, _ allowed: [String]) -> RecordingError {
        var error = outOfRange("\(position)", reason: reason)
        error.allowed = allowed
        return error
    }

    /// The recording from which this one was cut, with ``cut(from:to:into:overwrite:progress:)``; `nil` if it was not.
    package var cutOrigin: CutOrigin? { bounds.cutOrigin }
}
