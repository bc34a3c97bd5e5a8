import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization

/// What a recorder does, apart from the disk: takes what happens at the reducers' door, works out what changed, and
/// hands it to the output.
///
/// While an action is reduced the states are only kept; what changed is looked for when its last reducer has run. So no
/// reducer's time has the recorder's in it, and a trap in a state's `encode(to:)` is not laid to a reducer. Where states
/// hold class instances, which change behind their references, it is looked for right after each reducer.
final class RecorderCore<State: Codable & Sendable, Action: Sendable>: Sendable {
    private let session: Mutex<Session>
    private let latestStatus = Mutex(RecorderStatus.recording)
    private let actions: ActionCodec<Action>
    private let options: RecorderOptions
    private let path: String

    /// Everything that changes.
    private struct Session {
        /// `nil` once the recording is over.
        var output: RecordingFile?
        let finder = ChangeFinder<State>()
        /// Whether a store has been handed to the recorder.
        var isAttached = false
        /// The state after the last action; `nil` before a store is attached.
        var previous: State?
        var reducerCount = 0
        /// The action that is being reduced.
        var passage: Passage?
        /// The types of actions that left a gap.
        var troubledTypes: Set<String> = []
    }

    private struct Passage {
        let seq: Int
        let adopted: [Int]
        /// The states after the reducers that have run and were not looked at yet, and their times.
        var states: [(state: State, duration: Int64)] = []
        /// What the reducers did whose states were looked at.
        var steps: [TimedPatch] = []
        /// When the present reducer started.
        var started: Int64 = 0
    }

    init(output: sending RecordingFile, actions: ActionCodec<Action>, options: RecorderOptions) {
        path = output.path
        session = Mutex(Session(output: output))
        self.actions = actions
        self.options = options
    }

    deinit {
        do {
            try close()
        } catch {
            report(wrapped(error))
        }
    }

    var status: RecorderStatus { latestStatus.withLock { $0 } }

    // MARK: At the reducers' door

    /// Takes the store's first state, if this is the first store.
    ///
    /// - Returns: Whether it is.
    func start(initial: State, reducers: [String]) -> Bool {
        let isFirst = session.withLock { session in
            defer { session.isAttached = true }
            return !session.isAttached
        }
        guard isFirst else {
            report(RecordingError(.secondStore, reason: "that store is not recorded"))
            return false
        }
        perform { session, output in
            session.previous = initial
            session.reducerCount = reducers.count
            try self.finding(after: 0) { try session.finder.start(from: initial) }
            try output.begin(reducers: reducers, state: self.text(of: initial, after: 0))
        }
        return true
    }

    func willReduce(_ action: Action, _ context: ActionContext) {
        guard case .recording = status else { return }
        let (row, problem) = describe(action, context)
        var isNews = false
        perform { session, output in
            try output.write(row)
            if problem != nil { isNews = session.troubledTypes.insert(row.type).inserted }
            try output.write(AheadMark(phase: .reducing, seq: context.seq, reducer: 1))
            session.passage = Passage(seq: context.seq, adopted: context.adopted)
            session.passage?.started = Clock.monotonic
        }
        if let problem, isNews { report(problem) }
    }

    func didRun(reducer: Int, state: State) {
        let now = Clock.monotonic
        perform { session, output in
            guard var passage = session.passage else { return }
            passage.states.append((state, now - passage.started))
            if session.finder.holdsInstances {
                try output.write(AheadMark(phase: .reducing, seq: passage.seq, reducer: 0))
                try self.findChanges(of: &passage, in: &session)
            }
            let mark =
                reducer < session.reducerCount
                ? AheadMark(phase: .reducing, seq: passage.seq, reducer: reducer + 1)
                : AheadMark(phase: .idle, seq: passage.seq, reducer: 0)
            try output.write(mark)
            passage.started = Clock.monotonic
            session.passage = passage
        }
    }

