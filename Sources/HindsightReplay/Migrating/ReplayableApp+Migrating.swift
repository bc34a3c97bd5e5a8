public import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

extension ReplayableApp {
    /// Writes a recording with the actions that the app's migrations give, the states as this build writes them, and the
    /// app's schema.
    ///
    /// Times, durations, origins, problems and notes stay. The changes of each reducer are those between the migrated
    /// states; no reducer runs. If a migration splits an action, its parts get numbers of their own, and the states
    /// between them are left out. A removed action vanishes; if it had changed the state, it stays as a gap. In states,
    /// values that this build's `init(from:)` converts are converted, missing fields have the values of the initial
    /// state, and fields that this build does not read are left out.
    ///
    /// The output is created completely or not at all, and the recording stays as it is. Costs decoding and encoding
    /// each state, for each reducer that changed it.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app that is neither live nor in need of recovery.
    ///   - output: The new file: a text if its name ends in `.jsonl`, a database if it ends in `.hindsight`, and else
    ///     like the recording.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    ///   - progress: Called with the number of each action that was migrated.
    /// - Returns: The number of actions in the output.
    /// - Throws: ``ReplayError``: `otherApp`, `badMigrations`, `failedMigration`, and `undecodableState` or `renamedField`
    ///   if this build could not read the output; `RecordingError` with the code `undecodableAction` likewise, or if
    ///   the recording cannot be read or the output cannot be written; and the errors of `progress`.
    @discardableResult
    public func migrate(
        _ recording: Recording,
        to output: URL,
        overwrite: Bool = false,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        let form = try MigratedForm(recording, self)
        return try RecordingBuilder.write(from: recording, to: output, overwrite: overwrite) {
            try form.write(to: $0, progress)
        }
    }

    /// Replaces a recording by the one that ``migrate(_:to:overwrite:progress:)`` writes.
    ///
    /// The new file appears at its place at once, by a rename: an error or the end of the process leaves the old one. A
    /// text stays a text. If the recording has this build's form already, the file is left as it is.
    ///
    /// - Parameters:
    ///   - file: The recording. It must stand alone, without files beside it.
    ///   - progress: Called with the number of each action that was migrated.
    /// - Returns: The number of actions in the new file; `nil` if the file is left as it is.
    /// - Throws: The errors of ``migrate(_:to:overwrite:progress:)``; `RecordingError`: `live` if it is being recorded,
    ///   and `unwritable` if files stand beside it or it has changed meanwhile.
    @discardableResult
    public func migrate(inPlace file: URL, progress: (Int) throws -> Void = { _ in }) throws -> Int? {
        // The rename must replace the file, not a link to it.
        let file = file.resolvingSymlinksInPath()
        let builder = try RecordingBuilder(of: file.path, at: file.path)
        defer { builder.discard() }
        let recording = try Recording(at: file)
        let form = try MigratedForm(recording, self)
        let count = try builder.write { try form.write(to: $0, progress) }
        guard recording.app.schema != schema || form.hasChanges else { return nil }
        try builder.commit(like: recording)
        return count
    }

    /// Writes the migrated recording into tables.
    func migrate(_ recording: Recording, into tables: NewTables) throws {
        _ = try MigratedForm(recording, self).write(to: tables)
    }
}

/// Brings actions and states into this build's form, and checks that this build can read them, before the output replaces
/// a file.
private final class MigratedForm {
    private let recording: Recording
    private let app: ReplayableApp
    private let line: MigrationLine
    private var form: RecordedForm
    private var hasStart = false
    /// Whether an action or a state differs from the recorded one.
    private(set) var hasChanges = false

    init(_ recording: Recording, _ app: ReplayableApp) throws {
        (self.recording, self.app) = (recording, app)
        line = MigrationLine(recording, app)
        form = try app.form(of: recording)
    }

    /// - Returns: The number of actions in the output.
    func write(to tables: NewTables, _ progress: (Int) throws -> Void = { _ in }) throws -> Int {
        let rewriter = try RecordingRewriter(
            recording,
            to: tables,
            actions: { try self.actions($0, at: $1) },
            state: { try self.state($0, at: $1) }
        )
        return try rewriter.write(schema: app.schema, progress)
    }

    private func actions(_ recorded: Node, at seq: Int) throws -> [Node] {
        let actions = try recording.migrating(Recording.Position(seq: seq)) { try form.actions(recorded) }
        if actions != [recorded] { hasChanges = true }
        for action in actions {
            do {
                _ = try app.typed.reencoded(action: action)
            } catch {
                throw line.failure(for: error, inAction: action, ofType: action.soleMember?.key ?? "", seq)
            }
        }
        return actions
    }

    private func state(_ recorded: Node, at position: Recording.Position) throws -> Node {
        let migrated = try recording.migrating(position) { try form.migrated(recorded) }
        let state: Node
        do {
            state = try form.rewritten(migrated)
            if !hasStart { try form.findUnread(in: form.readable(migrated), readAs: state) }
        } catch {
            throw line.failure(for: error, inState: migrated, position)
        }
        hasStart = true
        if let suspect = form.suspects.first { throw line.failure(for: suspect, inState: migrated, position) }
        if state != recorded { hasChanges = true }
        return state
    }
}
