import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs today's reducers over a recording and compares the result with the recorded one.
///
/// ```swift
/// let verification = try Verification(of: recording, by: app)
/// while let action = try verification.next() {
///     print(action.recorded.seq, action.recorded.type)
/// }
/// print(verification.result.matches)
/// ```
///
/// If the reducers are the recorded ones, it compares the changes of each. Otherwise, it compares the state after each
/// action. By default, it ends at the first divergence. ``VerificationOptions`` change both. In any case, it ends at the
/// action in which the recorded process ended, or at the end of the known states.
///
/// **Cost.** The cost of ``Replayer``, and a comparison of the changes. If two patches differ, the states that they
/// lead to are compared where either changed them; the first time costs the whole state. So does each divergence.
package final class Verification {
    // No code that can reach this verification runs while one of the unchecked properties is changed.

    /// The result so far.
    package internal(set) var result = VerificationResult()

    let replayer: Replayer
    let recording: Recording
    let options: VerificationOptions
    /// The recorded state, kept from the first time that two patches differ.
    var recorded: Node?
    /// The replayed state, likewise.
    var replayed: Node?
    /// The places at which both differ.
    var differing = DifferingPlaces()
    /// The places at which the initial states differ.
    var differingAtStart = DifferingPlaces()
    /// Whether some differed before the last comparison.
    var inputDiffered = false
    /// The number of the recorded reducer for each of today's, from 1; `nil` if it was added.
    let numbers: [Int?]
    var comparison: StateComparison
    /// The coming actions after which the recording has a whole state.
    var wholeStates: ArraySlice<Int>
    /// Reads those; `nil` before the first.
    var wholeCursor: StateCursor?
    /// For each reducer, the number of its steps that changed fields which the recording does not have.
    var newFieldSteps: [Int: Int] = [:]
    private var hasEnded = false
    /// Whether an action has run that the migrations did not remove.
    private var hasRun = false
    /// Whether an action has run that changed a place that is compared. Only noted if the recording hides places.
    private var hasShownChange = false
    /// The number of redacted fields that ``VerificationResult/redacted`` has.
    private var fieldCount = -1

    /// Called before each point is reached, like ``Replayer/watch``.
    package var watch: ((ReplayPoint) -> Void)? {
        get { replayer.watch }
        set { replayer.watch = newValue }
    }

    /// Creates a verification that begins at the recording's first state.
    ///
    /// - Throws: ``ReplayError``: `otherApp`, `undecodableState`, `badPattern`, `beforeStart` if the options' end is
    ///   before the first state, and `reducersDiffer` or `stepsNotComparable` if the options require equal
    ///   steps; `RecordingError` if the recording cannot be read.
    package init(
        of recording: Recording,
        by app: ReplayableApp,
        options: VerificationOptions = VerificationOptions()
    ) throws {
        self.recording = recording
        self.options = options
        let end = min(recording.end, options.end.map { Recording.Position(seq: $0.lastWholeAction) } ?? recording.end)
        let start = options.start.map { Recording.Position(seq: $0.seq) } ?? recording.start
        if end < start {
            throw ReplayError(.beforeStart, file: recording.url.path, position: options.end)
        }
        let changes = ReducerChanges(of: app, since: recording)
        let canCompareSteps = changes.hasSameSteps
        numbers = changes.recordedNumbers
        result.level = options.level ?? (canCompareSteps ? .steps : .states)
        replayer = try Replayer(of: recording, by: app, from: start, to: end, readingSteps: true)
        if result.level == .steps, !canCompareSteps {
            throw ReplayError.reducersDiffer(recording: recording, app: app)
        }
        if !replayer.form.isCurrent {
            if options.level == .steps {
                var error = ReplayError(.stepsNotComparable, file: recording.url.path)
                error.migrations = replayer.form.schemas
                throw error
            }
            result.level = .states
        }
        comparison = try StateComparison(
            recording.redaction,
            today: replayer.redactor,
            options: options,
            unshared: replayer.form.filled
        )
        try comparison.noteUnread(of: replayer.form)
        wholeStates = try recording.wholeStates()[...]
        result.reducers = recording.reducers == app.reducers ? nil : changes
        result.unshared = replayer.form.unshared
        result.conversions = replayer.form.conversions
        result.migrations = replayer.form.schemas
        result.ignoredPaths = options.ignoredPaths
        result.tolerances = options.tolerances
        let last = options.end?.lastWholeAction ?? .max
        if recording.lastFinished < min(recording.actionCount, last) {
            let seq = recording.lastFinished + 1
            (result.unfinished, result.unfinishedIsGap) = (seq, try recording.action(seq).isGap)
        }
        if recording.end.seq < min(recording.lastFinished, last) {
            result.unknown = recording.end.seq + 1...min(recording.lastFinished, last)
        }
        result.lacksActions = last == .max && (recording.lacksJournal || recording.lost != nil)
        if let tally = options.start?.tally { result.begin(with: tally) }
        try compareStart()
    }

    /// Whether today's types read and write the recorded states in their recorded form.
    package var readsRecordedForm: Bool { replayer.readsRecordedForm }

    /// Runs the next action and compares the changes of each of its reducers, or the state after it.
    ///
    /// - Returns: The action and what its reducers changed; `nil` if the verification has ended. A comparison of steps
    ///   runs no further reducer of an action after one that diverges, unless it is chained. If only the final states
    ///   are compared, the action has no steps.
    /// - Throws: The errors of ``Replayer/next()``; `RecordingError` if the recording cannot be read.
    package func next() throws -> ReplayedAction? {
        if !result.matches, options.afterDivergence == .stop {
            result.unusedPatterns = comparison.unusedPatterns
            return nil
        }
        guard let record = try replayer.enterAction(upTo: replayer.end) else {
            try finish()
            return nil
        }
        defer { noteRedaction() }
        if try replayer.skipGap(to: Recording.Position(seq: record.seq)) {
            let list: WritableKeyPath<VerificationResult, [Int]> =
                record.isGap ? \.gaps : record.isTravel ? \.travels : \.removed
            result[keyPath: list].append(record.seq)
            // The state at the end no longer depends on the actions before.
            if options.finalStateOnly { result.actions = 0 }
            startAgain()
            return ReplayedAction(recorded: record, steps: nil)
        }
        if replayer.stepCount > 0 { hasRun = true }
        if options.finalStateOnly {
            result.actions += 1
            try replayer.runReducers(upTo: Recording.Position(seq: record.seq))
            return ReplayedAction(recorded: record, steps: [])
        }
        let count = result.divergenceCount
        let wasDiffering = !differing.isEmpty
        let action = try compare(record)
        if !hasShownChange, !recording.redaction.states.isEmpty, let steps = action.steps {
            hasShownChange = try steps.contains { try !comparison.masked($0.patch).isEmpty }
        }
        if result.divergenceCount > count, options.afterDivergence == .isolated {
            replayer.done = replayer.stepCount
            try replayer.load(Recording.Position(seq: replayer.seq))
            startAgain()
        } else if wasDiffering, differing.isEmpty, options.afterDivergence == .chained {
            result.addAgreement(after: record.seq)
        }
        return action
    }

    private func compare(_ record: RecordedAction) throws -> ReplayedAction {
        if let (run, list) = inexactRun(with: record.seq) { return try runUncompared(record, in: run, listedIn: list) }
        result.actions += 1
        let count = result.divergenceCount
        let steps =
            result.level == .steps
            ? try runComparingSteps(of: record) : try runComparingStates(of: record)
        if comparison.hasUnusedPatterns {
            for step in try checkedSteps(of: record) { comparison.notePatterns(in: step.patch?.operations ?? []) }
            for step in steps { comparison.notePatterns(in: step.patch.operations) }
        }
        if result.divergenceCount == count { try compareWhole(after: record) }
        return ReplayedAction(recorded: record, steps: steps)
    }

    private typealias RunList = WritableKeyPath<VerificationResult, [ClosedRange<Int>]>

    /// The run of actions without exact states to which an action belongs, and the result's list of such runs.
    private func inexactRun(with seq: Int) -> (run: ClosedRange<Int>, list: RunList)? {
        if let run = recording.skippedRun(with: seq) { return (run, \.skipped) }
        guard let run = recording.doubtful.last(where: { $0.actions.lowerBound <= seq })?.actions, run.contains(seq)
        else { return nil }
        return (run, \.doubtful)
    }

    /// Compares the state at the end, unless the verification ends within a run of actions without exact states.
    private func compareEnd() throws {
        guard result.actions > 0, let record = replayer.record else { return }
        guard let (run, list) = inexactRun(with: record.seq), record.seq < run.upperBound else {
            return try compareState(after: record, as: .end)
        }
        result.actions = 0
        result.uncompared = run.lowerBound...record.seq
        result[keyPath: list].append(run.lowerBound...record.seq)
    }

    /// Runs all remaining actions.
    ///
    /// - Parameter progress: Called with the number of each action that has run.
    /// - Throws: The errors of ``next()`` and of `progress`.
    package func run(progress: (Int) throws -> Void = { _ in }) throws -> VerificationResult {
        while let action = try next() {
            try progress(action.recorded.seq)
        }
        return result
    }

    /// Lists the redacted places again if today's states have had new ones.
    private func noteRedaction() {
        let count = replayer.redactor.fieldCount
        guard count != fieldCount else { return }
        fieldCount = count
        result.redacted = comparison.redacted
    }

    /// Forgets the kept states, because the replay has loaded a recorded one.
    private func startAgain() {
        (recorded, replayed) = (nil, nil)
        differing = differingAtStart
    }

    /// Why the recording, the options or the migrations leave nothing to compare; `nil` if they leave something.
    private var emptiness: String? {
        get throws {
            if recording.actionCount <= recording.start.seq {
                return result.lacksActions ? nil : "the recording has no actions"
            }
            if let end = options.end, end.lastWholeAction <= recording.start.seq,
                recording.lastFinished > recording.start.seq
            {
                return "it ends before the first action"
            }
            if result.actions + result.removed.count > 0, !hasRun, !replayer.form.isCurrent {
                return "the migrations remove all actions"
            }
            if !options.ignoredPaths.isEmpty, try comparison.hidesAll(of: replayer.state()) {
                return "the ignored paths cover the whole state"
            }
            if options.finalStateOnly, hasRun, result.actions == 0, result.uncompared == nil {
                return "the last action was not run"
            }
            if recording.redaction.states.isEmpty || result.actions == 0 { return nil }
            let isShown =
                try options.finalStateOnly ? !comparison.hidesAll(of: replayer.state()) : hasShownChange
            let paths = options.ignoredPaths.isEmpty ? "redacted paths" : "redacted and ignored paths"
            return isShown ? nil : "the recording has no changes outside the \(paths)"
        }
    }

    private func finish() throws {
        if hasEnded { return }
        hasEnded = true
        if options.finalStateOnly { try compareEnd() }
        if comparison.hasUnusedPatterns { comparison.notePatterns(in: try replayer.state()) }
        result.unusedPatterns = comparison.unusedPatterns
        result.emptiness = try emptiness
        guard options.afterDivergence == .chained, !differing.isEmpty, result.uncompared == nil else { return }
        let (left, right) = try comparison.aligned(
            recorded ?? replayer.recordedState(at: replayer.position),
            replayed ?? replayer.state()
        )
        let patch = Patch(from: left, to: right, ignoringMemberOrder: true)
        result.finalDifference = patch.isEmpty ? nil : patch
    }
}

extension ReplayableApp {
    /// Runs the app's reducers over a recording and compares the result with the recorded one.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - options: What is compared, and what follows a divergence.
    ///   - progress: Called with the number of each action that has run.
    /// - Throws: The errors of ``Verification`` and of `progress`. A divergence is a result, not an error.
    public func verify(
        _ recording: Recording,
        options: VerificationOptions = VerificationOptions(),
        progress: (Int) throws -> Void = { _ in }
    ) throws -> VerificationResult {
        try Verification(of: recording, by: self, options: options).run(progress: progress)
    }
}

extension Recording.Position {
    /// The last action that has run as a whole.
    fileprivate var lastWholeAction: Int { reducer == nil ? seq : max(0, seq - 1) }
}
