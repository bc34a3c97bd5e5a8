import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// What a recorder does on the dispatching threads: writes the action ahead into the journal, marks which reducer runs,
/// keeps the states, and hands them over.
///
/// What changed is looked for by the writer behind it. Where states hold class instances, which change behind their
/// references, it is looked for here, right after each reducer.
final class RecorderCore<State: Codable & Sendable, Action: Sendable>: Sendable {
    private let session: Locked<RecorderSession>
    /// The session's. Phases are marked in it without the session's lock: by the thread alone that holds the store's.
    private let journal: Journal
    private let channel: WriterChannel<WriterCommand>
    private let options: RecorderOptions
    let path: String
    private let redactors: Redactors
    private let findings = WriterFindings()
    /// Where the states' memory is that a change may copy.
    private let buffers = BufferLayout(of: State.self)
    /// The buffers of the state that was handed over last.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) private var lastBuffers: [UInt] = []
    /// The process that records: one that is forked off it does not.
    private let generation = Fork.generation

    private static var heldUp: String {
        "its writer waits for the app: a state's deinit or encode(to:) may be waiting for the store that dispatches"
    }

    /// Of more types than this, no action is read back as it was redacted.
    private static var mostReadTypes: Int { 1000 }

    /// Looks for changes where that is to be done here; `nil` where it is not.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) private var eagerDiffer: StateDiffer<State>?
    /// Sound: touched only before an action's first reducer runs, and the store lets one action through at a time.
    nonisolated(unsafe) private let describer: ActionDescriber<Action>
    /// Sound: as `describer`.
    @exclusivity(unchecked) nonisolated(unsafe) private var slots: [PendingAction] = []
    private let pool = PendingActionPool()

    /// Creates the output and starts the writer.
    ///
    /// - Throws: A ``RecordingError``: `exists`, `unwritable`, `inUse` or `badRedaction`.
    init(to path: String, app: AppInfo, actions: ActionCodec<Action>, options: RecorderOptions) throws {
        self.path = path
        self.options = options
        redactors = try Redactors(options.redaction)
        describer = ActionDescriber(actions, hiding: redactors.actions, path: path)
        try NewFile.check(path, overwrite: options.overwrite)
        let journal = try Journal(
            for: path,
            capacity: options.journalCapacity,
            options.durability,
            overwrite: options.overwrite,
            marksCrashes: options.marksCrashes
        )
        self.journal = journal
        session = Locked(RecorderSession(journal: journal))
        channel = WriterChannel(limit: .init(items: options.queueLimit.actions, bytes: options.queueLimit.bytes))
        do {
            // Opened here, so that what is wrong with it is told here; used by the writer's thread alone.
            let file = try RecordingFile(path: path, app: app, redactors: redactors, options)
            let session = session
            nonisolated(unsafe) let writer = RecordingWriter<State>(
                file,
                journal,
                markStopped: { session.withLock { $0.journal.markStopped() } },
                differ: StateDiffer(options.keyframeRule, redactors.states, path: path, writesText: true),
                findings: findings,
                pool: pool,
                trimmer: try file.trimmer(of: options),
                channel: channel,
                report: { [onError = options.onError] in onError?($0) }
            )
            writer.differ.finder.missedField = options.missedField
            do {
                try BackgroundThread.start { writer.run() }
            } catch {
                NewFile.remove(path)
                throw RecordingError(.unwritable, file: path, cause: error)
            }
        } catch {
            journal.remove()
            // It goes without a writer: nobody is to wait for one.
            channel.conclude(
                .stopped(error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error))
            )
            channel.told()
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
        return switch channel.state {
        case nil: .recording
        case .closed?: .closed
        case .stopped(let error)?: .stopped(error)
        }
    }

    /// In a process that was forked off, nothing: the line's lock may have been another thread's at that moment.
    var progress: RecorderProgress { isForked ? RecorderProgress() : channel.progress }

    private var forked: RecordingError {
        RecordingError(.stopped, file: path, reason: "this process was forked off the one that is recorded")
    }

    // MARK: At the reducers' door

