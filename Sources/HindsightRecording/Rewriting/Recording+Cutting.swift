import HindsightFormat
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// **Cost.** A state, and a copy of the actions. Holds some hundred actions in memory.
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
    ///   recording must be recovered first; `exists`, `inUse`, `unwritable` or `damaged`; or what `progress` throws.
    @discardableResult
    public func cut(
        from first: Position,
        to last: Position,
        into output: URL,
        overwrite: Bool = false,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> CutOrigin {
        let part = try part(from: first, to: last)
        return try NewRecording.write(of: self, to: output, overwrite: overwrite) { path in
            try CutRun(of: self, from: part.lowerBound, to: part.upperBound, into: path).run(progress)
        }
    }

    /// The recording from which this one was cut, with ``cut(from:to:into:overwrite:progress:)``; `nil` if it was not.
    public var cutOrigin: CutOrigin? { bounds.cutOrigin }
}
