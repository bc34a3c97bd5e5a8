import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs today's reducers over a recording and compares what each of them does with what was recorded.
///
/// ```swift
/// let verification = try Verification(of: recording, by: app)
/// while let action = try verification.next() {
///     print(action.record.seq, action.record.type)
/// }
/// print(verification.result.equal)
/// ```
///
/// It is *chained*: each action runs on the state that the replay has reached. It ends at the first divergence, at the
/// action in which the recorded process ended, or at the end of the states that are known.
///
/// **Cost.** What ``Replayer`` costs, and a comparison of what was changed. Two patches that say the same in other
/// words are compared by the states they lead to; the first time costs the whole state.
public final class Verification {
    /// What has come out so far.
    public internal(set) var result = VerificationResult()

    let replayer: Replayer
    let recording: Recording
    /// The recorded state, kept up from the first time that two patches had to be compared by it.
    var recorded: Node?
    var redaction: RedactionComparison
    /// The actions after which there is a whole state, of those that are still to come.
    var wholeStates: ArraySlice<Int>

    /// Told each point before it is reached, as ``Replayer/watch`` is.
    package var watch: ((ReplayPoint) -> Void)? {
        get { replayer.watch }
        set { replayer.watch = newValue }
    }

    /// Begins at the recording's first state.
    ///
    /// - Throws: ``ReplayError``: `otherApp`, `reducersDiffer`, `undecodableState`; `RecordingError` where the recording
    ///   cannot be read.
    public init(of recording: Recording, by app: ReplayableApp) throws {
        self.recording = recording
        replayer = try Replayer(app, of: recording, from: recording.start, to: recording.end, readingSteps: true)
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

    /// Runs the next action and compares each of its reducers; ends within it where one diverges.
    ///
    /// - Returns: What its reducers did; `nil` where the verification has ended.
    /// - Throws: What ``Replayer/next()`` throws; `RecordingError` where the recording cannot be read.
    public func next() throws -> ReplayedAction? {
        guard result.equal, let record = try replayer.enterAction(upTo: replayer.end) else { return nil }
        defer { result.redacted = redaction.states }
        if try replayer.skipGap(to: Position(seq: record.seq)) {
            if record.isTravel { result.travels.append(record.seq) } else { result.gaps.append(record.seq) }
            recorded = nil
            return ReplayedAction(record: record, steps: nil)
        }
        if let run = recording.skipped.last(where: { $0.lowerBound <= record.seq }), run.contains(record.seq) {
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
            // A step that none of the reducers made would go uncompared.
            guard step.reducer > last, step.reducer <= recording.reducers.count else {
                throw damage(record.seq, step.reducer, reason: "its steps are not numbered as its reducers are")
            }
            last = step.reducer
            expected[step.reducer] = step.patch
        }
        var steps: [ReplayedStep] = []
        while result.equal, let step = try replayer.runReducer() {
            steps.append(step)
            result.steps += 1
            try compare(step, with: expected[step.reducer] ?? Patch(), in: record)
        }
        if result.equal { try compareWhole(after: record) }
        return ReplayedAction(record: record, steps: steps)
    }

    /// Runs everything that is left.
    ///
    /// - Parameter progress: Told the number of each action that has been run.
    /// - Throws: What ``next()`` throws, and what `progress` throws.
    public func run(progress: (Int) throws -> Void = { _ in }) throws -> VerificationResult {
        while let action = try next() {
            try progress(action.record.seq)
        }
        return result
    }
}

extension ReplayableApp {
    /// Runs the app's reducers over a recording and compares what each of them does with what was recorded.
    ///
    /// - Parameter progress: Told the number of each action that has been run.
    /// - Throws: What ``Verification`` throws, and what `progress` throws. A divergence is a result, not an error.
    public func verify(
        _ recording: Recording,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> VerificationResult {
        try Verification(of: recording, by: self).run(progress: progress)
    }
}

// MARK: Comparing

extension Verification {
    /// Compares today's initial state with the recorded one, and the recorded one with what today's type reads of it.
    private func compareStart() throws {
        var state = try recording.state(at: replayer.start)
        if replayer.start == Position(seq: 0) {
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
            got: difference.right,
            difference: Patch(from: state, to: read),
            inputWasRecorded: true,
            isRepeatable: true,
            cause: .initialState,
            redacted: recording.redaction.states
        )
    }

    private func compare(_ step: ReplayedStep, with expected: Patch, in record: ActionRecord) throws {
        if try step.patch == expected || redaction.isSame(expected, step.patch) {
            try keepUp(with: expected, record.seq, step.reducer)
            return
        }
        let before = try recordedState(at: Position(seq: record.seq, reducer: step.reducer - 1))
        recorded = before
        try keepUp(with: expected, record.seq, step.reducer)
        guard let after = recorded else { return }
        let comparison = StepComparison(before: before, after: after, expected: expected, got: step.patch)
        guard let other = try comparison.differingState(or: replayer.state) else { return }
        let (left, got) = (try redaction.masked(after), try redaction.masked(other))
        guard let difference = left.firstDifference(from: got) else { return }
        let isRepeatable = try replayer.isRepeatable(step)
        let redacted = try redaction.inputs(of: record)
        var cause = Cause(
            expected: difference.left,
            got: difference.right,
            recordedAt: record.at,
            isRepeatable: isRepeatable,
            isRedacted: !redacted.isEmpty
        )
        if cause == .none, try replayer.dependsOnOrder() { cause = .unordered }
        result.divergence = Divergence(
            action: record,
            reducer: step.reducer,
            reducerName: step.name,
            path: difference.path,
            expected: difference.left,
            got: difference.right,
            difference: Patch(from: left, to: got),
            inputWasRecorded: true,
            isRepeatable: isRepeatable,
            cause: cause,
            redacted: redacted
        )
    }

    private func recordedState(at position: Position) throws -> Node {
        if let recorded { return recorded }
        return try recording.state(at: position)
    }

    /// Applies a recorded step to the recorded state, where that is kept.
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
