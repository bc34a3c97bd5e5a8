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
    private let line: WorkLine<Work>
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
    nonisolated(unsafe) private var seeker: Seeker<State>?
    /// Sound: touched only before an action's first reducer runs, and the store lets one action through at a time.
    nonisolated(unsafe) private let describer: ActionDescriber<Action>
    /// Sound: as `describer`.
    @exclusivity(unchecked) nonisolated(unsafe) private var slots: [ActionSlot] = []
    private let spares = SpareSlots()

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
        line = WorkLine(limit: .init(items: options.queueLimit.actions, bytes: options.queueLimit.bytes))
        do {
            // Opened here, so that what is wrong with it is told here; used by the writer's thread alone.
            let file = try RecordingFile(path: path, app: app, redactors: redactors, options)
            let session = session
            nonisolated(unsafe) let writer = RecordingWriter<State>(
                file,
                journal,
                markStopped: { session.withLock { $0.journal.markStopped() } },
                redactor: redactors.states,
                rule: options.keyframeRule,
                findings: findings,
                spares: spares,
                keeper: try file.keeper(of: options),
                line: line,
                report: { [onError = options.onError] in onError?($0) }
            )
            writer.finder.missedField = options.missedField
            do {
                try WriterThread.start { writer.run() }
            } catch {
                NewFile.remove(path)
                throw RecordingError(.unwritable, file: path, cause: error)
            }
        } catch {
            journal.remove()
            // It goes without a writer: nobody is to wait for one.
            line.conclude(.stopped(error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error)))
            line.told()
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

    /// In a process that was forked off, nothing: the line's lock may have been another thread's at that moment.
    var progress: RecorderProgress { isForked ? RecorderProgress() : line.progress }

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
                impurity = try self.seek(from: initial, text, after: 0)
            }
            let state = self.seeker == nil ? KeptStates.one(initial) : nil
            self.line.add(.start(reducers: reducers, state: state, text: text), bytes: text.utf8.count)
        }
        for error in [misfit, impurity] { if let error { report(error) } }
        // From the first action on, the file alone tells what it is.
        if line.isOpen { line.waitUntilIdle() }
        return true
    }

    func willReduce(_ action: Action, _ context: ActionContext) {
        guard line.isOpen, !isForked else { return }
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
        let now = Clock.monotonic
        perform { session in
            guard let (seq, duration) = session.timeReducer(until: now) else { return }
            if self.seeker == nil {
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
            if self.seeker != nil {
                slot.deed = try self.changes(session.takeSteps(), to: state, slot.action)
            } else if self.findings.holdsInstances {
                return try self.startSeeking(from: state, after: slot, duration: session.duration, in: &session)
            } else if session.keepsStates {
                slot.deed = .states
            } else {
                session.fallBehind(at: slot.action.seq, .one(state))
                slot.deed = .skipped(session.duration)
            }
            try self.hand(over: slot, in: session)
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: State) {
        guard line.isOpen, !isForked else { return }
        let slot = slot(for: DispatchedAction(travelTo: seq, context))
        _ = waitForRoom(unlessSkipped: false)
        append(slot) { session in
            if self.seeker == nil, self.findings.holdsInstances {
                return try self.startSeeking(from: state, after: slot, duration: 0, in: &session)
            }
            if self.seeker == nil {
                slot.states.of(State.self).keep(state, 0)
                slot.deed = .travel
            } else {
                let patch = try self.changes(to: state, slot.action.seq, reducer: nil)
                slot.deed = try self.changes([TimedPatch(duration: nil, patch: patch)], to: state, slot.action)
            }
            try self.hand(over: slot, in: session)
        }
    }

    func didEnter(_ phase: DispatchPhase) {
        // Once a second store has turned up, two threads might come here at a time; but then it is stopped.
        guard line.isOpen, !isForked else { return }
        journal.mark(phase)
    }

    // MARK: Handing over

    /// Waits until there is room for an action and its states, or decides that they are left out.
    ///
    /// - Returns: Whether its states are to be kept.
    private func waitForRoom(unlessSkipped isComputable: Bool) -> Bool {
        let maySkip = options.whenBehind == .dropSnapshots && seeker == nil && isComputable
        if !maySkip { line.waitForRoom() }
        guard options.whenBehind == .dropSnapshots else { return true }
        var keepsStates = true
        perform { session in
            if maySkip, session.isBehind ? !self.line.isNearlyEmpty : self.line.isFull {
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
        line.add(.resume(state, seq: seq), bytes: bytes(of: state))
    }
    /// A slot with an action: one that the writer has given back, where there is one.
    private func slot(for action: consuming DispatchedAction) -> ActionSlot {
        if slots.isEmpty { slots = spares.takeAll() }
        guard let slot = slots.popLast() else {
            // Time travel keeps one, also where there is no reducer.
            let capacity = max(1, session.withLock { $0.reducerCount })
            return ActionSlot(action, states: KeptStatesOf<State>(capacity: capacity))
        }
        slot.action = action
        return slot
    }

    /// Writes an action ahead, and then runs a part of the recording; waits for the writer where the journal is full.
    private func append(_ slot: ActionSlot, then part: (inout RecorderSession) throws -> Void) {
        while line.isOpen, !isForked {
            var isWritten = false
            perform { session in
                isWritten = try session.journal.append(slot.action) != nil
                if isWritten { try part(&session) }
            }
            if isWritten { return }
            if !line.waitForProgress() {
                perform { _ in throw RecordingError(.stopped, reason: Self.heldUp) }
            }
        }
    }

    private func hand(over slot: ActionSlot, in session: RecorderSession) throws {
        let seq = slot.action.seq
        // Where the journal has no room for it, the action is as good as done: it is about to be written.
        let end = try session.journal.append(done: seq, duration: slot.duration ?? 0)
        session.journal.mark(AheadMark(phase: .idle, seq: seq, reducer: 0))
        slot.bytes = (slot.action.payload?.utf8.count ?? 0) + stateBytes(of: slot)
        line.add(.action(slot, journalEnd: end ?? session.journal.end), bytes: slot.bytes)
    }

    /// The memory that an action's states take, as far as they do not share it with the states before. What a state keeps
    /// where nothing can be looked for counts as a whole state's text.
    private func stateBytes(of slot: ActionSlot) -> Int {
        switch slot.deed {
        case .states, .travel:
            return bytes(of: slot.states)
        case .changes:
            return findings.stateBytes
        case .done, .skipped, .unfinished:
            return 0
        }
    }

    private func bytes(of kept: KeptStates) -> Int {
        let states = kept.of(State.self)
        guard states.count > 0 else { return 0 }
        let copied = buffers.bytes(ofValueAt: states.place(states.count - 1), beyond: &lastBuffers)
        return kept.bytes + (buffers.isComplete ? copied : max(copied, findings.stateBytes))
    }
    /// Looks for changes here from a state on, whose text this is.
    ///
    /// - Returns: What the app is to be told of the state's encoding.
    private func seek(from state: State, _ text: String, after seq: Int) throws -> RecordingError? {
        let finder = ChangeFinder<State>(redactor: redactors.states)
        let seeker = Seeker(finder: finder, rule: options.keyframeRule)
        seeker.rule.keep(text.utf8.count)
        self.seeker = seeker
        if let impurity = try impurity(of: state, writtenAs: text, redactors.states, path) {
            finder.follow(from: state, writtenAs: try Node(json: text))
            return impurity
        }
        try naming(path, seq, redactors.states) { try finder.follow(from: state, lookingForInstances: true) }
        return nil
    }

    /// Looks for changes here from now on: the writer has met a class instance that the state's type does not tell of. The
    /// states before are left out, since the instance may have changed after they were made.
    private func startSeeking(
        from state: State,
        after slot: ActionSlot,
        duration: Int64,
        in session: inout RecorderSession
    ) throws {
        let seq = slot.action.seq
        let text = try naming(path, seq, redactors.states) {
            try TextEncoder.text(of: state, redactor: redactors.states)
        }
        _ = try seek(from: state, text, after: seq)
        _ = session.catchUp()
        slot.deed = .skipped(duration)
        try hand(over: slot, in: session)
        line.add(.whole(text: text, seq: seq), bytes: text.utf8.count)
    }

    /// What one reducer changed, or time travel.
    private func changes(to state: State, _ seq: Int, reducer: Int?) throws -> Patch {
        guard let seeker else { return Patch() }
        seeker.lastSeq = seq
        return try naming(path, seq, reducer: reducer, redactors.states) { try seeker.finder.patch(to: state) }
    }

    /// What an action changed, with the whole state where that is to be kept.
    private func changes(_ steps: [TimedPatch], to state: State, _ action: DispatchedAction) throws -> Deed {
        let text = TimedPatches.write(steps)
        let rowBytes = text.text.utf8.count + (action.payload?.utf8.count ?? 0)
        guard seeker?.rule.isDue(after: text.operationBytes, growth: text.growth, rowBytes: rowBytes) == true else {
            return .changes(steps, keyframe: nil)
        }
        let keyframe = try naming(path, action.seq, redactors.states) {
            try TextEncoder.text(of: state, redactor: redactors.states)
        }
        seeker?.rule.keep(keyframe.utf8.count)
        return .changes(steps, keyframe: keyframe)
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
        line.flush()
        if case .stopped(let error) = line.state { throw error }
    }

    func close() throws {
        if isForked { throw forked }
        if case .stopped(let error) = end() { throw error }
    }

    private func end() -> WorkLine<Work>.Outcome? {
        session.withLock { session in
            guard line.isOpen else { return }
            catchUp(&session)
            leaveUnfinished(&session)
            sendLastState()
            // Here, so that no action begins that would be in no file.
            line.shut()
        }
        return line.end()
    }

    /// Has the last state audited, if it is looked at here.
    private func sendLastState() {
        guard let seeker, let state = seeker.finder.lastFollowed, findings.stateBytes <= SelfAudit.mostStateBytes else {
            return
        }
        do {
            let text = try TextEncoder.text(of: state, redactor: redactors.states)
            line.add(.final(text: text, seq: seeker.lastSeq), bytes: text.utf8.count)
        } catch {
            // It was encoded when it was made, and is recorded as it was then.
        }
    }

    private func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = line.end()
    }

    /// Hands over the action that is being reduced, where there is one: it was begun, and is an action all the same.
    private func leaveUnfinished(_ session: inout RecorderSession) {
        guard let slot = session.end() else { return }
        slot.deed = .unfinished
        line.add(.action(slot, journalEnd: session.journal.end), bytes: 0)
    }

    /// Runs a part of the recording, unless it is over; where that fails the recording stops, and the app goes on.
    private func perform(_ part: (inout RecorderSession) throws -> Void) {
        guard line.isOpen, !isForked else { return }
        let failure: (any Error)? = session.withLock { session in
            // It may have ended while the lock was waited for: what was marked then stands.
            guard line.isOpen else { return nil }
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
        return line.fail(failure) ? failure : nil
    }

    /// Tells the app. No lock is held, so that it may ask for the status, or close.
    @inline(never)
    private func report(_ error: any Error) {
        guard var error = error as? RecordingError else { return }
        error.file = error.file ?? path
        options.onError?(error)
    }
}