    /// Takes the store's first state, if this is the first store.
    ///
    /// - Returns: Whether it is.
    func start(initial: State, reducers: [String], from attachment: StoreAttachment<State, Action>.Name) -> Bool {
        let recorded = session.withLock { session in
            defer { session.attachment = session.attachment ?? attachment }
            return session.attachment
        }
        if recorded === attachment {
            // One middleware value in two stores: from here on nobody can tell which of them speaks.
            stop(RecordingError(.secondStore, reason: "their actions cannot be told apart, and it stopped"))
            return false
        }
        if recorded != nil {
            report(RecordingError(.secondStore, reason: "that store is not recorded"))
            return false
        }
        var misfit: RecordingError?
        var impurity: RecordingError?
        perform { session in
            session.reducerCount = reducers.count
            let hidden = self.redactors.states
            let encoder = TextEncoder(redactor: hidden)
            _ = try naming(self.path, 0, hidden) { try encoder.encode(initial) }
            let text = encoder.text
            misfit = self.misfit(ofState: text)
            if encoder.sawInstance || ChangeFinder<State>.mayHoldInstances {
                impurity = try self.startEagerDiffer(from: initial, text, after: 0)
            }
            let state = self.eagerDiffer == nil ? StateSnapshots.one(initial) : nil
            self.channel.add(.start(reducers: reducers, state: state, text: text), bytes: text.utf8.count)
        }
        for error in [misfit, impurity] { if let error { report(error) } }
        // From the first action on, the file alone tells what it is.
        if channel.isOpen { channel.waitUntilIdle() }
        return true
    }

    func willReduce(_ action: Action, _ context: ActionContext) {
        guard channel.isOpen, !isForked else { return }
        var problem: (any Error)?
        let slot = slot(for: describer.describe(action, context, &problem))
        // What cannot be run again cannot be computed.
        let keepsStates = waitForRoom(unlessSkipped: problem == nil)
        var isNews = false
        var toRead: DispatchedAction?
        append(slot) { session in
            if self.redactors.actions.hasPatterns, session.readTypes.count < Self.mostReadTypes {
                if session.readTypes.insert(ScalarKey(slot.action.type)).inserted { toRead = slot.action }
            }
            if problem != nil { isNews = session.troubledTypes.insert(ScalarKey(slot.action.type)).inserted }
            session.begin(slot, keepingStates: keepsStates)
        }
        if let problem, isNews { report(problem) }
        if let toRead, let misfit = describer.misfit(of: toRead) { report(misfit) }
    }

    func didRun(reducer: Int, state: State) {
        let now = SystemClock.monotonic
        perform { session in
            guard let (seq, duration) = session.timeReducer(until: now) else { return }
            if let eagerDiffer = self.eagerDiffer {
                session.mark(reducer: 0, of: seq)
                try eagerDiffer.add(state, after: seq, reducer: reducer, duration)
            } else if session.keepsStates {
                session.kept?.of(State.self).keep(state, duration)
            }
            session.next(after: reducer, of: seq)
        }
    }

