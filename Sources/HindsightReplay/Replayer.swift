import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs today's reducers over recorded actions, from any position of a recording on.
///
/// ```swift
/// let replayer = try Replayer(app, of: recording)
/// while let action = try replayer.next() {
///     print(action.record.type, action.steps?.count ?? 0)
/// }
/// print(try replayer.state().prettyJSON())
/// ```
///
/// Only reducers run: no middleware, no effects, no subscribers. Actions that middleware dispatched were recorded and
/// run like all others. An action that could not be recorded is a *gap*: the replay goes on from the recorded state
/// after it, as it does where the running app travelled through time.
///
/// **Cost.** Each action costs what its reducers cost, a copy of the collections that they change, and the search for
/// what they changed. Beginning, going back and a gap cost the whole state.
public final class Replayer {
    /// The app whose reducers run.
    public let app: ReplayableApp
    /// The recording whose actions are run.
    public let recording: Recording
    /// Where the replay began, on the recorded state.
    public let start: Position
    /// The last position that ``next()`` reaches.
    ///
    /// ``move(to:)`` goes on into an action that never finished, as far as before the reducer in which the recorded
    /// process ended.
    public let end: Position
    /// The numbers of the actions up to here that could not be recorded, and so not be run.
    public internal(set) var gaps: [Int] = []

    /// The last position that ``move(to:)`` reaches.
    let furthest: Position
    /// Told each point before it is reached; the cost of each step grows by what this does.
    package var watch: ((ReplayPoint) -> Void)?

    let machine: any ReplayMachine
    /// Hides of today's states what was hidden of the recorded ones.
    let redactor: Redactor
    var actions: ActionReader
    /// The action that is being run, or was run last; `nil` where none was run yet.
    var record: ActionRecord?
    /// The number of the action that is being run, or was run last.
    var seq: Int
    /// How many of its reducers have run.
    var done: Int

    /// Begins a replay on a recorded state.
    ///
    /// - Parameters:
    ///   - app: The app whose reducers run.
    ///   - recording: What was recorded of it.
    ///   - start: Where to begin; `nil` for the initial state.
    ///   - runningUnfinished: Whether the action in which the recorded process ended is run too. Its reducers may well
    ///     end this process as they ended that one.
    /// - Throws: ``ReplayError``: `otherApp`, `reducersDiffer` where `start` lies between two reducers,
    ///   `undecodableState`; `RecordingError` where the recording has no such position or cannot be read.
    public convenience init(
        _ app: ReplayableApp,
        of recording: Recording,
        from start: Position? = nil,
        runningUnfinished: Bool = false
    ) throws {
        try self.init(
            app,
            of: recording,
            from: start ?? recording.start,
            to: Position(seq: runningUnfinished ? recording.actionCount : recording.lastFinished),
            readingSteps: false
        )
    }

    init(
        _ app: ReplayableApp,
        of recording: Recording,
        from start: Position,
        to end: Position,
        readingSteps: Bool
    ) throws {
        guard recording.app.name == app.name else {
            throw ReplayError.otherApp(recording: recording, app: app.name)
        }
        self.app = app
        self.recording = recording
        self.start = start
        self.end = end
        furthest = max(end, recording.lastBeforeCrash)
        redactor = try recording.redaction.stateRedactor()
        machine = app.makeMachine(redactor)
        actions = ActionReader(recording, withSteps: readingSteps)
        (seq, done) = (start.seq, 0)
        try check(start)
        try begin()
    }

    /// Where the replayed state stands.
    public var position: Position {
        Position(seq: seq, reducer: done == app.reducers.count ? nil : done)
    }

    /// The number of the action that ``next()`` runs, or what is left of it; `nil` at the end.
    public var nextSeq: Int? {
        guard position < end else { return nil }
        return done < app.reducers.count && record != nil ? seq : seq + 1
    }

    /// The replayed state here.
    ///
    /// Throws ``ReplayError`` with code `unencodableState`. Costs as much as encoding the whole state.
    public func state() throws -> Node {
        if record != nil { watch?(ReplayPoint(seq: seq, reducer: done, phase: .encoding)) }
        return try naming(.unencodableState) { try machine.state() }
    }

    /// Runs what is left of the current action, or else the next action whole.
    ///
    /// - Returns: What its reducers did; `nil` at the end.
    /// - Throws: `RecordingError` with code `undecodableAction` where the action does not decode; ``ReplayError`` with
    ///   code `undecodableState` after a gap or `unencodableState`.
    public func next() throws -> ReplayedAction? {
        guard let record = try enterAction(upTo: end) else { return nil }
        if try skipGap(to: Position(seq: seq)) { return ReplayedAction(record: record, steps: nil) }
        var steps: [ReplayedStep] = []
        while let step = try runReducer() {
            steps.append(step)
        }
        return ReplayedAction(record: record, steps: steps)
    }

    /// Goes to a position: forward by running reducers, back by beginning again where the replay began.
    ///
    /// It does not look for what changes, and so costs little beyond the reducers' own work. The action in which the
    /// recorded process ended is run up to its last reducer that returned: to `413.2` where it ended in the third.
    ///
    /// - Throws: What ``next()`` throws, and ``ReplayError``: `beforeStart`, `unfinished`, and `reducersDiffer` where
    ///   `target` lies between two reducers; `RecordingError` where the recording has no such position.
    public func move(to target: Position) throws {
        try check(target)
        if target < position { try begin() }
        while position < target {
            guard try enterAction(upTo: furthest) != nil else { return }
            let goal = seq == target.seq ? target : Position(seq: seq)
            if try skipGap(to: goal) { continue }
            while position < goal {
                watch?(ReplayPoint(seq: seq, reducer: done + 1, phase: .reducing))
                machine.run(done)
                done += 1
            }
        }
    }
}
