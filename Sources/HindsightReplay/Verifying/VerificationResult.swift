import HindsightTree

/// The result of a verification: whether today's reducers make the recorded changes.
public struct VerificationResult: Sendable {
    /// The number of actions that ran and were compared.
    public internal(set) var actions = 0
    /// The number of reducer runs whose changes were compared, one by one or an action at a time.
    public internal(set) var steps = 0
    /// The numbers of the actions that could not be recorded: their reducers did not run, and the comparison went on
    /// with the recorded state after them.
    public internal(set) var gaps: [Int] = []
    /// The numbers under which the recorded app travelled through time: the comparison went on with the recorded state
    /// after each.
    package internal(set) var travels: [Int] = []
    /// The numbers of the actions that changed the state and that a migration removes: the comparison went on with the
    /// recorded state after each.
    package internal(set) var removed: [Int] = []
    /// The ranges of actions whose states the recorder left out, as far as they ran: only the state after the last of
    /// each range was compared. ``actions`` does not count them.
    public internal(set) var skipped: [ClosedRange<Int>] = []
    /// The ranges of actions whose recorded states are doubtful, as far as they ran: only the state after the last of
    /// each range was compared. ``actions`` does not count them.
    package internal(set) var doubtful: [ClosedRange<Int>] = []
    /// The last range in ``skipped`` or ``doubtful`` if the verification ended within it: no state of these actions was
    /// compared.
    package internal(set) var uncompared: ClosedRange<Int>?
    /// Whether the recording may lack actions at its end, as `Recording.lacksJournal` and `Recording.lost` say.
    package internal(set) var lacksActions = false
    /// The actions at the end that finished, but whose states were not recorded. They did not run, because there is
    /// nothing to compare.
    package internal(set) var unknown: ClosedRange<Int>?
    /// The action in which the recorded process ended. It did not run.
    package internal(set) var unfinished: Int?
    /// Whether ``unfinished`` was not recorded as a value, so that nothing can run it.
    package internal(set) var unfinishedIsGap = false
    /// The level at which states were compared.
    package internal(set) var level = VerificationOptions.Level.steps
    /// How today's reducers differ from the recorded ones; `nil` if they have the same names and order.
    package internal(set) var reducers: ReducerChanges?
    /// The first divergence. By default, the comparison stopped there.
    public var divergence: Divergence? { divergences.first }
    /// The divergences, in order: the first 1,000, at most one an action.
    public private(set) var divergences: [Divergence] = []
    /// The number of divergences.
    public private(set) var divergenceCount = 0
    /// The number of actions that diverged.
    package private(set) var divergedActions = 0
    /// The numbers of the actions after which a chained replay agreed with the recording again: at most 1,000.
    package private(set) var agreements: [Int] = []
    /// The change from the recorded state at the end to that of a chained replay; `nil` if they are the same.
    package internal(set) var finalDifference: Patch?
    /// The paths of ``VerificationOptions/ignoredPaths``.
    package internal(set) var ignoredPaths: [String] = []
    /// The tolerances of the options.
    package internal(set) var tolerances: [Tolerance] = []
    /// The given patterns that matched no place in the compared part of the recording. They may be misspelt, or, if the
    /// verification stopped at a divergence, match later.
    package internal(set) var unusedPatterns: [String] = []
    /// The places of states that only the recording or only today's types have, as patterns. They were not compared.
    package internal(set) var unshared: [String] = []
    /// The fields that only today's types have, and whose values change each time a reducer runs.
    package internal(set) var unstable: [UnstableField] = []
    /// The recorded values that decoding by today's types changes. States were compared after they were read.
    package internal(set) var conversions: [Fit.Conversion] = []
    /// The schemas to which the migrations lead that apply; empty if none does.
    package internal(set) var migrations: [Int] = []
    /// The redacted places of states, as patterns. They were not compared.
    package internal(set) var redacted: [String] = []
    /// The change from the recorded initial state to today's; `nil` if they are the same.
    ///
    /// This is no divergence: the replay begins on the recorded state.
    package internal(set) var initialDifference: Patch?

    /// Why the recording, the options or the migrations left nothing to compare, as a clause.
    package internal(set) var emptiness: String?

    /// Whether no action was compared with a recorded state, or the redaction, the options or the app's migrations left
    /// nothing to compare. Then ``matches`` is true, and says nothing.
    package var comparedNothing: Bool {
        guard matches else { return false }
        return emptiness != nil || actions == 0 && (skipped + doubtful).allSatisfy { $0 == uncompared }
    }
    /// Whether no compared change differed from the recorded one.
    public var matches: Bool { divergenceCount == 0 }

    /// The divergences by what differs first, the most frequent first. Costs the number of kinds.
    public var classes: [DivergenceClass] { found.sorted }

    /// The divergences by kind.
    private(set) var found = DivergenceClasses()
    private static let maxKept = 1000

    mutating func add(_ divergence: Divergence, under key: DivergenceClasses.Key) {
        divergenceCount += 1
        if divergence.action != nil { divergedActions += 1 }
        if divergences.count < Self.maxKept { divergences.append(divergence) }
        found.add(divergence, under: key)
    }

    mutating func addAgreement(after seq: Int) {
        if agreements.count < Self.maxKept { agreements.append(seq) }
    }
}