    func didReduce(state: State) {
        perform { session in
            guard let slot = session.end() else { return }
            if let eagerDiffer = self.eagerDiffer {
                let bytes = slot.action.payload?.utf8.count ?? 0
                let effect = try eagerDiffer.finish(after: slot.action.seq, session.duration, payloadBytes: bytes)
                slot.outcome = .changes(effect)
            } else if self.findings.holdsInstances {
                return try self.startDiffingEagerly(from: state, after: slot, duration: session.duration, in: &session)
            } else if session.keepsStates {
                slot.outcome = .states
            } else {
                session.fallBehind(at: slot.action.seq, .one(state))
                slot.outcome = .skipped(session.duration)
            }
            try self.hand(over: slot, in: session)
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: State) {
        guard channel.isOpen, !isForked else { return }
        let slot = slot(for: DispatchedAction(travelTo: seq, context))
        _ = waitForRoom(unlessSkipped: false)
        append(slot) { session in
            if let eagerDiffer = self.eagerDiffer {
                try eagerDiffer.add(state, after: slot.action.seq)
                slot.outcome = .changes(try eagerDiffer.finish(after: slot.action.seq))
            } else if self.findings.holdsInstances {
                return try self.startDiffingEagerly(from: state, after: slot, duration: 0, in: &session)
            } else {
                slot.states.of(State.self).keep(state, 0)
                slot.outcome = .travel
            }
            try self.hand(over: slot, in: session)
        }
    }

    func didEnter(_ phase: DispatchPhase) {
        // Once a second store has turned up, two threads might come here at a time; but then it is stopped.
        guard channel.isOpen, !isForked else { return }
        journal.mark(phase)
    }

    // MARK: Handing over

    /// Waits until there is room for an action and its states, or decides that they are left out.
    ///
    /// - Returns: Whether its states are to be kept.
    private func waitForRoom(unlessSkipped isComputable: Bool) -> Bool {
        let maySkip = options.whenBehind == .dropSnapshots && eagerDiffer == nil && isComputable
        if !maySkip { channel.waitForRoom() }
        guard options.whenBehind == .dropSnapshots else { return true }
        var keepsStates = true
        perform { session in
            if maySkip, session.isBehind ? !self.channel.isNearlyEmpty : self.channel.isFull {
                keepsStates = false
            } else {
                self.catchUp(&session)
            }
        }
        return keepsStates
    }

    /// Hands over the state behind actions whose states were left out: from it the recording goes on.
    private func catchUp(_ session: inout RecorderSession) {
        guard let (state, seq) = session.catchUp() else { return }
        channel.add(.resume(state, seq: seq), bytes: bytes(of: state))
    }

    /// A slot with an action: one that the writer has given back, where there is one.
    private func slot(for action: consuming DispatchedAction) -> PendingAction {
        if slots.isEmpty { slots = pool.takeAll() }
        guard let slot = slots.popLast() else {
            // Time travel keeps one, also where there is no reducer.
            let capacity = max(1, session.withLock { $0.reducerCount })
            return PendingAction(action, states: TypedStateSnapshots<State>(capacity: capacity))
        }
        slot.action = action
        return slot
    }

    /// Writes an action ahead, and then runs a part of the recording; waits for the writer where the journal is full.
    private func append(_ slot: PendingAction, then part: (inout RecorderSession) throws -> Void) {
        while channel.isOpen, !isForked {
            var isWritten = false
            perform { session in
                isWritten = try session.journal.append(slot.action) != nil
                if isWritten { try part(&session) }
            }
            if isWritten { return }
            if !channel.waitForProgress() {
                perform { _ in throw RecordingError(.stopped, reason: Self.heldUp) }
            }
        }
    }

    private func hand(over slot: PendingAction, in session: RecorderSession) throws {
        let seq = slot.action.seq
        // Where the journal has no room for it, the action is as good as done: it is about to be written.
        let end = try session.journal.append(done: seq, duration: slot.duration ?? 0)
        session.journal.mark(ReducerMark(phase: .idle, seq: seq, reducer: 0))
        slot.bytes = (slot.action.payload?.utf8.count ?? 0) + stateBytes(of: slot)
        channel.add(.action(slot, journalEnd: end ?? session.journal.end), bytes: slot.bytes)
    }

    /// The memory that an action's states take, as far as they do not share it with the states before. What a state keeps
    /// where nothing can be looked for counts as a whole state's text.
    private func stateBytes(of slot: PendingAction) -> Int {
        switch slot.outcome {
        case .states, .travel:
            return bytes(of: slot.states)
        case .changes:
            return findings.stateBytes
        case .done, .skipped, .unfinished:
            return 0
        }
    }

    private func bytes(of kept: StateSnapshots) -> Int {
        let states = kept.of(State.self)
        guard states.count > 0 else { return 0 }
        let copied = buffers.bytes(ofValueAt: states.place(states.count - 1), beyond: &lastBuffers)
        return kept.bytes + (buffers.isComplete ? copied : max(copied, findings.stateBytes))
    }

    /// Looks for changes here from a state on, whose text this is.
    ///
    /// - Returns: What the app is to be told of the state's encoding.
    private func startEagerDiffer(from state: State, _ text: String, after seq: Int) throws -> RecordingError? {
        let differ = StateDiffer<State>(options.keyframeRule, redactors.states, path: path, writesText: false)
        differ.keep(text.utf8.count)
        eagerDiffer = differ
        return try differ.follow(from: state, text, after: seq, lookingForInstances: true)
    }

    /// Looks for changes here from now on: the writer has met a class instance that the state's type does not tell of. The
    /// states before are left out, since the instance may have changed after they were made.
    private func startDiffingEagerly(
        from state: State,
        after slot: PendingAction,
        duration: Int64,
        in session: inout RecorderSession
    ) throws {
        let seq = slot.action.seq
        let text = try naming(path, seq, redactors.states) {
            try TextEncoder.text(of: state, redactor: redactors.states)
        }
        _ = try startEagerDiffer(from: state, text, after: seq)
        _ = session.catchUp()
        slot.outcome = .skipped(duration)
        try hand(over: slot, in: session)
        channel.add(.whole(text: text, seq: seq), bytes: text.utf8.count)
    }

    /// Why the first state, as it is redacted, cannot be replayed from; `nil` where it can.
    private func misfit(ofState text: String) -> RecordingError? {
        guard redactors.states.hasPatterns else { return nil }
        do {
            _ = try NodeDecoder().decode(State.self, from: try Node(json: text))
            return nil
        } catch {
            var misfit = RecordingError(.unfitPlaceholder, file: path, cause: error)
            misfit.path = error.path
            return misfit
        }
    }

    // MARK: Ending

    /// Waits until all that was dispatched is in the file.
    func flush() throws {
        if isForked { throw forked }
        perform { self.catchUp(&$0) }
        channel.flush()
        if case .stopped(let error) = channel.state { throw error }
    }

    func close() throws {
        if isForked { throw forked }
        if case .stopped(let error) = end() { throw error }
    }

    private func end() -> WriterChannel<WriterCommand>.Conclusion? {
        session.withLock { session in
            guard channel.isOpen else { return }
            catchUp(&session)
            leaveUnfinished(&session)
            sendLastState()
            // Here, so that no action begins that would be in no file.
            channel.shut()
        }
        return channel.end()
    }

    /// Has the last state audited, if it is looked at here.
    private func sendLastState() {
        guard let eagerDiffer, let state = eagerDiffer.finder.lastFollowed,
            findings.stateBytes <= SelfAudit.mostStateBytes
        else {
            return
        }
        do {
            let text = try TextEncoder.text(of: state, redactor: redactors.states)
            channel.add(.final(text: text, seq: eagerDiffer.lastSeq), bytes: text.utf8.count)
        } catch {
            // It was encoded when it was made, and is recorded as it was then.
        }
    }

    private func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = channel.end()
    }

