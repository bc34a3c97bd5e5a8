import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ReplayableApp {
    /// Writes a recording with the states that today's reducers make of its actions.
    ///
    /// The run is chained: each action runs on the state that the one before it has left. The new file keeps the
    /// actions, their times, parents and origins, the notes and what the recording says about itself. Its states, its
    /// whole states and the names of its reducers are new. At an action that could not be recorded, and at a time
    /// travel, the recorded state stays. A recording of an earlier schema is migrated first, and values that this build's
    /// `init(from:)` converts are converted. A text (`.jsonl`) stays a text, and an output with that suffix becomes one.
    ///
    /// ```swift
    /// try myApp.accept(URL(filePath: "Recordings/crash.hindsight"))
    /// ```
    ///
    /// The file appears at its place at once, by a rename: an error or the end of the process leaves the old one. If
    /// the file changes while the reducers run, nothing is replaced.
    ///
    /// **Cost.** That of replaying, and of copying the file.
    ///
    /// - Parameters:
    ///   - file: The recording. It must stand alone, without files beside it.
    ///   - output: The file to write or replace; `nil` to replace `file` itself.
    ///   - runningUnfinished: Whether to run the action in which the recorded process ended, too, and to keep its state
    ///     as that of any other action. If its reducers still trap, this process ends.
    /// - Throws: The errors of ``Replayer``; `RecordingError`: `live` if it is being recorded, `unwritable` if files
    ///   stand beside it, if it has changed meanwhile, or if the output cannot be written.
    public func accept(_ file: URL, writingTo output: URL? = nil, runningUnfinished: Bool = false) throws {
        let replacement = try FileReplacement(of: file.path, at: (output ?? file).path)
        defer { replacement.discard() }
        let asText = output.map { $0.pathExtension == "jsonl" }
        try rewrite(try Recording(at: file), by: replacement, asText: asText, runningUnfinished)
    }

    /// Writes a recording with the states that today's reducers make of its actions, if it is still the same file.
    ///
    /// - Parameters:
    ///   - file: The recording, which is replaced.
    ///   - fingerprint: The description of the file's `FileFingerprint` from an earlier time.
    ///   - watch: Called with each point before it is reached.
    /// - Throws: The errors of ``accept(_:writingTo:runningUnfinished:)``.
    package func accept(_ file: URL, expecting fingerprint: String, watch: ((ReplayPoint) -> Void)?) throws {
        let replacement = try FileReplacement(of: file.path, at: file.path, expecting: fingerprint)
        defer { replacement.discard() }
        try rewrite(try Recording(at: file), by: replacement, asText: nil, false, watch)
    }

    /// Replaces a file by the rewritten recording.
    ///
    /// - Parameter asText: Whether the output is a text; `nil` if it is like the recording.
    private func rewrite(
        _ recording: Recording,
        by replacement: FileReplacement,
        asText: Bool?,
        _ runningUnfinished: Bool,
        _ watch: ((ReplayPoint) -> Void)? = nil
    ) throws {
        if recording.app.name == name, recording.app.schema != schema {
            try rewriteMigrated(recording, in: replacement, runningUnfinished, watch)
        } else {
            try rewrite(recording, in: replacement, runningUnfinished, watch)
        }
        try replacement.commit(asText: asText ?? recording.isText)
    }

    /// Migrates a recording, and replaces the states of the result. The reducers read the result in a second
    /// copy, at the place for the text.
    private func rewriteMigrated(
        _ recording: Recording,
        in replacement: FileReplacement,
        _ runningUnfinished: Bool,
        _ watch: ((ReplayPoint) -> Void)?
    ) throws {
        let source = URL(fileURLWithPath: replacement.textPath)
        try migrate(recording, in: replacement)
        do {
            try FileManager.default.copyItem(atPath: replacement.temporaryPath, toPath: source.path)
            try rewrite(try Recording(at: source), in: replacement, runningUnfinished, watch)
        } catch var error as RecordingError where error.file == source.path {
            error.file = recording.url.path
            throw error
        } catch var error as ReplayError where error.file == source.path {
            error.file = recording.url.path
            throw error
        }
    }

    /// Runs the reducers over a recording, and replaces the states of a copy of it.
    private func rewrite(
        _ recording: Recording,
        in replacement: FileReplacement,
        _ runningUnfinished: Bool,
        _ watch: ((ReplayPoint) -> Void)?
    ) throws {
        let last = runningUnfinished ? recording.actionCount : recording.lastFinished
        let replayer = try Replayer(
            of: recording,
            by: self,
            from: recording.start,
            to: Recording.Position(seq: last),
            readingSteps: true
        )
        replayer.watch = watch
        var rows = ReplayedRows(startingAt: try replayer.state(), of: self)
        let writer = try StateRewriter(
            path: replacement.temporaryPath,
            for: replacement.destination,
            reducers: reducers,
            state: rows.state.json,
            at: recording.start.seq
        )
        while let action = try replayer.next() {
            let steps = try rows.steps(of: action, from: replayer)
            try writer.replace(steps, of: action.recorded.seq, leadingTo: rows.state)
        }
        try writer.finish(removing: last > recording.lastFinished ? Metadata.Key.crash : [])
    }
}
