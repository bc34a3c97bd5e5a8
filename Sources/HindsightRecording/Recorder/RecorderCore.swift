import HindsightStore
import HindsightTree
import Synchronization

/// What a recorder does on the dispatching threads: writes the action ahead into the journal, marks which reducer runs,
/// keeps the states, and hands them over.
///
/// What changed is looked for by the writer behind it. Where states hold class instances, which change behind their
/// references, it is looked for here, right after each reducer.
final class RecorderCore<State: Codable & Sendable, Action: Sendable>: Sendable {
    private let session: Mutex<Session>
    private let line: WorkLine<Work<State>>
    private let actions: ActionCodec<Action>
    private let options: RecorderOptions
    private let path: String
    private let redactors: Redactors
    private let stateBytes = StateBytes()
    /// The process that records: one that is forked off it does not.
    private let generation = Fork.generation

    /// Everything that changes.
    private struct Session {
        let journal: Journal
        /// Looks for changes where that is to be done here; `nil` where it is not.
        var seeker: Seeker?
        /// Whether a store has been handed to the recorder.
        var isAttached = false
        var reducerCount = 0
        /// The action that is being reduced.
        var passage: Passage?
        /// The types of actions that left a gap.
        var troubledTypes: Set<String> = []
        /// The types of actions of which one was read back as it was redacted.
        var readTypes: Set<String> = []
    }

    /// Looks for changes right after they were made.
    private struct Seeker {
        let finder: ChangeFinder<State>
        var previous: State
        var rule: KeyframeRule
    }

    private struct Passage {
        let action: DispatchedAction
        /// The states after the reducers that have run, and their times.
        var states: [(state: State, duration: Int64)] = []
        /// What the reducers did, where that is looked for here.
        var steps: [TimedPatch] = []
        /// When the present reducer started.
        var started: Int64 = 0
    }

    /// Creates the output and starts the writer.
    ///
    /// - Throws: A ``RecordingError``: `exists`, `unwritable`, `inUse` or `badRedaction`.
    init(to path: String, app: AppInfo, actions: ActionCodec<Action>, options: RecorderOptions) throws {
        self.path = path
        self.actions = actions
        self.options = options
        redactors = try Redactors(options.redaction)
        try NewFile.check(path, overwrite: options.overwrite)
        let journal = try Journal(for: path, capacity: options.journalBytes)
        session = Mutex(Session(journal: journal))
        line = WorkLine(limit: .init(items: options.queueLimit.actions, bytes: options.queueLimit.bytes))
        do {
            // Opened here, so that what is wrong with it is told here; used by the writer's thread alone.
            nonisolated(unsafe) let writer = RecordingWriter<State>(
                try RecordingFile(path: path, app: app, redactors: redactors, overwrite: options.overwrite),
                journal,
                redactor: redactors.states,
                keyframeFloor: options.keyframeFloor,
                stateBytes: stateBytes
            )
            let (line, onError) = (line, options.onError)
            do {
                try WriterThread.start { writer.run(line) { onError?($0) } }
            } catch {
                NewFile.remove(path)
                throw RecordingError(.unwritable, file: path, cause: error)
            }
        } catch {
            journal.remove()
            throw error
        }
    }

    deinit {
        if isForked { return }
        // Its failure was told, as that of any other.
        _ = end()
    }

    private var isForked: Bool { Fork.generation != generation }

    var status: RecorderStatus {
        if isForked { return .stopped(forked) }
        return switch line.state {
        case nil: .recording
        case .closed?: .closed
        case .stopped(let error)?: .stopped(error)
        }
    }

