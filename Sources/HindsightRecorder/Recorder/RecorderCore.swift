import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// The part of a recorder that runs on the dispatching threads. It writes each action ahead into the journal, marks the
/// reducer that runs, keeps the states, and hands them to the writer.
///
/// The writer finds the changes on its own thread. If states hold class instances, whose contents may change later, the
/// dispatching thread finds the changes right after each reducer.
final class RecorderCore<StateValue: Codable & Sendable, ActionValue: Sendable>: Sendable {
    let session: Locked<RecorderSession>
    /// The session's journal. Marking a phase needs no session lock, because the marking thread holds the store's lock.
    let journal: Journal
    let channel: WriterChannel<WriterCommand>
    let options: RecorderOptions
    let path: String
    let redactors: Redactors
    let findings = WriterFindings()
    /// The buffers of a state that a change may copy.
    let buffers = BufferLayout(of: StateValue.self)
    /// The buffers of the state that was handed over last.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var lastBuffers: [UInt] = []
    /// The fork generation of the process that records. A forked process has another one.
    private let generation = Fork.generation

    /// Finds changes on the dispatching threads; `nil` if the writer finds them.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var eagerDiffer: StateDiffer<StateValue>?
    /// The reducers that the writer runs; `nil` if the app's own states are recorded.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var leaves: [Reducer<StateValue, ActionValue>.Leaf]?
    /// When to compare the next of the app's states with the computed one, by `SystemClock.monotonic`.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var nextAudit: Int64 = 0
    /// The present state of the store, if states are computed.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var present: (@Sendable () -> (state: StateValue, seq: Int)?)?
    /// Sound: used only before an action's first reducer runs, and the store reduces one action at a time.
    nonisolated(unsafe) let describer: ActionDescriber<ActionValue>
    /// Sound: see `describer`.
    nonisolated(unsafe) var threads = ThreadTracker()
    /// Pending actions to reuse.
    ///
    /// Sound: see `describer`.
    nonisolated(unsafe) var spares: [PendingAction] = []
    let pool = PendingActionPool()
    /// What is recorded action by action, without a `Store`.
    let external: ExternalStore<StateValue, ActionValue>

    /// Creates the file and starts the writer.
    ///
    /// - Throws: A `RecordingError` with the code `exists`, `unwritable`, `inUse` or `badRedaction`.
    init(to path: String, app: AppInfo, actions: ActionCodec<ActionValue>, options: RecorderOptions)
        throws(RecordingError)
    {
        self.path = path
        self.options = options
        redactors = try Redactors(options.redaction)
        external = ExternalStore(steps: options.steps, redactor: redactors.states)
        describer = ActionDescriber(actions, hiding: redactors.actions)
        if path.hasSuffix(TextForm.suffix) {
            throw RecordingError(
                .unwritable,
                file: path,
                reason: "a recorder writes a database, and \(TextForm.suffix) is the name of a text",
                remedy:
                    "Record to NAME.hindsight, and write its text: `hindsight export NAME.hindsight -o NAME.jsonl`."
            )
        }
        try NewFile.check(path, overwrite: options.overwrite)
        let id = Metadata.makeID()
        let journal = try Journal(
            for: path,
            id: id,
            capacity: options.journalCapacity,
            options.durability,
            overwrite: options.overwrite,
            marksCrashes: options.marksCrashes
        )
        self.journal = journal
        session = Locked(RecorderSession(journal: journal))
        channel = WriterChannel(limit: .init(items: options.queueLimit.actions, bytes: options.queueLimit.bytes))
        var hasFile = false
        do {
            // Opened here, so that its errors are thrown here. Only the writer's thread uses it.
            let described = (StateValue.self as? any DescribedValue.Type)?.typesWithoutCoding ?? []
            let file = try RecordingFile(
                path: path,
                id: id,
                app: app,
                redactors: redactors,
                described: described,
                options
            )
            hasFile = true
            let session = session
            nonisolated(unsafe) let writer = RecordingWriter<StateValue>(
                file,
                journal,
                markStopped: { session.withLock { $0.journal.markStopped() } },
                leaveUnfinished: { [channel] in session.withLock { $0.leaveUnfinished(to: channel) } },
                differ: StateDiffer(options.keyframeRule, redactors.states, writesText: true),
                findings: findings,
                pool: pool,
                trimmer: try file.trimmer(of: options),
                channel: channel,
                catchUp: { [channel] in
                    session.withLock { session in
                        guard channel.isOpen, session.canCatchUp, let (state, seq) = session.catchUp() else { return }
                        // The queue is empty, so the state need not count against its limit.
                        channel.add(.resume(state, seq: seq), bytes: 0)
                    }
                },
                report: { options.report($0, in: path) }
            )
            writer.differ.finder.missedField = options.missedField
            try BackgroundThread.start { writer.run() }
        } catch {
            if hasFile { NewFile.remove(path) }
            journal.remove()
            // No thread may wait for the writer, because there is none.
            let failure = error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error)
            channel.conclude(.stopped(failure))
            channel.didReport()
            throw failure
        }
    }

    deinit {
        if isForked { return }
        // A failure was reported already.
        _ = end()
    }

    var isForked: Bool { Fork.generation != generation }

    var status: RecorderStatus {
        if isForked { return .stopped(forked) }
        return switch channel.state {
        case nil: .recording
        case .closed?: .closed
        case .stopped(let error)?: .stopped(error)
        }
    }

    /// Empty in a forked process: another thread may have held the channel's lock when it was forked.
    var progress: RecorderProgress { isForked ? RecorderProgress() : channel.progress }

    var forked: RecordingError {
        RecordingError(.stopped, file: path, reason: "this process is a fork of the recorded one")
    }

    /// Runs `part` with the session locked, unless the recording has ended. If it fails, the recording stops.
    func perform(_ part: (inout RecorderSession) throws -> Void) {
        guard channel.isOpen, !isForked else { return }
        let failure: (any Error)? = session.withLock { session in
            // If the recording ended while this thread waited for the lock, its last marks must stay.
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
    /// - Returns: The failure to report; `nil` if an earlier one is reported.
    @inline(never)
    func fail(_ error: any Error, in session: inout RecorderSession) -> RecordingError? {
        var failure = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        failure.file = failure.file ?? path
        session.leaveUnfinished(to: channel)
        return channel.fail(failure) ? failure : nil
    }

    /// Reports an error to the app. Hold no lock, because the app may read the status or close the recorder.
    @inline(never)
    func report(_ error: any Error) {
        if let error = error as? RecordingError { options.report(error, in: path) }
    }
}

extension RecorderOptions {
    /// Reports an error of the recording at a path to the app.
    func report(_ error: RecordingError, in path: String) {
        var error = error
        error.file = error.file ?? path
        onError?(error)
    }

    /// The time between two audits of computed states in nanoseconds; `nil` if the app's own are recorded.
    var auditInterval: Int64? {
        guard case .computed(let interval) = states else { return nil }
        // At most a year, so that no sum of such times overflows.
        return min(max(0, interval.nanoseconds), 365 * 86_400 * 1_000_000_000)
    }

    var keyframeRule: KeyframeRule {
        KeyframeRule(floor: keyframeFloor, span: limit.isNone ? nil : KeyframeSpan(limit, now: now))
    }

    /// The number of bytes of the journal's ring, within the limit.
    var journalCapacity: Int {
        limit.bytes.map { min(journalBytes, ByteBudget($0).journalBytes) } ?? journalBytes
    }
}
