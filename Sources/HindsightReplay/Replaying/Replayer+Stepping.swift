import HindsightFormat
import HindsightRecording
import HindsightTree

/// Moving a replay from action to action, and from reducer to reducer.
extension Replayer {
    /// Loads the recorded state at the start of the replay.
    func begin() throws {
        gaps = []
        record = nil
        seq = start.seq
        done = min(start.reducer ?? app.reducers.count, app.reducers.count)
        try load(start)
        if done < app.reducers.count {
            record = try prepare(seq)
        }
    }

    /// Returns the current action, or begins the next one if it has ended; `nil` at `limit`.
    func enterAction(upTo limit: Recording.Position) throws -> RecordedAction? {
        guard position < limit else { return nil }
        if done < app.reducers.count, let record { return record }
        let next = try prepare(seq + 1)
        record = next
        seq += 1
        done = 0
        return next
    }

    /// The recorded steps of the current action; empty unless the replay reads steps.
    func recordedSteps() throws -> [RecordedStep] {
        try actions.entry(seq).steps
    }

    /// Runs the next reducer of the current action and finds its changes; `nil` if all have run.
    func runReducer() throws -> ReplayedStep? {
        guard done < app.reducers.count else { return nil }
        defer { done += 1 }
        watch?(ReplayPoint(seq: seq, reducer: done + 1, phase: .reducing))
        let patch = try naming(.unencodableState) {
            try machine.runFindingChanges(done) {
                watch?(ReplayPoint(seq: seq, reducer: done + 1, phase: .encoding))
            }
        }
        return ReplayedStep(reducer: done + 1, name: app.reducers[done], patch: patch)
    }

    /// Runs the next reducer and finds its changes.
    ///
    /// - Parameter limit: The position to stop at.
    /// - Returns: The action's number and the reducer's changes; `nil` at `limit`.
    /// - Throws: The errors of ``next()``, and ``ReplayError`` with code `unrecordedAction` if the action was not
    ///   recorded.
    package func nextStep(upTo limit: Recording.Position) throws -> (seq: Int, step: ReplayedStep)? {
        while let record = try enterAction(upTo: min(limit, furthest)) {
            guard position < limit else { return nil }
            guard record.payload != nil else {
                var error = ReplayError(.unrecordedAction, file: recording.url.path)
                error.seq = record.seq
                error.type = record.isTravel ? record.type : nil
                throw error
            }
            if let step = try runReducer() { return (seq, step) }
        }
        return nil
    }

    /// If the current action was not recorded, or is time travel, loads the recorded state at `goal`, a position of it.
    ///
    /// - Returns: Whether it is such an action.
    func skipGap(to goal: Recording.Position) throws -> Bool {
        guard let record, record.payload == nil else { return false }
        if record.isGap, gaps.last != record.seq { gaps.append(record.seq) }
        done = min(goal.reducer ?? app.reducers.count, app.reducers.count)
        try load(goal)
        return true
    }

    /// Checks that this replay can reach a position.
    func check(_ target: Recording.Position) throws {
        if target < start { throw ReplayError(.beforeStart, file: recording.url.path, position: target) }
        if target.reducer != nil { try requireSameReducers() }
        if target > recording.end, target.seq <= recording.actionCount {
            // The recording itself does not have the state there.
            guard target <= furthest || target.reducer == 0 else {
                var error = ReplayError(.unfinished, file: recording.url.path, position: target)
                error.lastPosition = furthest
                throw error
            }
            if (0...app.reducers.count).contains(target.reducer ?? 0) { return }
        }
        // If the recording left states out, the reducers compute them.
        _ = try recording.position(target.description, knownOnly: false)
    }

    /// Checks that today's reducers are the recorded ones, so that a reducer's number means the same in both.
    package func requireSameReducers() throws(ReplayError) {
        guard recording.reducers != app.reducers, !ReducerChanges(of: app, since: recording).hasSameSteps else {
            return
        }
        throw ReplayError.reducersDiffer(recording: recording, app: app)
    }

    /// The recorded state at a position, in the form that today's types have.
    func recordedState(at position: Recording.Position) throws -> Node {
        try form.state(try recording.state(at: position))
    }

    func load(_ position: Recording.Position) throws {
        let state = try recordedState(at: position)
        do {
            try machine.load(state)
        } catch {
            throw ReplayError(.undecodableState, file: recording.url.path, position: position, cause: error)
        }
    }

    private func prepare(_ seq: Int) throws -> RecordedAction {
        let record = try actions.entry(seq).action
        watch?(ReplayPoint(seq: seq, reducer: 0, phase: .decoding))
        guard let payload = record.payload else { return record }
        do {
            try machine.prepare(payload)
        } catch {
            var failure = RecordingError.undecodableAction(
                seq: record.seq,
                type: record.type,
                file: recording.url.path,
                cause: error
            )
            let isUnregistered = (error as? RecordingError)?.code == .unknownAction
            if isUnregistered || app.names.isName(record.type) == false {
                failure.reason = "this build has no action type of that name"
                failure.path = nil
                failure.allowed = app.names.nearest(to: record.type).map { [$0] } ?? app.names.known
            }
            throw failure
        }
        return record
    }

    func naming<Result>(_ code: ReplayError.Code, _ body: () throws -> Result) throws(ReplayError) -> Result {
        do {
            return try body()
        } catch {
            throw ReplayError(code, file: recording.url.path, position: position, cause: error)
        }
    }
}

extension Replayer {
    /// The number of runs that test whether a reducer is repeatable: enough to detect a random choice of two values.
    private static let repetitions = 8

    /// Whether the result of the last reducer depends on the order of sets and dictionaries, whose hash tables order
    /// the same elements differently at each address.
    func dependsOnOrder() throws -> Bool {
        try machine.resultsElsewhereDiffer(Self.repetitions)
    }

    /// Whether the last reducer gives the same result again on the same state and action.
    func isRepeatable(_ step: ReplayedStep) throws -> Bool {
        for _ in 0..<Self.repetitions where try machine.changesOfRunningAgain() != step.patch {
            return false
        }
        return true
    }
}
