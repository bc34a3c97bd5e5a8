import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization

/// What a recorder does, apart from the disk: takes what happens at the reducers' door, works out what changed, and
/// hands it to the output.
///
/// While an action is reduced the states are only kept; what changed is looked for when its last reducer has run. So no
/// reducer's time has the recorder's in it, and a trap in a state's `encode(to:)` is not laid to a reducer.
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
        /// The states after the reducers that have run, and their times.
        var steps: [(state: State, duration: Int64)] = []
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
            guard let passage = session.passage else { return }
            session.passage?.steps.append((state, now - passage.started))
            let mark =
                reducer < session.reducerCount
                ? AheadMark(phase: .reducing, seq: passage.seq, reducer: reducer + 1)
                : AheadMark(phase: .idle, seq: passage.seq, reducer: 0)
            try output.write(mark)
            session.passage?.started = Clock.monotonic
        }
    }

    func didReduce(state: State) {
        perform { session, output in
            guard let passage = session.passage else { return }
            session.passage = nil
            let steps = try self.changes(of: passage, in: &session)
            let patchBytes = steps.reduce(output.patchBytes) { $0 + ($1.patch?.utf8.count ?? 0) }
            let isKeyframeDue = patchBytes > max(output.keyframeBytes, self.options.keyframeFloor)
            try output.finish(
                seq: passage.seq,
                steps: steps,
                adopted: passage.adopted,
                keyframe: isKeyframeDue ? self.text(of: state, after: passage.seq) : nil
            )
        }
    }

    /// What each reducer of an action changed.
    private func changes(of passage: Passage, in session: inout Session) throws -> [RecordingFile.Step] {
        guard var previous = session.previous else { return [] }
        defer { session.previous = previous }
        return try passage.steps.enumerated().map { index, step in
            do {
                let patch = try session.finder.patch(from: previous, to: step.state)
                previous = step.state
                return RecordingFile.Step(duration: step.duration, patch: patch.isEmpty ? nil : patch.json)
            } catch {
                throw unencodable(error, seq: passage.seq, reducer: index + 1)
            }
        }
    }

    // MARK: Encoding

    private func describe(_ action: Action, _ context: ActionContext) -> (RecordingFile.Action, RecordingError?) {
        var row = RecordingFile.Action(
            seq: context.seq,
            parent: context.parent,
            type: "",
            at: Clock.wall,
            origin: context.origin.file.isEmpty ? "" : context.origin.description
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

    private func text(of state: State, after seq: Int) throws -> String {
        do {
            return try NodeEncoder().encode(state).json
        } catch {
            throw unencodable(error, seq: seq, reducer: nil)
        }
    }

    private func unencodable(_ error: any Error, seq: Int, reducer: Int?) -> RecordingError {
        var wrapped = RecordingError(.unencodableState, file: path, cause: error)
        wrapped.seq = seq
        wrapped.reducer = reducer
        wrapped.path = (error as? TreeError)?.path
        return wrapped
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
