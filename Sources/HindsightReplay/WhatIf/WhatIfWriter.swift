package import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording

/// Writes the actions of a changed log, and the states after them, as a recording of its own.
///
/// Up to the first change it is a copy of the recording. The actions after it have consecutive numbers, and their parents
/// and the notes have the new ones: a child of a skipped action becomes a child of that action's parent, and a note at a
/// skipped action stands after the action before it. An inserted or moved action has the time of the action before it.
/// ``Recording/parent`` names the recording and the edits.
///
/// ```swift
/// let whatIf = try WhatIf(of: recording, by: app, running: log)
/// let writer = try WhatIfWriter(of: whatIf, to: output)
/// defer { writer.discard() }
/// while let action = try whatIf.next() { try writer.write(action) }
/// try writer.finish()
/// ```
package final class WhatIfWriter {
    private let whatIf: WhatIf
    private let builder: RecordingBuilder
    private var rows: ReplayedRows
    private var last: RecordedAction?

    private typealias Key = Metadata.Key

    /// Prepares the output, which appears at its place with ``finish()``.
    ///
    /// - Parameters:
    ///   - whatIf: A what-if that has not run yet.
    ///   - output: The new file: a text if its name ends in `.jsonl`, a database if it ends in `.hindsight`, and else
    ///     like the recording.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Throws: `RecordingError`: `exists`, `inUse`, `live` if the recording is being recorded, or `unwritable` if files
    ///   stand beside it, if its reducers are not this build's, or if the output cannot be written; ``ReplayError`` with
    ///   the code `earlierForm` if its schema is not this build's.
    package init(of whatIf: WhatIf, to output: URL, overwrite: Bool = false) throws {
        let (recording, replayer) = (whatIf.recording, whatIf.replayer)
        let source = recording.url.path
        try NewFile.check(output.path, overwrite: overwrite, from: source)
        try replayer.requireCurrentForm()
        let changes = ReducerChanges(of: replayer.app, since: recording)
        guard changes.steps.isEmpty else {
            throw RecordingError(
                .unwritable,
                file: source,
                reason:
                    "its actions have the steps \(changes.steps.joined(separator: ", ")), and this build runs them whole",
                remedy: "Describe the app by a Reducer that is combined of one named reduce and one for each step."
            )
        }
        guard changes.hasSameSteps else {
            throw RecordingError(
                .unwritable,
                file: source,
                reason: "the states before the first change are those of other reducers than this build's",
                remedy:
                    "Accept its differences with `review` first. If it has none, `app.accept(file)` or HINDSIGHT_RECORD=all "
                    + "in a test rewrites it."
            )
        }
        self.whatIf = whatIf
        rows = ReplayedRows(startingAt: try replayer.state(), of: replayer.app, since: recording)
        builder = try RecordingBuilder(of: source, at: output.path)
        do {
            try builder.write(copyBeginning)
        } catch {
            builder.discard()
            throw error
        }
    }

    /// Copies the recording up to the start of the replay.
    private func copyBeginning(to tables: NewTables) throws {
        let (recording, log, last) = (whatIf.recording, whatIf.log, whatIf.replayer.start.seq)
        let first = recording.start.seq
        try tables.begin(reducers: recording.reducers, recording.keyframe(after: first)?.text, at: first)
        try tables.copyDropped(of: recording)
        if first < last {
            try tables.copyActions(first + 1...last, of: recording) { action, _ in
                var row = action.dispatched
                if let parent = row.parent, parent > last { row.parent = log.number(of: parent) }
                return row
            }
        }
        try tables.copyRuns(of: recording) { $0.upperBound <= last ? $0 : nil }
    }

    /// Writes an action that ran, and the state after it.
    ///
    /// - Parameter action: The last result of ``WhatIf/next()``, or of ``WhatIf/runUnfinished(_:)``.
    /// - Throws: `RecordingError` with the code `unwritable`.
    package func write(_ action: ReplayedAction) throws {
        try builder.write { try rows.write(action, from: whatIf.replayer, to: $0) }
        last = action.recorded
    }

    /// Completes the output.
    ///
    /// If the action in which the recorded process ended was not run, it stays the last one, without a state, and the
    /// output ends as the recording did. Otherwise the output is closed.
    ///
    /// - Parameter end: The last action and the reducer in which the output is to end, in the numbers of the changed log,
    ///   if that action crashes today and so was not run.
    /// - Throws: `RecordingError` with the code `unwritable`.
    package func finish(crashingIn end: Recording.Position? = nil) throws {
        let (recording, log, replayer) = (whatIf.recording, whatIf.log, whatIf.replayer)
        let parent = RecordingParent(
            file: recording.url.lastPathComponent,
            created: recording.createdNanoseconds,
            actionCount: recording.actionCount,
            kept: log.kept,
            edits: log.edits.map(\.description)
        )
        var facts = try recording.rawFacts()
        facts[Key.parent] = .text(try parent.json)
        facts[Key.id] = .text(Metadata.makeID())
        var removed = [Key.lost, Key.unaudited, Key.computed]
        var recordedEnd: Recording.Position?
        if case .crashed(let seq, let reducer) = recording.ending, let number = log.number(of: seq),
            number > replayer.position.seq
        {
            recordedEnd = Recording.Position(seq: number, reducer: reducer)
            // It names actions by their numbers.
            if number != seq { removed.append(Key.during) }
        }
        if let end = end ?? recordedEnd {
            let action = try replayer.actions.entry(end.seq).action
            try builder.write { try $0.insert(action.dispatched, duration: nil) }
            if end != recordedEnd {
                for key in Key.crash + [Key.closed, Key.stopped, Key.during] { facts[key] = nil }
                // It stands alone: nothing is to be merged.
                facts[Key.recovered] = .number(0)
            }
            facts[Key.died] = .text(end.description)
        } else {
            removed += Key.crash + [Key.stopped, Key.lacksJournal, Key.recovered]
            let end = last?.nanosecondsSinceEpoch ?? recording.createdNanoseconds
            facts[Key.closed] = .number(recording.closedNanoseconds ?? end)
        }
        for key in removed { facts[key] = nil }
        try builder.write { tables in
            try tables.copyNotes(of: recording, after: recording.start.seq) { place in
                if place.seq <= replayer.start.seq { return place }
                guard let number = log.number(of: place.seq) else {
                    return Recording.Position(seq: log.number(after: place.seq))
                }
                return Recording.Position(seq: number, reducer: place.reducer)
            }
            try tables.finish(facts)
        }
        try builder.commit(like: recording)
    }

    /// Removes what is left of an output that was not completed.
    package func discard() { builder.discard() }
}

extension ReplayableApp {
    /// Runs a changed log of a recording, compares its states with the recorded ones, and writes it.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - log: A changed log of it, of ``changedLog(of:_:)``.
    ///   - output: The recording to write, as ``WhatIfWriter`` describes it; `nil` for none.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Throws: The errors of ``WhatIf`` and ``WhatIfWriter``.
    @discardableResult
    package func whatIf(
        _ recording: Recording,
        running log: ChangedLog,
        writingTo output: URL? = nil,
        overwrite: Bool = false
    ) throws -> WhatIfResult {
        let whatIf = try WhatIf(of: recording, by: self, running: log)
        guard let output else { return try whatIf.finish() }
        let writer = try WhatIfWriter(of: whatIf, to: output, overwrite: overwrite)
        defer { writer.discard() }
        while let action = try whatIf.next() { try writer.write(action) }
        try writer.finish()
        return try whatIf.result()
    }
}
