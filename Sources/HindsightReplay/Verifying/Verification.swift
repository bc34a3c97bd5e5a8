import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs today's reducers over a recording and compares the changes of each reducer with the recorded ones.
///
/// ```swift
/// let verification = try Verification(of: recording, by: app)
/// while let action = try verification.next() {
///     print(action.recorded.seq, action.recorded.type)
/// }
/// print(verification.result.matches)
/// ```
///
/// It is *chained*: each action runs on the state that the replay has reached. It ends at the first divergence, at the
/// action in which the recorded process ended, or at the end of the known states.
///
/// **Cost.** The cost of ``Replayer``, and a comparison of the changes. If two patches differ, the states that they
/// lead to are compared; the first time costs the whole state.
public final class Verification {
    /// The result so far.
    public internal(set) var result = VerificationResult()

    let replayer: Replayer
    let recording: Recording
    /// The recorded state, kept from the first time that two patches differ.
    var recorded: Node?
    var redaction: RedactionComparison
    /// The coming actions after which the recording has a whole state.
    var wholeStates: ArraySlice<Int>

    /// Called before each point is reached, like ``Replayer/watch``.
    package var watch: ((ReplayPoint) -> Void)? {
        get { replayer.watch }
        set { replayer.watch = newValue }
    }

    /// Creates a verification that begins at the recording's first state.
    ///
    /// - Throws: ``ReplayError``: `otherApp`, `reducersDiffer`, `undecodableState`; `RecordingError` if the recording
    ///   cannot be read.
    public init(of recording: Recording, by app: ReplayableApp) throws {
        self.recording = recording
        replayer = try Replayer(of: recording, by: app, from: recording.start, to: recording.end, readingSteps: true)
        redaction = RedactionComparison(recording.redaction, today: replayer.redactor)
        wholeStates = try recording.wholeStates()[...]
        try replayer.requireSameReducers()
        if recording.lastFinished < recording.actionCount { result.unfinished = recording.lastFinished + 1 }
        if recording.end.seq < recording.lastFinished {
            result.unknown = recording.end.seq + 1...recording.lastFinished
        }
        result.lacksActions = recording.lacksJournal || recording.lost != nil
        try compareStart()
    }

    /// Runs the next action and compares the changes of each of its reducers; stops after a reducer that diverges.
    ///
    /// - Returns: The action and what its reducers changed; `nil` if the verification has ended.
    /// - Throws: The errors of ``Replayer/next()``; `RecordingError` if the recording cannot be read.
    public func next() throws -> ReplayedAction? {
        guard result.matches, let record = try replayer.enterAction(upTo: replayer.end) else { return nil }
        defer { result.redacted = redaction.states }
        if try replayer.skipGap(to: Recording.Position(seq: record.seq)) {
            if record.isTravel { result.travels.append(record.seq) } else { result.gaps.append(record.seq) }
            recorded = nil
            return ReplayedAction(recorded: record, steps: nil)
        }
        if let run = recording.skippedRun(with: record.seq) {
            return try runUncompared(record, in: run, listedIn: \.skipped)
        }
        if let run = recording.doubtful.last(where: { $0.actions.lowerBound <= record.seq })?.actions,
            run.contains(record.seq)
        {
            return try runUncompared(record, in: run, listedIn: \.doubtful)
        }
        result.actions += 1
        var expected: [Int: Patch] = [:]
        var last = 0
        for step in try replayer.recordedSteps() {
            // A step with another number would not be compared.
            guard step.reducer > last, step.reducer <= recording.reducers.count else {
                throw damage(record.seq, step.reducer, reason: "the numbers of its steps do not match its reducers")
            }
            last = step.reducer
            expected[step.reducer] = step.patch
        }
        var steps: [ReplayedStep] = []
        while result.matches, let step = try replayer.runReducer() {
            steps.append(step)
            result.steps += 1
            try compare(step, with: expected[step.reducer] ?? Patch(), in: record)
        }
        if result.matches { try compareWhole(after: record) }
        return ReplayedAction(recorded: record, steps: steps)
    }

