import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// What a recorder does on the dispatching threads: writes the action ahead into the journal, marks which reducer runs,
/// keeps the states, and hands them to the writer.
///
/// The writer finds what changed, on its own thread. If states hold class instances, which change behind their
/// references, the dispatching thread finds it right after each reducer.
final class RecorderCore<State: Codable & Sendable, Action: Sendable>: Sendable {
    let session: Locked<RecorderSession>
    /// The session's. Phases are marked in it without the session's lock, only by the thread that holds the store's lock.
    let journal: Journal
    let channel: WriterChannel<WriterCommand>
    let options: RecorderOptions
    let path: String
    let redactors: Redactors
    let findings = WriterFindings()
    /// Which parts of a state's memory a change may copy.
    let buffers = BufferLayout(of: State.self)
    /// The buffers of the state that was handed over last.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var lastBuffers: [UInt] = []
    /// The process that records. A process forked off it does not.
    private let generation = Fork.generation

    /// Finds changes on the dispatching threads; `nil` if the writer finds them.
    ///
    /// Sound: touched only while `session` is locked.
    nonisolated(unsafe) var eagerDiffer: StateDiffer<State>?
    /// Sound: touched only before an action's first reducer runs, and the store lets one action through at a time.
    nonisolated(unsafe) let describer: ActionDescriber<Action>
    /// Pending actions to reuse.
    ///
    /// Sound: as `describer`.
    @exclusivity(unchecked) nonisolated(unsafe) var spares: [PendingAction] = []
    let pool = PendingActionPool()

    /// Creates the file and starts the writer.
    ///
    /// - Throws: A `RecordingError` with the code `exists`, `unwritable`, `inUse` or `badRedaction`.
    init(to path: String, app: AppInfo, actions: ActionCodec<Action>, options: RecorderOptions) throws(RecordingError) {
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
            // Opened here, so that its errors are thrown here. Only the writer's thread uses it.
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
                catchUp: { [channel] in
                    session.withLock { session in
                        guard channel.isOpen, session.canCatchUp, let (state, seq) = session.catchUp() else { return }
                        // Nothing else is on its way.
                        channel.add(.resume(state, seq: seq), bytes: 0)
                    }
                },
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
            // There is no writer: no thread may wait for one.
            let failure = error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error)
            channel.conclude(.stopped(failure))
            channel.told()
            throw failure
        }
    }

    deinit {
        if isForked { return }
        // The app was told of a failure already.
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
        RecordingError(.stopped, file: path, reason: "this process was forked off the one that is recorded")
    }

    /// Runs a part of the recording, unless the recording is over. If that fails, the recording stops, and the app goes on.
    func perform(_ part: (inout RecorderSession) throws -> Void) {
        guard channel.isOpen, !isForked else { return }
        let failure: (any Error)? = session.withLock { session in
            // It may have ended while this thread waited for the lock. The last marks then stand.
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
    /// - Returns: The failure to report; `nil` if the app was told of another one.
    @inline(never)
    func fail(_ error: any Error, in session: inout RecorderSession) -> RecordingError? {
        var failure = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        failure.file = failure.file ?? path
        leaveUnfinished(&session)
        return channel.fail(failure) ? failure : nil
    }

    /// Tells the app. No lock is held, so that the app may ask for the status, or close the recorder.
    @inline(never)
    func report(_ error: any Error) {
        guard var error = error as? RecordingError else { return }
        error.file = error.file ?? path
        options.onError?(error)
    }
}

extension RecorderOptions {
    var keyframeRule: KeyframeRule {
        KeyframeRule(floor: keyframeFloor, span: limit.isNone ? nil : KeyframeSpan(limit, now: now))
    }

    /// The number of bytes of the journal's ring, within the limit.
    var journalCapacity: Int {
        limit.bytes.map { min(journalBytes, ByteBudget($0).journalBytes) } ?? journalBytes
    }
}
