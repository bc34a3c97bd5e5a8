import HindsightRecording
import HindsightTree

/// Whether today's reducers do what was recorded.
public struct VerificationResult: Sendable {
    /// How many actions were run and compared.
    public internal(set) var actions = 0
    /// How many reducer runs were compared.
    public internal(set) var steps = 0
    /// The numbers of the actions that could not be recorded: their reducers did not run, and the comparison went on
    /// with the recorded state after them.
    public internal(set) var gaps: [Int] = []
    /// The numbers of what is no action, but time travel of the running app: the comparison went on with the state that
    /// was recorded after it.
    public internal(set) var travels: [Int] = []
    /// The runs of actions whose states the recorder had left out: they were run, and the state after the last of each run
    /// was compared. They are not among ``actions``.
    public internal(set) var skipped: [ClosedRange<Int>] = []
    /// The runs of actions whose recorded states are doubtful: they were run, and the state after the last of each run was
    /// compared. They are not among ``actions``.
    public internal(set) var doubtful: [ClosedRange<Int>] = []
    /// The actions that finished, but after which the states were not recorded any more: they were not run, as there was
    /// nothing to compare with.
    public internal(set) var unknown: ClosedRange<Int>?
    /// The action in which the recorded process ended: it was not run.
    public internal(set) var unfinished: Int?
    /// The first place where replay and recording disagree; the comparison stopped there.
    public internal(set) var divergence: Divergence?
    /// The places of states that the recording does not show, as patterns: they were not compared.
    public internal(set) var redacted: [String] = []
    /// How today's initial state differs from the recorded one; `nil` where it does not.
    ///
    /// It is no divergence: the replay begins on the recorded state.
    public internal(set) var initialDifference: Patch?

    /// Whether there were actions and none could be compared: then ``equal`` says nothing of them.
    public var comparedNothing: Bool { actions == 0 && skipped.isEmpty && doubtful.isEmpty && unknown != nil }
    /// Whether today's reducers did everything that was recorded, just as it was recorded.
    public var equal: Bool { divergence == nil }
}
