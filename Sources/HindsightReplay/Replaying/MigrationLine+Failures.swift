import HindsightFormat
import HindsightRecording
import HindsightTree

/// The errors that name the line.
extension MigrationLine {
    /// The error for a state that does not decode.
    func failure(for cause: any Error, inState state: Node, _ position: Recording.Position) -> ReplayError {
        var failure = ReplayError(.undecodableState, file: file, position: position, cause: cause)
        failure.migration = remedy(for: cause, in: state)
        return failure
    }

    /// The error for a field that seems to be renamed or moved.
    ///
    /// - Parameter state: The recorded state in the app's schema.
    func failure(
        for suspect: RecordedForm.Suspect,
        inState state: Node,
        _ position: Recording.Position
    ) -> ReplayError {
        var failure = ReplayError(.renamedField, file: file, position: position)
        failure.path = suspect.unread
        failure.missingPath = suspect.target
        failure.migration = remedy(for: suspect, in: state)
        return failure
    }

    /// The error for an action that does not decode.
    func failure(for cause: any Error, inAction action: Node, ofType type: String, _ seq: Int) -> RecordingError {
        var failure = RecordingError(.undecodableAction, file: file, seq: seq, type: type, cause: cause)
        failure.path = (cause as? TreeError)?.path
        failure.migration = remedy(for: cause, inAction: action, ofType: type)
        if isUnknown(type, cause) {
            failure.reason = "this build has no action type of that name"
            failure.path = nil
            failure.allowed = app.names.nearest(to: type).map { [$0] } ?? app.names.known
        }
        return failure
    }
}