    func didReduce(state: State) {
        perform { session, output in
            guard var passage = session.passage else { return }
            session.passage = nil
            try self.findChanges(of: &passage, in: &session)
            var effect = RecordingFile.Effect(passage.steps)
            effect.adopted = passage.adopted
            try self.addKeyframe(of: state, to: &effect, after: passage.seq, output)
            try output.finish(seq: passage.seq, effect)
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: State) {
        perform { session, output in
            var patch = Patch()
            if let previous = session.previous {
                patch = try self.finding(after: context.seq) { try session.finder.patch(from: previous, to: state) }
            }
            session.previous = state
            var effect = RecordingFile.Effect([TimedPatch(duration: nil, patch: patch)])
            effect.adopted = context.adopted
            try self.addKeyframe(of: state, to: &effect, after: context.seq, output)
            try output.write(self.row(of: seq, context), effect)
        }
    }

    /// Looks for what each reducer changed whose state was not looked at yet.
    private func findChanges(of passage: inout Passage, in session: inout Session) throws {
        guard var previous = session.previous else { return }
        defer { session.previous = previous }
        for (state, duration) in passage.states {
            let patch = try finding(after: passage.seq, reducer: passage.steps.count + 1) {
                try session.finder.patch(from: previous, to: state)
            }
            previous = state
            passage.steps.append(TimedPatch(duration: duration, patch: patch))
        }
        passage.states = []
    }

    private func addKeyframe(
        of state: State,
        to effect: inout RecordingFile.Effect,
        after seq: Int,
        _ output: RecordingFile
    ) throws {
        let bytes = output.operationBytes + effect.operationBytes
        guard bytes > max(output.keyframeBytes, options.keyframeFloor) else { return }
        effect.keyframe = try text(of: state, after: seq)
    }

    // MARK: Encoding

    private func describe(_ action: Action, _ context: ActionContext) -> (RecordingFile.Action, RecordingError?) {
        var row = RecordingFile.Action(
            seq: context.seq,
            parent: context.parent,
            type: "",
            at: Clock.wall,
            origin: context.origin.file.isEmpty ? nil : context.origin
        )
        do {
            let node = try actions.encode(action)
            row.type = actions.typeName(of: action, as: node)
            row.payload = node.json
            return (row, nil)
        } catch {
            row.type = actions.typeName(of: action, as: nil)
            var problem = error as? RecordingError ?? RecordingError(.unencodableAction, cause: error)
            problem.type = problem.type ?? row.type
            problem.seq = context.seq
            problem.file = path
            problem.path = problem.path ?? (error as? TreeError)?.path
            row.problem = problem.summary
            return (row, problem)
        }
    }

    /// The row that stands for time travel.
    private func row(of target: Int?, _ context: ActionContext) -> RecordingFile.Action {
        let place =
            switch target {
            case nil: "a given state"
            case 0?: "the initial state"
            case let seq?: "action \(seq)"
            }
        return RecordingFile.Action(
            seq: context.seq,
            parent: context.parent,
            type: Schema.travelType,
            at: Clock.wall,
            origin: context.origin.file.isEmpty ? nil : context.origin,
            problem: "The app travelled to \(place)."
        )
    }

    private func text(of state: State, after seq: Int) throws -> String {
        try finding(after: seq) { try NodeEncoder().encode(state).json }
    }

    /// Runs what encodes a state, and says of which action and reducer it is.
    private func finding<Result>(after seq: Int, reducer: Int? = nil, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            var wrapped = RecordingError(.unencodableState, file: path, cause: error)
            wrapped.seq = seq
            wrapped.reducer = reducer
            wrapped.path = (error as? TreeError)?.path
            throw wrapped
        }
    }

    // MARK: Ending

    func close() throws {
        let failure: RecordingError? = session.withLock { session in
            guard let output = session.output else { return nil }
            session.output = nil
            session.passage = nil
            do {
                try output.close()
                latestStatus.withLock { $0 = .closed }
                return nil
            } catch {
                let failure = wrapped(error)
                latestStatus.withLock { $0 = .stopped(failure) }
                return failure
            }
        }
        if let failure { throw failure }
    }

    func stop(_ error: RecordingError) {
        perform { _, _ in throw error }
    }

    /// Runs a part of the recording, unless it is over; where that fails the recording stops, and the app goes on.
    private func perform(_ part: (inout Session, RecordingFile) throws -> Void) {
        let failure: RecordingError? = session.withLock { session in
            guard let output = session.output else { return nil }
            do {
                try part(&session, output)
                return nil
            } catch {
                let failure = wrapped(error)
                session.output = nil
                session.passage = nil
                output.abandon(because: failure.summary)
                latestStatus.withLock { $0 = .stopped(failure) }
                return failure
            }
        }
        if let failure { report(failure) }
    }

    private func wrapped(_ error: any Error) -> RecordingError {
        var wrapped = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        wrapped.file = wrapped.file ?? path
        return wrapped
    }

    /// Tells the app. No lock is held, so that it may ask for the status, or close.
    private func report(_ error: RecordingError) {
        var error = error
        error.file = error.file ?? path
        options.onError?(error)
    }
}
