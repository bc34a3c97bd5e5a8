import HindsightTree

/// A ``StateCursor`` that is created where the first state is read.
package final class LazyStateCursor {
    private let recording: Recording
    private var cursor: StateCursor?

    package init(on recording: Recording) { self.recording = recording }

    /// The state at a position. Costs the changes since the last one, or those from a keyframe if it is nearer.
    package func state(at position: Recording.Position) throws(RecordingError) -> Node {
        guard let cursor else {
            let cursor = try StateCursor(on: recording, at: position)
            self.cursor = cursor
            return cursor.state
        }
        if !cursor.isSound || cursor.position != position { try cursor.move(to: position) }
        return cursor.state
    }

    /// The state at a position; `nil` if it was not recorded.
    package func knownState(at position: Recording.Position) throws(RecordingError) -> Node? {
        recording.absence(at: position) == nil ? try state(at: position) : nil
    }
}
