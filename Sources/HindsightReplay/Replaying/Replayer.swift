import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs today's reducers over recorded actions, from any position of a recording on.
///
/// ```swift
/// let replayer = try Replayer(of: recording, by: app)
/// while let action = try replayer.next() {
///     print(action.recorded.type, action.steps?.count ?? 0)
/// }
/// print(try replayer.state().prettyJSON())
/// ```
///
/// Only reducers run: no middleware, no effects, no subscribers. Actions that middleware dispatched were recorded and
/// run like all others. An action that could not be recorded is a *gap*: the replay continues from the recorded state
/// after it. It does the same after a time travel of the recorded app.
///
/// **Cost.** Each action costs the run of its reducers, a copy of the collections that they change, and the search for
/// changes. Creating a replayer, going back and a gap each cost the whole state.
public final class Replayer {
    /// The app whose reducers run.
    public let app: ReplayableApp
    /// The recording whose actions are run.
    public let recording: Recording
    /// The changed log whose actions are run; `nil` if they are those of the recording.
    ///
    /// The numbers of actions and positions are then those of the changed log, also in errors. ``start`` is a position of
    /// both.
    package let log: ChangedLog?
    /// The position from which the replay began, on the recorded state.
    public let start: Recording.Position
    /// The last position that ``next()`` reaches.
    ///
    /// ``move(to:)`` also enters an action that never finished, up to the reducer in which the recorded process ended.
    public let end: Recording.Position
    /// The numbers of the actions up to here that could not be recorded, and so did not run.
    package internal(set) var gaps: [Int] = []
    /// The numbers of the time travels up to here.
    var travels: [Int] = []

    /// The last position that ``move(to:)`` reaches.
    let furthest: Recording.Position
    // No code that can reach this replayer runs while one of the unchecked properties is changed.

    /// Called before each point is reached. Its cost adds to that of each step.
    package var watch: ((ReplayPoint) -> Void)?

    let machine: any ReplayMachine
    /// Redacts today's states like the recorded ones.
    let redactor: Redactor
    /// Brings recorded nodes into the form that today's types have.
    var form: RecordedForm
    /// What the current action is today: one action, several if a migration splits it, or none.
    var parts: [Node] = []
    /// The number of reducers that the current action runs, over all its parts.
    var stepCount: Int
    /// The last recorded state, which is often needed twice.
    var recordedMemo: (position: Recording.Position, state: Node)?
    /// The replayed state as a node, until a reducer runs.
    var encodedStart: Node?
    /// Reads one recorded state after another, if recorded patches cannot be used.
    var recordedCursor: StateCursor?
    var actions: ActionReader
    /// The current or the last action; `nil` before the first.
    var record: RecordedAction?
    /// The recorded steps of the current action; `nil` if there are none, or the replay does not read steps.
    var recordedSteps: StepsText?
    /// The same, parsed; empty if there are none.
    func parsedSteps() throws(RecordingError) -> [RecordedStep] {
        guard let recordedSteps else { return [] }
        return try recording.steps(in: recordedSteps)
    }
    /// The number of the current or the last action.
    var seq: Int
    /// The number of its reducers that have run, over all its parts.
    var done: Int

    /// Creates a replay that begins on a recorded state.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - app: The app whose reducers run.
    ///   - start: The position to begin at; `nil` for the first state.
    ///   - runningUnfinished: Whether to run the action in which the recorded process ended, too. Its reducers may end
    ///     this process as they ended that one.
    /// - Throws: ``ReplayError``: `otherApp`, `undecodableState`, `unencodableState`, `badMigrations`, `failedMigration`,
    ///   `renamedField`, and `reducersDiffer` or `splitAction` if `start` lies between two reducers; `RecordingError` if
    ///   the recording has no such position or cannot be read.
    public convenience init(
        of recording: Recording,
        by app: ReplayableApp,
        from start: Recording.Position? = nil,
        runningUnfinished: Bool = false
    ) throws {
        try self.init(
            of: recording,
            by: app,
            from: start ?? recording.start,
            to: Recording.Position(seq: runningUnfinished ? recording.actionCount : recording.lastFinished),
            readingSteps: false
        )
    }