    private var forked: RecordingError {
        RecordingError(.stopped, file: path, reason: "this process was forked off the one that is recorded")
    }

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
        var misfit: RecordingError?
        perform { session in
            session.reducerCount = reducers.count
            let hidden = self.redactors.states
            let node = try naming(self.path, 0, hidden) { try NodeEncoder(redactor: hidden).encode(initial) }
            misfit = self.misfit(of: node)
            let text = node.json
            let finder = ChangeFinder<State>(redactor: hidden)
            let seeker = Seeker(
                finder: finder,
                previous: initial,
                rule: KeyframeRule(floor: self.options.keyframeFloor)
            )
            if seeker.finder.holdsInstances {
                session.seeker = seeker
                session.seeker?.rule.keep(text.utf8.count)
                try naming(self.path, 0, hidden) { try seeker.finder.start(from: initial) }
            }
            self.line.add(.start(reducers: reducers, state: initial, text: text), bytes: text.utf8.count)
        }
        if let misfit { report(misfit) }
        // From the first action on, the file alone tells what it is.
        if line.isOpen { line.waitUntilIdle() }
        return true
    }

    func willReduce(_ action: Action, _ context: ActionContext) {
        guard line.isOpen, !isForked else { return }
        let (row, problem) = describe(action, context)
        line.waitForRoom()
        append(row)
        var isNews = false
        var isToRead = false
        perform { session in
            if self.redactors.actions.hasPatterns { isToRead = session.readTypes.insert(row.type).inserted }
            if problem != nil { isNews = session.troubledTypes.insert(row.type).inserted }
            session.passage = Passage(action: row)
            session.journal.mark(AheadMark(phase: .reducing, seq: context.seq, reducer: 1))
            session.passage?.started = Clock.monotonic
        }
        if let problem, isNews { report(problem) }
        if isToRead, let misfit = misfit(of: row) { report(misfit) }
    }

    func didRun(reducer: Int, state: State) {
        let now = Clock.monotonic
        perform { session in
            guard let started = session.passage?.started, let seq = session.passage?.action.seq else { return }
            if session.seeker != nil {
                session.journal.mark(AheadMark(phase: .reducing, seq: seq, reducer: 0))
                let patch = try self.changes(to: state, seq, reducer: reducer, in: &session)
                session.passage?.steps.append(TimedPatch(duration: now - started, patch: patch))
            } else {
                session.passage?.states.append((state, now - started))
            }
            let isLast = reducer >= session.reducerCount
            session.journal.mark(AheadMark(phase: .reducing, seq: seq, reducer: isLast ? 0 : reducer + 1))
            session.passage?.started = Clock.monotonic
        }
    }

    func didReduce(state: State) {
        perform { session in
            guard let passage = session.passage else { return }
            session.passage = nil
            if session.seeker != nil {
                try self.hand(
                    over: passage.action,
                    try self.changes(passage.steps, to: state, passage, &session),
                    in: session
                )
            } else {
                try self.hand(over: passage.action, .states(passage.states), in: session)
            }
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: State) {
        guard line.isOpen, !isForked else { return }
        let row = row(of: seq, context)
        line.waitForRoom()
        append(row)
        perform { session in
            guard session.seeker != nil else { return try self.hand(over: row, .travel(state), in: session) }
            let patch = try self.changes(to: state, row.seq, reducer: nil, in: &session)
            let steps = [TimedPatch(duration: nil, patch: patch)]
            try self.hand(over: row, try self.changes(steps, to: state, Passage(action: row), &session), in: session)
        }
    }

    // MARK: Handing over

    /// Writes an action ahead; waits for the writer where the journal is full.
    private func append(_ action: DispatchedAction) {
        while line.isOpen {
            var isWritten = false
            perform { isWritten = try $0.journal.append(action) != nil }
            if isWritten { return }
            line.waitUntilIdle()
        }
    }

    private func hand(over action: DispatchedAction, _ deed: Deed<State>, in session: Session) throws {
        // Where the journal has no room for it, the action is as good as done: it is about to be written.
        let end = try session.journal.append(done: action.seq, duration: deed.duration ?? 0)
        session.journal.mark(AheadMark(phase: .idle, seq: action.seq, reducer: 0))
        let bytes = (action.payload?.utf8.count ?? 0) + stateBytes.count
        line.add(.action(action, deed, journalEnd: end ?? session.journal.end), bytes: bytes)
    }

    /// What one reducer changed, or time travel.
    private func changes(to state: State, _ seq: Int, reducer: Int?, in session: inout Session) throws -> Patch {
        guard let seeker = session.seeker else { return Patch() }
        let patch = try naming(path, seq, reducer: reducer, redactors.states) {
            try seeker.finder.patch(from: seeker.previous, to: state)
        }
        session.seeker?.previous = state
        return patch
    }

    /// What an action changed, with the whole state where that is to be kept.
    private func changes(
        _ steps: [TimedPatch],
        to state: State,
        _ passage: Passage,
        _ session: inout Session
    ) throws -> Deed<State> {
        let bytes = TimedPatches.write(steps).operationBytes
        guard session.seeker?.rule.isDue(after: bytes) == true else { return .changes(steps, keyframe: nil) }
        let text = try naming(path, passage.action.seq, redactors.states) {
            try NodeEncoder(redactor: redactors.states).encode(state).json
        }
        session.seeker?.rule.keep(text.utf8.count)
        return .changes(steps, keyframe: text)
    }

    // MARK: Describing

    private func describe(_ action: Action, _ context: ActionContext) -> (DispatchedAction, RecordingError?) {
        var row = DispatchedAction(
            seq: context.seq,
            parent: context.parent,
            adopted: context.adopted,
            type: "",
            at: Clock.wall,
            origin: context.origin.file.isEmpty ? nil : context.origin
        )
        do {
            let node = try actions.encode(action, hiding: redactors.actions)
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
            problem = problem.withoutValues(redactors.actions)
            row.problem = problem.summary
            return (row, problem)
        }
    }

    /// Why the first state, as it is redacted, cannot be replayed from; `nil` where it can.
    private func misfit(of state: Node) -> RecordingError? {
        guard redactors.states.hasPatterns else { return nil }
        do {
            _ = try NodeDecoder().decode(State.self, from: state)
            return nil
        } catch {
            var misfit = RecordingError(.unfitPlaceholder, file: path, cause: error)
            misfit.path = (error as? TreeError)?.path
            return misfit
        }
    }

    /// Why an action, as it is redacted, cannot be run again; `nil` where it can.
    private func misfit(of row: DispatchedAction) -> RecordingError? {
        guard let payload = row.payload else { return nil }
        do {
            _ = try actions.decode(try Node(json: payload))
            return nil
        } catch {
            var misfit = RecordingError(.unfitPlaceholder, file: path, cause: error)
            misfit.type = row.type
            misfit.seq = row.seq
            misfit.path = (error as? TreeError)?.path
            return misfit
        }
    }

    /// The row that stands for time travel.
    private func row(of target: Int?, _ context: ActionContext) -> DispatchedAction {
        let place =
            switch target {
            case nil: "a given state"
            case 0?: "the initial state"
            case let seq?: "action \(seq)"
            }
        return DispatchedAction(
            seq: context.seq,
            parent: context.parent,
            adopted: context.adopted,
            type: Schema.travelType,
            at: Clock.wall,
            origin: context.origin.file.isEmpty ? nil : context.origin,
            problem: "The app travelled to \(place)."
        )
    }

    // MARK: Ending

    /// Waits until all that was dispatched is in the file.
    func flush() throws {
        if isForked { throw forked }
        line.flush()
        if case .stopped(let error) = line.state { throw error }
    }

    func close() throws {
        if isForked { throw forked }
        if case .stopped(let error) = end() { throw error }
    }

    private func end() -> WorkLine<Work<State>>.Outcome {
        session.withLock { session in
            guard line.isOpen, let passage = session.passage else { return }
            session.passage = nil
            line.add(.action(passage.action, .unfinished, journalEnd: session.journal.end), bytes: 0)
        }
        return line.end()
    }

    func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = line.end()
    }

    /// Runs a part of the recording, unless it is over; where that fails the recording stops, and the app goes on.
    private func perform(_ part: (inout Session) throws -> Void) {
        guard line.isOpen, !isForked else { return }
        let failure: RecordingError? = session.withLock { session in
            do {
                try part(&session)
                return nil
            } catch {
                var failure = error as? RecordingError ?? RecordingError(.stopped, cause: error)
                failure.file = failure.file ?? path
                // What was begun is an action all the same.
                if let passage = session.passage {
                    session.passage = nil
                    line.add(.action(passage.action, .unfinished, journalEnd: session.journal.end), bytes: 0)
                }
                return line.fail(failure) ? failure : nil
            }
        }
        if let failure { report(failure) }
    }

    /// Tells the app. No lock is held, so that it may ask for the status, or close.
    private func report(_ error: RecordingError) {
        var error = error
        error.file = error.file ?? path
        options.onError?(error)
    }
}