    /// Hands over the action that is being reduced, where there is one: it was begun, and is an action all the same.
    private func leaveUnfinished(_ session: inout RecorderSession) {
        guard let slot = session.end() else { return }
        slot.outcome = .unfinished
        channel.add(.action(slot, journalEnd: session.journal.end), bytes: 0)
    }

    /// Runs a part of the recording, unless it is over; where that fails the recording stops, and the app goes on.
    private func perform(_ part: (inout RecorderSession) throws -> Void) {
        guard channel.isOpen, !isForked else { return }
        let failure: (any Error)? = session.withLock { session in
            // It may have ended while the lock was waited for: what was marked then stands.
            guard channel.isOpen else { return nil }
            do {
                try part(&session)
                return nil
            } catch {
                return fail(error, in: &session)
            }
        }
        if let failure { report(failure) }
    }

    /// Ends the recording.
    ///
    /// - Returns: What the app is to be told; `nil` where it was told of another failure.
    @inline(never)
    private func fail(_ error: any Error, in session: inout RecorderSession) -> RecordingError? {
        var failure = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        failure.file = failure.file ?? path
        leaveUnfinished(&session)
        return channel.fail(failure) ? failure : nil
    }

    /// Tells the app. No lock is held, so that it may ask for the status, or close.
    @inline(never)
    private func report(_ error: any Error) {
        guard var error = error as? RecordingError else { return }
        error.file = error.file ?? path
        options.onError?(error)
    }
}

extension RecorderOptions {
    var keyframeRule: KeyframeRule {
        KeyframeRule(floor: keyframeFloor, span: limit.isNone ? nil : KeyframeSpan(limit, now: now))
    }

    /// Bytes of the journal's ring, where the limit is heeded.
    var journalCapacity: Int {
        limit.bytes.map { min(journalBytes, ByteBudget($0).journalBytes) } ?? journalBytes
    }
}
