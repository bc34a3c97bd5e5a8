import HindsightRecorder
import HindsightRecording
import HindsightTree

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ReplayableApp {
    /// Writes a recording with the actions and states that the app's migrations give, and the app's schema.
    ///
    /// Times, durations, origins, problems and notes stay. The changes of each reducer are those between the migrated
    /// states; no reducer runs. If a migration splits an action, its parts get numbers of their own, and the states
    /// between them are left out. A removed action vanishes; if it had changed the state, it stays as a gap.
    ///
    /// The output is created completely or not at all, and the recording stays as it is. Costs each state, for each
    /// reducer that changed it.
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
        let file = recording.url.path
        guard recording.app.name == name else { throw ReplayError.otherApp(recording: recording, app: name) }
        let chain: MigrationChain
        do {
            chain = try MigrationChain(migrations, from: recording.app.schema, to: schema)
        } catch {
            throw ReplayError(.badMigrations, file: file, cause: error)
        }
        func naming<Result>(_ position: Recording.Position, _ body: () throws(MigrationError) -> Result) throws
            -> Result
        {
            do {
                return try body()
            } catch {
                var error = error
                error.seq = position.seq
                throw ReplayError(.failedMigration, file: file, position: position, cause: error)
            }
        }
        var check = MigratedForm(recording, self, try RecordedForm(of: recording, by: self, redactor: nil))
        let rewriter = RecordingRewriter(
            recording,
            actions: { payload, seq in
                let actions = try naming(Recording.Position(seq: seq)) { () throws(MigrationError) in
                    try chain.actions(payload)
                }
                try check.checkActions(actions, at: seq)
                return actions
            },
            state: { state, position in
                let state = try naming(position) { () throws(MigrationError) in try chain.state(state) }
                try check.checkState(state, at: position)
                return state
            }
        )
        return try rewriter.write(to: output, schema: schema, overwrite: overwrite, progress: progress)
    }
}

/// Checks that this build can read what a migration writes, before the output replaces a file.
private struct MigratedForm {
    private let recording: Recording
    private let app: ReplayableApp
    private var form: RecordedForm
    private let line: MigrationLine
    private var hasStart = false

    init(_ recording: Recording, _ app: ReplayableApp, _ form: RecordedForm) {
        (self.recording, self.app, self.form) = (recording, app, form)
        line = MigrationLine(recording, app)
    }

    func checkActions(_ actions: [Node], at seq: Int) throws {
        for action in actions {
            do {
                _ = try app.reencoded(action: action)
            } catch {
                throw line.failure(for: error, inAction: action, ofType: action.soleMember?.key ?? "", seq)
            }
        }
    }

    /// States between reducers are like those after them.
    mutating func checkState(_ state: Node, at position: Recording.Position) throws {
        guard position.reducer == nil || !hasStart else { return }
        do {
            let state = try form.readable(state)
            if !hasStart { try form.findUnread(in: state, readAs: try app.reencoded(state, nil)) }
        } catch {
            throw line.failure(for: error, inState: state, position)
        }
        hasStart = true
        if let suspect = form.suspects.first { throw line.failure(for: suspect, position) }
    }
}