    /// Runs all remaining actions.
    ///
    /// - Parameter progress: Called with the number of each action that has run.
    /// - Throws: The errors of ``next()`` and of `progress`.
    public func run(progress: (Int) throws -> Void = { _ in }) throws -> VerificationResult {
        while let action = try next() {
            try progress(action.recorded.seq)
        }
        return result
    }
}

extension ReplayableApp {
    /// Runs the app's reducers over a recording and compares the changes of each reducer with the recorded ones.
    ///
    /// - Parameter progress: Called with the number of each action that has run.
    /// - Throws: The errors of ``Verification`` and of `progress`. A divergence is a result, not an error.
    public func verify(
        _ recording: Recording,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> VerificationResult {
        try Verification(of: recording, by: self).run(progress: progress)
    }
}

// MARK: Comparing

extension Verification {
    /// Compares today's initial state with the recorded one, and the recorded one with itself, decoded and encoded
    /// today.
    private func compareStart() throws {
        var state = try replayer.recordedState(at: replayer.start)
        if replayer.start == Recording.Position(seq: 0) {
            let today = try replayer.naming(.unencodableState) {
                try replayer.app.typed.encodeInitial(replayer.redactor)
            }
            let (left, right) = (try redaction.masked(state), try redaction.masked(today))
            if !right.isEquivalent(to: left) {
                result.initialDifference = Patch(from: left, to: right)
            }
        }
        let read = try redaction.masked(try replayer.state())
        state = try redaction.masked(state)
        result.redacted = redaction.states
        guard let difference = state.firstDifference(from: read) else { return }
        result.divergence = Divergence(
            action: nil,
            reducer: nil,
            reducerName: nil,
            path: difference.path,
            expected: difference.left,
            actual: difference.right,
            difference: Patch(from: state, to: read),
            inputWasRecorded: true,
            isRepeatable: true,
            cause: .initialState,
            redacted: recording.redaction.states
        )
    }

    private func compare(_ step: ReplayedStep, with expected: Patch, in record: RecordedAction) throws {
        if try step.patch == expected || redaction.isSame(expected, step.patch) {
            try keepUp(with: expected, record.seq, step.reducer)
            return
        }
        let before = try recordedState(at: Recording.Position(seq: record.seq, reducer: step.reducer - 1))
        recorded = before
        try keepUp(with: expected, record.seq, step.reducer)
        guard let after = recorded else { return }
        let comparison = StepComparison(before: before, after: after, expected: expected, actual: step.patch)
        guard let other = try comparison.differingState(or: replayer.state) else { return }
        let (left, actual) = (try redaction.masked(after), try redaction.masked(other))
        guard let difference = left.firstDifference(from: actual) else { return }
        let isRepeatable = try replayer.isRepeatable(step)
        let redacted = try redaction.inputs(of: record)
        var cause = Divergence.Cause(
            expected: difference.left,
            actual: difference.right,
            recordedAt: record.nanosecondsSinceEpoch,
            isRepeatable: isRepeatable,
            isRedacted: !redacted.isEmpty
        )
        if cause == .other, try replayer.dependsOnOrder() { cause = .unordered }
        result.divergence = Divergence(
            action: record,
            reducer: step.reducer,
            reducerName: step.name,
            path: difference.path,
            expected: difference.left,
            actual: difference.right,
            difference: Patch(from: left, to: actual),
            inputWasRecorded: true,
            isRepeatable: isRepeatable,
            cause: cause,
            redacted: redacted
        )
    }

    private func recordedState(at position: Recording.Position) throws -> Node {
        if let recorded { return recorded }
        return try replayer.recordedState(at: position)
    }

    /// Applies a recorded step to the recorded state, if that is kept.
    private func keepUp(with patch: Patch, _ seq: Int, _ reducer: Int) throws {
        guard recorded != nil, !patch.isEmpty else { return }
        do {
            try recorded?.apply(patch)
        } catch {
            throw damage(seq, reducer, cause: error)
        }
    }

    private func damage(
        _ seq: Int,
        _ reducer: Int,
        reason: String? = nil,
        cause: (any Error)? = nil
    ) -> RecordingError {
        var damage = RecordingError(.damaged, file: recording.url.path, reason: reason, cause: cause)
        damage.seq = seq
        damage.reducer = reducer
        return damage
    }
}
