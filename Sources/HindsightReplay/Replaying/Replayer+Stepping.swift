import HindsightFormat
import HindsightRecording
import HindsightTree

/// Moving a replay from action to action, and from reducer to reducer.
extension Replayer {
    /// Loads the recorded state at the start of the replay.
    func begin() throws {
        (gaps, travels) = ([], [])
        record = nil
        seq = start.seq
        stepCount = app.reducers.count
        done = min(start.reducer ?? stepCount, stepCount)
        try load(start)
        if done < stepCount {
            record = try prepare(seq)
        }
    }

    /// Returns the current action, or begins the next one if it has ended; `nil` at `limit`.
    func enterAction(upTo limit: Recording.Position) throws -> RecordedAction? {
        guard position < limit else { return nil }
        if done < stepCount, let record { return record }
        let next = try prepare(seq + 1)
        record = next
        seq += 1
        done = 0
        return next
    }

    /// Runs the next reducer of the current action and finds its changes; `nil` if all have run.
    func runReducer() throws -> ReplayedStep? {
        guard done < stepCount else { return nil }
        let index = try prepareReducer()
        defer { done += 1 }
        watch?(ReplayPoint(seq: seq, reducer: index + 1, phase: .reducing))
        let patch = try encoding {
            try machine.runFindingChanges(index) {
                watch?(ReplayPoint(seq: seq, reducer: index + 1, phase: .encoding))
            }
        }
        return ReplayedStep(reducer: index + 1, name: app.reducers[index], patch: patch)
    }

