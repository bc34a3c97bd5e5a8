import HindsightRecording
import HindsightTree

/// A recorded action, and the changes that today's reducers made in it.
public struct ReplayedAction: Sendable {
    /// The action as it was recorded.
    public let recorded: RecordedAction
    /// The reducers' changes, in the order in which they ran; `nil` if none ran, at a gap of the recording or a time
    /// travel of the app. Empty if a verification compares only the state at the end.
    public let steps: [ReplayedStep]?

    /// Whether the action could not be recorded, so that the replay took the recorded state after it.
    public var isGap: Bool { recorded.isGap }
}

/// The changes of one of today's reducers.
public struct ReplayedStep: Sendable, Hashable {
    /// The reducer's number, from 1.
    public let reducer: Int
    /// The reducer's name.
    public let name: String
    /// The changes, possibly none.
    public let patch: Patch
}
