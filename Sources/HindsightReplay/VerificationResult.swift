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
    /// The runs of actions whose states the recorder had left out, as far as they were run: the state after the last of each
    /// run was compared. They are not among ``actions``.
    public internal(set) var skipped: [ClosedRange<Int>] = []
    /// The runs of actions whose recorded states are doubtful, as far as they were run: the state after the last of each run
    /// was compared. They are not among ``actions``.
    public internal(set) var doubtful: [ClosedRange<Int>] = []
    /// Those of the last run in ``skipped`` or ``doubtful`` if the verification ended before that run did: they were compared
    /// with nothing.
    public internal(set) var uncompared: ClosedRange<Int>?
    /// Whether the recording may lack actions at its end, as `Recording.lacksJournal` and `Recording.lost` say.
    public internal(set) var lacksActions = false
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

    /// Whether there were actions, or may have been, and none could be compared: then ``equal`` says nothing of them.
    public var comparedNothing: Bool {
        guard actions == 0, (skipped + doubtful).allSatisfy({ $0 == uncompared }) else { return false }
        return unknown != nil || uncompared != nil || lacksActions
    }
    /// Whether today's reducers did everything that was recorded, just as it was recorded.
    public var equal: Bool { divergence == nil }
}