    /// Creates a run of the actions of a changed log, which begins on the last state that was recorded before the first
    /// change.
    ///
    /// Where an action could not be recorded, and at a time travel, the run continues from the recorded state after it,
    /// as any replay does.
    ///
    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - app: The app whose reducers run.
    ///   - log: A changed log of the recording.
    ///   - runningUnfinished: Whether to run the action in which the recorded process ended, and what comes after it,
    ///     too. Its reducers may end this process as they ended that one.
    /// - Throws: The errors of ``init(of:by:from:runningUnfinished:)``, and ``ReplayError`` with the code `badAction` if
    ///   an action of the log does not decode.
    package convenience init(
        of recording: Recording,
        by app: ReplayableApp,
        running log: ChangedLog,
        runningUnfinished: Bool = false
    ) throws {
        for edit in log.edits {
            switch edit {
            case .edit(_, let action), .insert(let action, _): try app.checkAction(action)
            case .skip, .skipAll, .move: break
            }
        }
        try self.init(
            of: recording,
            by: app,
            from: log.base(in: recording),
            to: Recording.Position(seq: runningUnfinished ? log.lastNumber : log.number(after: recording.lastFinished)),
            readingSteps: true,
            running: log
        )
    }

    init(
        of recording: Recording,
        by app: ReplayableApp,
        from start: Recording.Position,
        to end: Recording.Position,
        readingSteps: Bool,
        running log: ChangedLog? = nil
    ) throws {
        form = try app.form(of: recording)
        redactor = form.redactor
        self.app = app
        self.recording = recording
        self.log = log
        self.start = start
        self.end = end
        furthest = log == nil ? max(end, recording.lastBeforeCrash) : end
        machine = app.typed.makeMachine(redactor)
        actions = ActionReader(recording, of: app, withSteps: readingSteps, running: log)
        (seq, done, stepCount) = (start.seq, 0, app.reducers.count)
        try check(start)
        try begin()
        try findForm()
    }

    /// Whether today's changes apply to the recorded states: no migration applies, and no field is missing.
    package var readsRecordedForm: Bool { form.isCurrent && form.defaults.isEmpty && form.nullable.isEmpty }

    /// The position of the replayed state.
    public var position: Recording.Position {
        Recording.Position(seq: seq, reducer: done == stepCount ? nil : done)
    }

    /// The number of the action that ``next()`` runs or finishes; `nil` at the end.
    public var nextSeq: Int? {
        guard position < end else { return nil }
        return done < stepCount && record != nil ? seq : seq + 1
    }

    /// The replayed state at ``position``. Costs as much as encoding the whole state.
    ///
    /// - Throws: ``ReplayError`` with the code `unencodableState`.
    public func state() throws(ReplayError) -> Node {
        if let encodedStart { return encodedStart }
        if record != nil { watch?(ReplayPoint(seq: seq, reducer: done, phase: .encoding)) }
        return try encoding { try machine.state() }
    }

    /// Runs the rest of the current action, or the whole next action.
    ///
    /// - Returns: The action and what its reducers changed; `nil` at the end.
    /// - Throws: `RecordingError` with the code `undecodableAction` if the action does not decode; ``ReplayError`` with
    ///   the code `unencodableState`, or `undecodableState` after a gap.
    public func next() throws -> ReplayedAction? {
        guard let record = try enterAction(upTo: end) else { return nil }
        if try skipGap(to: Recording.Position(seq: seq)) { return ReplayedAction(recorded: record, steps: nil) }
        var steps: [ReplayedStep] = []
        while let step = try runReducer() {
            steps.append(step)
        }
        return ReplayedAction(recorded: record, steps: steps)
    }

    /// Goes to a position: forward by running reducers, back by beginning again at ``start``.
    ///
    /// It does not search for changes, so it costs little beyond the reducers' own work. It runs the action in which
    /// the recorded process ended up to the last reducer that returned: to `413.2` if the process ended in the third.
    ///
    /// - Throws: The errors of ``next()``, and ``ReplayError``: `beforeStart`, `unfinished`, and `reducersDiffer` if
    ///   `target` lies between two reducers; `RecordingError` if the recording has no such position.
    public func move(to target: Recording.Position) throws {
        try check(target)
        if target < position { try begin() }
        while position < target {
            guard try enterAction(upTo: furthest) != nil else { return }
            let goal = seq == target.seq ? target : Recording.Position(seq: seq)
            if try skipGap(to: goal) { continue }
            try runReducers(upTo: goal)
        }
    }

    /// Runs reducers of the current action without a search for changes.
    func runReducers(upTo goal: Recording.Position) throws {
        while position < goal {
            let index = try prepareReducer()
            watch?(ReplayPoint(seq: seq, reducer: index + 1, phase: .reducing))
            machine.run(index)
            done += 1
        }
    }
}
