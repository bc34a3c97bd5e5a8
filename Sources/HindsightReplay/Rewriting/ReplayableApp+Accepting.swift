public import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording

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
        try rewrite(file, by: RecordingBuilder(of: file.path, at: (output ?? file).path), runningUnfinished)
    }

    /// Writes a recording with the states that today's reducers make of its actions, if it is still the same file.
    ///
    /// - Parameters:
    ///   - file: The recording, which is replaced.
    ///   - fingerprint: The description of the file's `FileFingerprint` from an earlier time.
    ///   - watch: Called with each point before it is reached.
    /// - Throws: The errors of ``accept(_:writingTo:runningUnfinished:)``.
    package func accept(_ file: URL, expecting fingerprint: String, watch: ((ReplayPoint) -> Void)?) throws {
        try rewrite(file, by: RecordingBuilder(of: file.path, at: file.path, expecting: fingerprint), false, watch)
    }

    /// Writes the rewritten recording. One of an earlier schema is migrated first.
    private func rewrite(
        _ file: URL,
        by builder: RecordingBuilder,
        _ runningUnfinished: Bool,
        _ watch: ((ReplayPoint) -> Void)? = nil
    ) throws {
        defer { builder.discard() }
        let recording = try Recording(at: file)
        if recording.app.name == name, recording.app.schema != schema {
            let migrated = try builder.intermediate(of: recording.url.path) { try migrate(recording, into: $0) }
            do {
                try builder.write { try rewrite(migrated, to: $0, runningUnfinished, watch) }
            } catch var error as ReplayError where error.file == migrated.url.path {
                error.file = recording.url.path
                throw error
            }
        } else {
            try builder.write { try rewrite(recording, to: $0, runningUnfinished, watch) }
        }
        try builder.commit(like: recording)
    }

    /// Runs the reducers over a recording, and writes it with the states to which they lead.
    private func rewrite(
        _ recording: Recording,
        to tables: NewTables,
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
        var rows = ReplayedRows(startingAt: try replayer.state(), of: self, since: recording)
        try tables.begin(reducers: reducers, rows.state.json, at: recording.start.seq)
        try tables.copyDropped(of: recording)
        while let action = try replayer.next() { try rows.write(action, from: replayer, to: tables) }
        if last < recording.actionCount {
            try tables.copyActions(last + 1...recording.actionCount, of: recording) { action, _ in action.dispatched }
        }
        try tables.copyNotes(of: recording, after: recording.start.seq) { place in
            // A note after a reducer that is no more is after the whole action.
            Recording.Position(seq: place.seq, reducer: place.reducer.flatMap { $0 > reducers.count ? nil : $0 })
        }
        var facts = try recording.rawFacts()
        let removed = last > recording.lastFinished ? Metadata.Key.crash : []
        for key in [Metadata.Key.unaudited, Metadata.Key.computed] + removed { facts[key] = nil }
        try tables.finish(facts)
    }
}