    /// The index of the next reducer. If it begins the next part of an action that was split, that part becomes the
    /// current action.
    func prepareReducer() throws -> Int {
        encodedStart = nil
        let index = done % app.reducers.count
        if index == 0, done > 0, let record { try decode(parts[done / app.reducers.count], of: record) }
        return index
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
            guard record.replayable != nil else { throw unrecorded(record) }
            if let step = try runReducer() { return (seq, step) }
        }
        return nil
    }

    private func unrecorded(_ record: RecordedAction) -> ReplayError {
        var error = ReplayError(.unrecordedAction, file: recording.url.path)
        error.seq = recordedNumber(of: record.seq)
        error.type = record.isTravel ? record.type : nil
        return error
    }

    /// Whether a migration removes the current action, and it had changed the state. Costs both states.
    private var isRemovedChange: Bool {
        get throws {
            guard parts.isEmpty, record?.replayable != nil, seq > start.seq, let seq = recordedSeq,
                seq <= recording.end.seq, recording.skippedRun(with: seq) == nil
            else { return false }
            let before = try recordedState(at: Recording.Position(seq: seq - 1))
            return try !recordedState(at: Recording.Position(seq: seq)).isEquivalent(to: before)
        }
    }

    /// If the current action was not recorded, is time travel, or has changed the state and is removed by a migration,
    /// loads the recorded state at `goal`, a position of it.
    ///
    /// - Returns: Whether it is such an action.
    func skipGap(to goal: Recording.Position) throws -> Bool {
        guard let record, try record.replayable == nil || isRemovedChange else { return false }
        if record.isGap, gaps.last != record.seq { gaps.append(record.seq) }
        if record.isTravel, travels.last != record.seq { travels.append(record.seq) }
        guard let recordedSeq else { return false }
        let after = Recording.Position(seq: recordedSeq, reducer: goal.reducer)
        if recording.absence(at: after) != nil { throw unrecorded(record) }
        done = min(goal.reducer ?? stepCount, stepCount)
        try load(after)
        return true
    }

    /// Goes on from the recorded state after the next action, which does not decode.
    ///
    /// - Returns: Whether there is a state after it: `false` if the recorded process ended in it.
    /// - Throws: `error`, with which the action did not decode, if that state is not known; the errors of loading it.
    func passUndecodable(_ error: RecordingError) throws -> Bool {
        let after = Recording.Position(seq: seq + 1)
        guard after.seq <= recording.lastFinished else { return false }
        if recording.absence(at: after) != nil { throw error }
        try load(after)
        (record, parts, stepCount) = (try actions.entry(after.seq).action, [], app.reducers.count)
        (seq, done) = (after.seq, stepCount)
        return true
    }

    /// The number that an action has in the recording, for errors; the given one if it was inserted.
    private func recordedNumber(of seq: Int) -> Int { log?.entry(seq).entry.seq ?? seq }

    /// The number of the current action in the recording; `nil` if it was inserted.
    private var recordedSeq: Int? { log.map { $0.entry(seq).entry.seq } ?? seq }

    /// Checks that this replay can reach a position.
    func check(_ target: Recording.Position) throws {
        if target < start { throw ReplayError(.beforeStart, file: recording.url.path, position: target) }
        if log != nil, target > start { return try checkInLog(target) }
        if target.reducer != nil {
            try requireSameReducers()
            try requireWhole(target.seq)
        }
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

    /// Checks that the changed log has a position.
    private func checkInLog(_ target: Recording.Position) throws {
        guard target > end || !(0...app.reducers.count).contains(target.reducer ?? 0) else { return }
        let (file, allowed) = (recording.url.path, ["\(start) to \(end)"])
        throw RecordingError(.positionOutOfRange, file: file, given: "\(target)", allowed: allowed)
    }

    /// Checks that today's reducers are the recorded ones, so that a reducer's number means the same in both.
    package func requireSameReducers() throws(ReplayError) {
        guard recording.reducers != app.reducers, !ReducerChanges(of: app, since: recording).hasSameSteps else {
            return
        }
        throw ReplayError.reducersDiffer(recording: recording, app: app)
    }

    /// Checks that the recording has the form of today's types.
    func requireCurrentForm() throws(ReplayError) {
        if !form.isCurrent { throw ReplayError(.earlierForm, file: recording.url.path) }
    }

    /// The recorded state at a position, in the form that today's types have. Cheap if it is asked for again.
    func recordedState(at position: Recording.Position) throws -> Node {
        if let recordedMemo, recordedMemo.position == position { return recordedMemo.state }
        let migrated = try migratedState(at: position)
        do {
            let state = try form.state(migrated)
            recordedMemo = (position, state)
            return state
        } catch {
            throw undecodable(migrated, at: position, error)
        }
    }

    /// The recorded state at a position with migrations and defaults, as today's types read it.
    func migratedState(at position: Recording.Position) throws -> Node {
        let recorded = try rawState(at: position)
        return try recording.migrating(position) { try form.migrated(recorded) }
    }

    /// The recorded state at a position, as it was recorded.
    private func rawState(at position: Recording.Position) throws -> Node {
        if form.isCurrent { return try recording.state(at: position) }
        if let recordedCursor {
            try recordedCursor.move(to: position)
            return recordedCursor.state
        }
        let cursor = try StateCursor(on: recording, at: position)
        recordedCursor = cursor
        return cursor.state
    }

    /// Finds the fields that only the recorded states have, in the state at the start, which is loaded.
    ///
    /// - Throws: ``ReplayError`` with the code `renamedField` if a field seems to be renamed.
    func findForm() throws {
        let state = try recordedState(at: start)
        let today = try encoding { try machine.state() }
        encodedStart = today
        try form.findUnread(in: state, readAs: today)
        if form.isConverted {
            recordedMemo = nil
            do {
                try app.checkDecodes(state)
            } catch {
                throw undecodable(state, at: start, error)
            }
        }
        guard let suspect = form.suspects.first else { return }
        throw MigrationLine(recording, app).failure(for: suspect, inState: try migratedState(at: start), start)
    }

    /// Finds the fields that only a later recorded state has, and values that today's types read as other ones. Costs
    /// decoding and encoding the state.
    ///
    /// - Parameter canConvert: Whether recorded states may be compared after they were read, from here on.
    /// - Returns: Whether there are some that were not known.
    func findForm(in state: Node, canConvert: Bool) -> Bool {
        var found = form
        do {
            try app.checkDecodes(state)
            let isNew = try found.findUnread(in: state, readAs: try app.typed.reencoded(state, redactor))
            guard isNew || found.isConverted != form.isConverted else { return false }
        } catch {
            // Such a state is reported as one that does not decode, or it has placeholders for what it hides.
            return false
        }
        if found.isConverted, !form.isConverted {
            if !canConvert { return false }
            recordedMemo = nil
        }
        form = found
        return true
    }

    func load(_ position: Recording.Position) throws {
        encodedStart = nil
        let state = try recordedState(at: position)
        do {
            try machine.load(state)
        } catch {
            let readable: Node
            do {
                readable = try form.readable(state)
            } catch {
                throw undecodable(state, at: position, error)
            }
            recordedMemo = (position, readable)
            try machine.load(readable)
        }
    }

    func undecodable(_ state: Node, at position: Recording.Position, _ cause: any Error) -> ReplayError {
        MigrationLine(recording, app).failure(for: cause, inState: state, position)
    }

    /// Checks that an action is one action today. Positions between the parts of a split one do not exist.
    private func requireWhole(_ seq: Int) throws {
        guard !form.isCurrent, seq >= 1, seq <= recording.actionCount,
            let payload = try actions.entry(seq).action.replayable
        else { return }
        let position = Recording.Position(seq: seq)
        guard try recording.migrating(position, { try form.actions(payload) }).count != 1 else { return }
        var error = ReplayError(.splitAction, file: recording.url.path, position: position)
        error.seq = seq
        throw error
    }

    private func prepare(_ seq: Int) throws -> RecordedAction {
        recordedMemo = nil
        let record: RecordedAction
        (record, recordedSteps) = try actions.entry(seq)
        watch?(ReplayPoint(seq: seq, reducer: 0, phase: .decoding))
        guard let payload = record.replayable else {
            (parts, stepCount) = ([], app.reducers.count)
            return record
        }
        // The actions that a changed log adds have today's form.
        let isNew = log.map { $0.entry(seq).entry.payload != nil } ?? false
        guard !isNew && form.isMigrated else {
            try decode(payload, of: record)
            if parts.count == 1 { parts[0] = payload } else { parts = [payload] }
            stepCount = app.reducers.count
            return record
        }
        let position = Recording.Position(seq: recordedNumber(of: seq))
        let present = try recording.migrating(position) { try form.actions(payload) }
        if let first = present.first { try decode(first, of: record) }
        (parts, stepCount) = (present, present.count * app.reducers.count)
        return record
    }

    /// What a recorded action is today: usually one action, several if a migration splits it, or none. Does not move.
    ///
    /// - Parameter body: Decodes an action.
    /// - Throws: The errors of ``next()``.
    func presentActions<Result>(of seq: Int, _ body: (Node) throws -> Result) throws -> [Result] {
        let record = try actions.entry(seq).action
        guard let payload = record.replayable else { return [] }
        return try recording.migrating(Recording.Position(seq: seq)) { try form.actions(payload) }.map { action in
            try naming(action, of: record) { try body(action) }
        }
    }

    /// Makes an action the current one.
    private func decode(_ action: Node, of record: RecordedAction) throws {
        try naming(action, of: record) { try machine.prepare(action) }
    }

    /// Names an action that does not decode.
    private func naming<Result>(
        _ action: Node,
        of record: RecordedAction,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            let type = action.soleMember?.key ?? record.type
            let seq = recordedNumber(of: record.seq)
            throw MigrationLine(recording, app).failure(for: error, inAction: action, ofType: type, seq)
        }
    }

    /// Names a state that cannot be encoded.
    func encoding<Result>(_ body: () throws -> Result) throws(ReplayError) -> Result {
        do {
            return try body()
        } catch {
            throw ReplayError(.unencodableState, file: recording.url.path, position: position, cause: error)
        }
    }

    // MARK: Running again

    /// The number of runs that test whether a reducer is repeatable: enough to detect a random choice of two values.
    private static let repetitions = 8

    /// Whether the last reducer gives another value at a place each time it runs: from the clock, from random numbers,
    /// or from the order of sets and dictionaries, whose hash tables order the same elements differently at each
    /// address.
    func isUnstable(at path: NodePath) throws -> Bool {
        try machine.resultsElsewhereDiffer(Self.repetitions, at: path)
    }

    /// Whether the last reducer gives the same result again on the same state and action.
    func isRepeatable(_ step: ReplayedStep) throws -> Bool {
        for _ in 0..<Self.repetitions where try machine.changesOfRunningAgain() != step.patch {
            return false
        }
        return true
    }
}
