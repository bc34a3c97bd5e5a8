import HindsightRecording
import HindsightTree

/// What today's reducers did in one recorded action.
public struct ReplayedAction: Sendable {
    /// The action as it was recorded.
    public let record: ActionRecord
    /// What each reducer did, in the order in which they ran; `nil` where none ran: the recording has a gap here, or the
    /// app travelled through time.
    public let steps: [ReplayedStep]?

    /// Whether the action could not be recorded, so that the replay took the recorded state after it.
    public var isGap: Bool { record.isGap }
}

/// What one of today's reducers did.
public struct ReplayedStep: Sendable, Hashable {
    /// The reducer's number, from 1.
    public let reducer: Int
    /// The reducer's name.
    public let name: String
    /// What it changed, possibly nothing.
    public let patch: Patch
}
