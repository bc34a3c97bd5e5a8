import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs a changed log of a recording, and compares its states with the recorded ones.
///
/// ```swift
/// let log = try app.changedLog(of: recording, [.skip(12)])
/// let result = try WhatIf(of: recording, by: app, running: log).finish()
/// print(result.first?.path ?? "no difference", result.difference.operations.count)
/// ```
///
/// It takes the recorded states up to the first change as they are, and runs the reducers from there. Actions are those
/// of the recording otherwise: what middleware dispatched in answer to an action stays, also if that action is skipped.
/// At an action that could not be recorded, and at a time travel, the run continues from the recorded state after it.
///
/// **Cost.** That of a verification from the first change on; less once it has found the first difference and the first
/// reaction. The first difference and the end cost whole states.
package final class WhatIf {
    /// The run of the changed log. Do not move it.
    package let replayer: Replayer
    /// The changed log.
    package let log: ChangedLog
    /// The recording.
    package var recording: Recording { replayer.recording }

    /// The first difference that was found so far.
    package private(set) var first: WhatIfDifference?
    /// The first reaction that was found so far.
    package private(set) var reaction: WhatIfReaction?

    private var comparison: StateComparison
    /// The places that differ before any action has run, because today's types read them as other values.
    private let differingAtStart: DifferingPlaces
    private let reducers: ReducerChanges
    /// Whether the changes of each reducer can be compared with the recorded ones.
    private var comparesSteps: Bool
    /// Whether the present state is known to be the recorded one.
    private var isInStep: Bool
    /// The last moment of the recording that was compared or passed.
    private var passed: Int
    /// The first moment since the states were known to be the same.
    private var sinceKnown: Int
    /// What the actions of the present moment have done so far.
    private var moment: (runs: [ReplayedAction], recorded: [RecordedStep]) = ([], [])

    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - app: The app whose reducers run.
    ///   - log: A changed log of the recording.
    ///   - runningUnfinished: Whether ``runUnfinished()`` is to run the action in which the recorded process ended.
    /// - Throws: The errors of `Replayer.init(of:by:running:runningUnfinished:)`.
    package init(
        of recording: Recording,
        by app: ReplayableApp,
        running log: ChangedLog,
        runningUnfinished: Bool = false
    ) throws {
        let replayer = try Replayer(of: recording, by: app, running: log, runningUnfinished: runningUnfinished)
        self.replayer = replayer
        self.log = log
        reducers = ReducerChanges(of: app, since: recording)
        comparesSteps = replayer.form.isCurrent && reducers.hasSameSteps
        comparison = try StateComparison(
            recording.redaction,
            today: replayer.redactor,
            options: VerificationOptions(),
            unshared: replayer.form.unshared
        )
        try comparison.noteUnread(of: replayer.form)
        let (recorded, today) = (try replayer.recordedState(at: replayer.start), try replayer.state())
        differingAtStart = DifferingPlaces(try comparison.differingPlaces(recorded, today, at: NodePath()))
        (isInStep, sinceKnown) = (true, replayer.start.seq)
        // The start counts as a moment only if actions come to it.
        passed = replayer.start.seq - (log.entries(arrivingAfter: replayer.start.seq).isEmpty ? 0 : 1)
    }

    /// The number, in the changed log, up to which all actions finished in the recording.
    private var lastFinished: Int { log.number(after: recording.lastFinished) }

    /// Runs the next action of the changed log.
    ///
    /// - Returns: The action, with its number in the changed log, and what its reducers changed; `nil` after the last one
    ///   that finished in the recording.
    /// - Throws: The errors of ``Replayer/next()``.
    package func next() throws -> ReplayedAction? {
        guard let next = replayer.nextSeq, next <= lastFinished else {
            try pass(upTo: recording.lastFinished)
            return nil
        }
        let place = log.entry(next).moment
        // Moments at which nothing runs any more.
        try pass(upTo: place - 1)
        guard let action = try replayer.next() else { return nil }
        try note(action, at: place)
        if next == log.number(after: place) { try pass(upTo: place) }
        return action
    }

    /// The number of actions after the first difference among which ``finish()`` looks for the first reaction.
    private static let maxToReaction = 10_000

    /// Runs all actions that finished in the recording, and compares the states at the end. Looks for the first reaction
    /// among the 10,000 actions after the first difference.
    ///
    /// - Throws: The errors of ``Replayer/next()``, and those of reading the recorded state at the end.
    package func finish() throws -> WhatIfResult {
        while first == nil || reaction == nil && comparesSteps {
            guard try next() != nil else { break }
            if let first, replayer.position.seq - log.number(after: first.seq) >= Self.maxToReaction { break }
        }
        // Without a search for changes, the rest is quicker.
        while let next = replayer.nextSeq, next <= lastFinished {
            try replayer.move(to: Recording.Position(seq: min(next + 1000, lastFinished)))
        }
        return try result()
    }

    /// The result after the last call of ``next()``, which has returned `nil`.
    ///
    /// - Throws: The errors of reading the recorded state at the end.
    package func result() throws -> WhatIfResult {
        let end = Recording.Position(seq: recording.lastFinished)
        var (recorded, isComputed) = try recordedState(at: end)
        if try !comparison.isSame(recorded, replayer.state()), try learnForm(from: recorded) {
            (recorded, isComputed) = try recordedState(at: end)
        }
        let (left, right) = try comparison.aligned(
            recorded,
            try replayer.state(),
            differing: differingAtStart
        )
        let difference = right.isEquivalent(to: left) ? Patch() : Patch(from: left, to: right)
        var result = WhatIfResult(end: end, endNumber: lastFinished, recordedState: left, difference: difference)
        (result.first, result.reaction) = (first, reaction)
        result.isEndComputed = isComputed
        result.orphans = replayer.actions.orphans
        result.gaps = replayer.gaps.compactMap { $0 <= lastFinished ? log.entry($0).entry.seq : nil }
        result.travels = replayer.travels.compactMap { log.entry($0).entry.seq }
        result.redacted = comparison.redacted
        result.unshared = replayer.form.unshared
        result.migrations = replayer.form.schemas
        let isOther = !reducers.hasSameSteps || !reducers.renamed.isEmpty
        result.reducers = isOther ? reducers : nil
        // It has run if it was moved to an earlier place.
        if case .crashed(let seq, _) = recording.ending, let number = log.number(of: seq), number > lastFinished,
            replayer.nextSeq == nil
        {
            result.unfinished = seq
        }
        return result
    }

    /// Runs what comes after the last action that finished in the recording: the action in which its process ended, if
    /// it is not skipped.
    ///
    /// - Parameter body: Called with each action that has run.
    /// - Throws: The errors of ``Replayer/next()`` and of `body`.
    package func runUnfinished(_ body: (ReplayedAction) throws -> Void = { _ in }) throws {
        while let action = try replayer.next() { try body(action) }
    }

    // MARK: Comparing

    private func note(_ action: ReplayedAction, at place: Int) throws {
        // Nothing is left to be found.
        if first != nil, reaction != nil || !comparesSteps { return }
        moment.runs.append(action)
        let entry = log.entry(action.recorded.seq).entry
        if entry.seq == place { moment.recorded = try replayer.parsedSteps() }
        guard let first, reaction == nil, comparesSteps, first.seq < place, case .recorded(let seq) = entry,
            let steps = action.steps, recording.absence(ofChangesIn: seq) == nil
        else { return }
        for (step, recorded) in zip(steps, try replayer.parsedSteps()) {
            let was = recorded.patch ?? Patch()
            guard try comparedPlaces(of: step.patch) != comparedPlaces(of: was) else { continue }
            reaction = WhatIfReaction(
                seq: seq,
                number: action.recorded.seq,
                reducer: step.reducer,
                reducerName: step.name,
                recorded: was,
                changed: step.patch
            )
            return
        }
    }

    /// The places that a patch changes, but for those that are not compared.
    private func comparedPlaces(of patch: Patch) throws -> Set<NodePath> {
        Set(try comparison.masked(patch).operations.map(\.path))
    }

    /// Compares the present state with those of the recording after the moments up to one. All that runs at the last one
    /// has run, and at those before it nothing does.
    private func pass(upTo last: Int) throws {
        guard first == nil else {
            (passed, moment) = (max(passed, last), ([], []))
            return
        }
        while passed < last {
            passed += 1
            defer { moment = ([], []) }
            if try isSame(at: passed) { continue }
            let position = Recording.Position(seq: passed)
            guard recording.absence(at: position) == nil, recording.doubtfulStates(at: position) == nil else {
                isInStep = false
                continue
            }
            try compare(at: position)
            if first != nil { break }
        }
        passed = max(passed, last)
    }

    /// Whether the state is still the recorded one, as the changes show without comparing states.
    private func isSame(at seq: Int) throws -> Bool {
        // A gap or a time travel has loaded the recorded state.
        if log.isUnchanged(at: seq), moment.runs.count == 1, moment.runs[0].steps == nil {
            (isInStep, sinceKnown) = (true, seq)
            return true
        }
        guard isInStep, comparesSteps, recording.absence(ofChangesIn: seq) == nil,
            recording.doubtfulStates(at: Recording.Position(seq: seq)) == nil
        else { return false }
        if moment.runs.isEmpty {
            guard try recording.steps(of: seq).allSatisfy({ $0.patch == nil }) else { return false }
        } else {
            guard log.isUnchanged(at: seq), moment.runs.count == 1, let steps = moment.runs[0].steps,
                steps.count == moment.recorded.count
            else { return false }
            for (step, recorded) in zip(steps, moment.recorded) {
                let was = recorded.patch ?? Patch()
                guard try step.patch == was || comparison.isSame(was, step.patch) else { return false }
            }
        }
        sinceKnown = seq
        return true
    }

    private func compare(at position: Recording.Position) throws {
        var left = try replayer.recordedState(at: position)
        let right = try replayer.state()
        var places = try differingPlaces(left, right)
        if !places.isEmpty, try learnForm(from: left) {
            left = try replayer.recordedState(at: position)
            places = try differingPlaces(left, right)
        }
        guard !places.isEmpty else {
            (isInStep, sinceKnown) = (true, position.seq)
            return
        }
        let cause = comparesSteps && isInStep ? try firstStep(at: position.seq, touching: places) : nil
        let (one, other) = try comparison.aligned(left, right, differing: differingAtStart)
        let place = cause?.place ?? places[0]
        var difference = NodeDifference(path: place, left: one[place], right: other[place])
        if cause?.isWhole != true, let old = difference.left, let new = difference.right {
            difference = old.firstDifference(from: new, at: place) ?? difference
        }
        let since = min(sinceKnown + 1, position.seq)
        let isUntouched = log.isUnchanged(at: position.seq) && (isInStep || position.seq <= log.kept)
        first = WhatIfDifference(
            seq: position.seq,
            actions: isInStep ? position.seq...position.seq : since...position.seq,
            number: log.number(after: position.seq),
            reducer: cause?.reducer,
            reducerName: cause.flatMap { recording.name(ofReducer: $0.reducer) },
            path: difference.path,
            recorded: difference.left,
            changed: difference.right,
            isOfReducers: isUntouched
        )
    }

    /// The places that differ now and did not before any action has run.
    private func differingPlaces(_ left: Node, _ right: Node) throws -> [NodePath] {
        try comparison.differingPlaces(left, right, at: NodePath()).filter { !differingAtStart.covers($0) }
    }

    /// Notes what only a later recorded state has, as a verification does.
    ///
    /// - Returns: Whether there is such a thing. The states are to be compared again.
    private func learnForm(from state: Node) throws -> Bool {
        guard replayer.findForm(in: state, canConvert: true) else { return false }
        try comparison.noteUnread(of: replayer.form)
        comparesSteps = comparesSteps && replayer.form.isCurrent
        return true
    }

    /// The first reducer one of whose changes, recorded or now, is at one of the places or around or inside it.
    ///
    /// - Returns: The reducer, and the place. If the change replaces a value around the place, it is that of the value,
    ///   which is to be shown as a whole.
    private func firstStep(at seq: Int, touching places: [NodePath]) throws -> (
        reducer: Int, place: NodePath, isWhole: Bool
    )? {
        let isOwnAsRecorded = moment.runs.first.map { log.entry($0.recorded.seq).entry == .recorded(seq) } ?? false
        // If others come after the action itself, only these make a difference.
        let comesFromOthers = seq <= replayer.start.seq || isOwnAsRecorded && !log.isUnchanged(at: seq)
        let recorded = comesFromOthers ? [] : try recording.steps(of: seq)
        let runs = comesFromOthers && isOwnAsRecorded ? moment.runs.dropFirst() : moment.runs[...]
        let steps = runs.flatMap { $0.steps ?? [] }
        for reducer in recording.reducers.indices.map({ $0 + 1 }) {
            let patches =
                recorded.filter { $0.reducer == reducer }.compactMap(\.patch)
                + steps.filter { $0.reducer == reducer }.map(\.patch)
            for operation in patches.flatMap(\.operations) {
                let path = operation.path
                guard let found = places.first(where: operation.touches) else { continue }
                let isWhole =
                    [.add, .remove, .replace].contains(operation.kind) && !path.isRoot && path.contains(found)
                return (reducer, isWhole ? path : found, isWhole)
            }
        }
        return nil
    }

    /// The recording's state at a position; computed from the last recorded one if it does not have it.
    private func recordedState(at position: Recording.Position) throws -> (state: Node, isComputed: Bool) {
        if recording.absence(at: position) == nil { return (try replayer.recordedState(at: position), false) }
        let base = recording.lastRecorded(before: position.seq + 1)
        let baseline = try Replayer(of: recording, by: replayer.app, from: base)
        try baseline.move(to: position)
        return (try baseline.state(), true)
    }
}
