import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// The part of a recorder that runs on the dispatching threads: writes the action ahead into the journal, marks the
/// running reducer, keeps the states, and hands them to the writer.
///
/// The writer finds the changes. If states contain class instances, which change behind their references, the changes
/// are found here, after each reducer.
final class RecorderCore<State: Codable & Sendable, Action: Sendable>: Sendable {
    private let session: Locked<RecorderSession>
    /// The session's journal. The thread that holds the store's lock marks phases in it, without the session's lock.
    private let journal: Journal
    private let channel: WriterChannel<WriterCommand>
    private let options: RecorderOptions
    let path: String
    private let redactors: Redactors
    private let findings = WriterFindings()
    /// Finds the memory of a state that a change may copy.
    private let buffers = BufferLayout(of: State.self)
    /// The buffers of the last state that was handed over.
    ///
    /// Sound: accessed only while `session` is locked.
    nonisolated(unsafe) private var lastBuffers: [UInt] = []
    /// The recording process. A forked process does not record.
    private let generation = Fork.generation

    private static var heldUp: String {
        "its writer waits for the app: a state's deinit or encode(to:) may be waiting for the store that dispatches"
    }

    /// The largest number of action types of which a redacted action is decoded as a check.
    private static var mostReadTypes: Int { 1000 }

    /// Finds changes on the dispatching thread; `nil` if the writer does.
    ///
    /// Sound: accessed only while `session` is locked.
    nonisolated(unsafe) private var eagerDiffer: EagerDiffer<State>?
    /// Sound: accessed only before an action's first reducer runs, and the store reduces one action at a time.
    nonisolated(unsafe) private let describer: ActionDescriber<Action>
    /// Sound: for the same reason as `describer`.
    @exclusivity(unchecked) nonisolated(unsafe) private var slots: [PendingAction] = []
    private let pool = PendingActionPool()

