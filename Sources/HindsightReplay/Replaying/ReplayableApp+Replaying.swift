import HindsightRecorder
import HindsightRecording
import HindsightTree

extension ReplayableApp {
    /// Prepares to bring the nodes of a recording of this app into today's form.
    ///
    /// - Throws: ``ReplayError``: `otherApp`, `describedStates` and `badMigrations`; `PatternError`.
    func form(of recording: Recording) throws -> RecordedForm {
        guard recording.app.name == name else { throw ReplayError.otherApp(recording: recording, app: name) }
        try recording.requireReplayable()
        do {
            return try RecordedForm(of: recording, by: self)
        } catch let error as MigrationError {
            throw ReplayError(.badMigrations, file: recording.url.path, cause: error)
        }
    }

    /// Changes the actions of a recording.
    ///
    /// The actions that are edited or inserted are checked, and written as the recorder of this app would write them.
    /// What the recording hides in actions is hidden in these too, so that it reaches no file; the reducers then run on
    /// its placeholders, as on those of recorded actions.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - edits: The changes. Positions are those of the recording.
    /// - Throws: ``ReplayError`` with the code `badAction` if an action does not decode; ``ChangedLogError`` if an edit
    ///   names no action, or two contradict each other.
    package func changedLog(of recording: Recording, _ edits: [ChangedLog.Edit]) throws -> ChangedLog {
        let redactor = try recording.redaction.actionRedactor()
        let written = try edits.map { (edit) -> ChangedLog.Edit in
            switch edit {
            case .edit(let seq, let action): return try .edit(seq, to: canonical(action, hiding: redactor))
            case .insert(let action, let moment): return try .insert(canonical(action, hiding: redactor), after: moment)
            case .skip, .skipAll, .move: return edit
            }
        }
        return try ChangedLog(of: recording, written)
    }

    /// Checks that a node decodes as an action of the app, such as `{"toggle":{"id":3}}`.
    ///
    /// - Throws: ``ReplayError`` with the code `badAction`, which names the type and the field.
    package func checkAction(_ action: Node) throws(ReplayError) { _ = try canonical(action, hiding: nil) }

    /// An action as a recorder would write it.
    private func canonical(_ action: Node, hiding redactor: Redactor?) throws(ReplayError) -> Node {
        do {
            return try typed.described(action, hiding: redactor).node
        } catch {
            throw ReplayError.badAction(action, names: names, cause: error)
        }
    }

    /// The type of an action that was not recorded, as a recorder would name it.
    ///
    /// - Parameter recorded: The type of the action in whose place it is.
    func typeName(of action: Node, inPlaceOf recorded: String?) -> String {
        // Running an action that does not decode fails with the error.
        (try? typed.described(action, hiding: nil).type) ?? recorded ?? action.soleMember?.key ?? ""
    }
}

extension TypedApp {
    /// An action as a recorder would write it, and its type.
    func described(_ action: Node, hiding redactor: Redactor?) throws -> (node: Node, type: String) {
        try actions.described(action, hiding: redactor)
    }
}