    /// Creates the file and starts the writer.
    ///
    /// - Throws: A `RecordingError` with the code `exists`, `unwritable`, `inUse` or `badRedaction`.
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
            // Created here to report errors here. Only the writer's thread uses it.
            let file = try RecordingFile(path: path, app: app, redactors: redactors, options)
            let session = session
            nonisolated(unsafe) let writer = RecordingWriter<State>(
                file,
                journal,
                markStopped: { session.withLock { $0.journal.markStopped() } },
                redactor: redactors.states,
                rule: options.keyframeRule,
                findings: findings,
                pool: pool,
                trimmer: try file.trimmer(of: options),
                channel: channel,
                report: { [onError = options.onError] in onError?($0) }
            )
            writer.finder.missedField = options.missedField
            do {
                try BackgroundThread.start { writer.run() }
            } catch {
                NewFile.remove(path)
                throw RecordingError(.unwritable, file: path, cause: error)
            }
        } catch {
            journal.remove()
            // There is no writer, so no thread must wait for one.
            channel.conclude(
                .stopped(error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error))
            )
            channel.told()
            throw error
        }
    }

    deinit {
        if isForked { return }
        // The failure was reported.
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

    /// Does nothing in a forked process, because another thread may have held the channel's lock at that moment.
    var progress: RecorderProgress { isForked ? RecorderProgress() : channel.progress }

    private var forked: RecordingError {
        RecordingError(.stopped, file: path, reason: "this process was forked off the one that is recorded")
    }

    // MARK: Reduction

    /// Records the store's first state, if this is the first store.
    ///
    /// - Returns: Whether it is the first store.
    func start(initial: State, reducers: [String], from attachment: StoreAttachment<State, Action>.Name) -> Bool {
        let recorded = session.withLock { session in
            defer { session.attachment = session.attachment ?? attachment }
            return session.attachment
        }
        if recorded === attachment {
            // One middleware value is used by two stores, and observations cannot be told apart from here on.
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
        // From the first action on, the file itself is complete enough to be opened.
        if channel.isOpen { channel.waitUntilIdle() }
        return true
    }

    func willReduce(_ action: Action, _ context: ActionContext) {
        guard channel.isOpen, !isForked else { return }
        var problem: (any Error)?
        let slot = slot(for: describer.describe(action, context, &problem))
        // Replay cannot compute the states of an action that it cannot run.
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
            if self.eagerDiffer == nil {
                if session.keepsStates { session.kept?.of(State.self).keep(state, duration) }
            } else {
                session.mark(reducer: 0, of: seq)
                let patch = try self.changes(to: state, seq, reducer: reducer)
                session.steps.append(TimedPatch(duration: duration, patch: patch))
            }
            session.next(after: reducer, of: seq)
        }
    }

    func didReduce(state: State) {
        perform { session in
            guard let slot = session.end() else { return }
            if self.eagerDiffer != nil {
                slot.outcome = try self.changes(session.takeSteps(), to: state, slot.action)
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
            if self.eagerDiffer == nil, self.findings.holdsInstances {
                return try self.startDiffingEagerly(from: state, after: slot, duration: 0, in: &session)
            }
            if self.eagerDiffer == nil {
                slot.states.of(State.self).keep(state, 0)
                slot.outcome = .travel
            } else {
                let patch = try self.changes(to: state, slot.action.seq, reducer: nil)
                slot.outcome = try self.changes([TimedPatch(duration: nil, patch: patch)], to: state, slot.action)
            }
            try self.hand(over: slot, in: session)
        }
    }

    func didEnter(_ phase: DispatchPhase) {
        // After a second store, two threads might get here at once; but then the recorder has stopped.
        guard channel.isOpen, !isForked else { return }
        journal.mark(phase)
    }

    // MARK: Handing over

    /// Waits for room for an action and its states, or decides to leave out the states.
    ///
    /// - Returns: Whether to keep the states.
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

    /// Hands over the state after actions without states. The recording continues from it.
    private func catchUp(_ session: inout RecorderSession) {
        guard let (state, seq) = session.catchUp() else { return }
        channel.add(.resume(state, seq: seq), bytes: bytes(of: state))
    }
    /// A pending action, reused if the writer has returned one.
    private func slot(for action: consuming DispatchedAction) -> PendingAction {
        if slots.isEmpty { slots = pool.takeAll() }
        guard let slot = slots.popLast() else {
            // Time travel keeps one state, even without reducers.
            let capacity = max(1, session.withLock { $0.reducerCount })
            return PendingAction(action, states: TypedStateSnapshots<State>(capacity: capacity))
        }
        slot.action = action
        return slot
    }

    /// Writes an action ahead, and then runs a part of the recording. If the journal is full, waits for the writer.
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
        // If the journal has no room, the action's end is not marked, because the action is about to be written to the
        // file.
        let end = try session.journal.append(done: seq, duration: slot.duration ?? 0)
        session.journal.mark(ReducerMark(phase: .idle, seq: seq, reducer: 0))
        slot.bytes = (slot.action.payload?.utf8.count ?? 0) + stateBytes(of: slot)
        channel.add(.action(slot, journalEnd: end ?? session.journal.end), bytes: slot.bytes)
    }

    /// The memory of an action's states that they do not share with earlier states. Memory that cannot be measured
    /// counts as the text of a whole state.
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
    /// Finds changes on the dispatching thread from now on, starting with a state and its text.
    ///
    /// - Returns: A problem of the state's encoding, to report to the app.
    private func startEagerDiffer(from state: State, _ text: String, after seq: Int) throws -> RecordingError? {
        let finder = ChangeFinder<State>(redactor: redactors.states)
        let eagerDiffer = EagerDiffer(finder: finder, rule: options.keyframeRule)
        eagerDiffer.rule.keep(text.utf8.count)
        self.eagerDiffer = eagerDiffer
        if let impurity = try impurity(of: state, writtenAs: text, redactors.states, path) {
            finder.follow(from: state, writtenAs: try Node(json: text))
            return impurity
        }
        try naming(path, seq, redactors.states) { try finder.follow(from: state, lookingForInstances: true) }
        return nil
    }

    /// Finds changes on the dispatching thread from now on, because the writer found a class instance that the state's
    /// type does not show. The states so far are left out, since the instance may have changed after them.
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

    /// The change by one reducer or by time travel.
    private func changes(to state: State, _ seq: Int, reducer: Int?) throws -> Patch {
        guard let eagerDiffer else { return Patch() }
        eagerDiffer.lastSeq = seq
        return try naming(path, seq, reducer: reducer, redactors.states) { try eagerDiffer.finder.patch(to: state) }
    }

    /// The changes of an action, with the whole state if a keyframe is due.
    private func changes(_ steps: [TimedPatch], to state: State, _ action: DispatchedAction) throws -> Outcome {
        let text = TimedPatches.write(steps)
        let rowBytes = text.text.utf8.count + (action.payload?.utf8.count ?? 0)
        guard eagerDiffer?.rule.isDue(after: text.operationBytes, growth: text.growth, rowBytes: rowBytes) == true
        else {
            return .changes(steps, keyframe: nil)
        }
        let keyframe = try naming(path, action.seq, redactors.states) {
            try TextEncoder.text(of: state, redactor: redactors.states)
        }
        eagerDiffer?.rule.keep(keyframe.utf8.count)
        return .changes(steps, keyframe: keyframe)
    }

    /// Why the redacted first state cannot be decoded for replay; `nil` if it can.
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

    /// Waits until everything dispatched so far is in the file.
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
            // Under the session's lock, so that no action begins that would be in no file.
            channel.shut()
        }
        return channel.end()
    }

    /// Audits the last state, if changes are found on this thread.
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
            // It was encoded when it was made, and recorded as it was then.
        }
    }

    private func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = channel.end()
    }

    /// Hands over the action that is being reduced, if there is one, because its reducers have begun.
    private func leaveUnfinished(_ session: inout RecorderSession) {
        guard let slot = session.end() else { return }
        slot.outcome = .unfinished
        channel.add(.action(slot, journalEnd: session.journal.end), bytes: 0)
    }

    /// Runs a part of the recording, unless it has ended. If that fails, the recorder stops, and the app continues.
    private func perform(_ part: (inout RecorderSession) throws -> Void) {
        guard channel.isOpen, !isForked else { return }
        let failure: (any Error)? = session.withLock { session in
            // The recording may have ended while this thread waited for the lock. Its mark must stay.
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
    /// - Returns: The error to report; `nil` if another one was reported before.
    @inline(never)
    private func fail(_ error: any Error, in session: inout RecorderSession) -> RecordingError? {
        var failure = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        failure.file = failure.file ?? path
        leaveUnfinished(&session)
        return channel.fail(failure) ? failure : nil
    }

    /// Reports an error to the app. Holds no lock, so that the app may read the status, or close the recorder.
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

    /// The size of the journal's ring in bytes, within the limit.
    var journalCapacity: Int {
        limit.bytes.map { min(journalBytes, ByteBudget($0).journalBytes) } ?? journalBytes
    }
}
