import HindsightFormat
import HindsightSupport
import Synchronization

/// Turns states into patches and writes them, in batches, on a thread of its own.
final class RecordingWriter<StateValue: Codable & Sendable> {
    let output: RecordingFile
    let journal: Journal
    /// Marks in the journal that the recorder had to stop, while no dispatching thread marks it.
    private let markStopped: () -> Void
    /// Adds the action that is being reduced to the queue, without an end.
    private let leaveUnfinished: () -> Void
    let differ: StateDiffer<StateValue>
    let findings: WriterFindings
    var audit = SelfAudit()
    /// The last action whose state is in the file, and the last one with a keyframe.
    var lastKnown = 0
    var lastWhole = 0
    /// The names of the reducers.
    var reducers: [String] = []
    /// The state that the app's reducers lead to on this thread; `nil` if the app's own states are recorded.
    var ownState: StateValue?
    /// Whether ``ownState`` can be compared with the app's: `encode(to:)` is pure.
    var isComparable = true
    /// How far ``ownState`` was compared with the app's; `nil` if it never was one.
    var computed: ComputedStates?
    /// The last steps since then, to find the reducer that led to another state.
    var unconfirmed: [(seq: Int, steps: String, isByReducers: Bool)] = []
    var unconfirmedBytes = 0
    /// Whether doubtful states were reported.
    var toldOfDoubt = false

    let pool: PendingActionPool
    /// Keeps the recording within its limit; `nil` if it has none.
    let trimmer: RecordingTrimmer?
    let channel: WriterChannel<WriterCommand>
    /// Adds the state after actions without states to the queue, if there is one, without waiting for a dispatch.
    private let catchUp: () -> Void
    /// Reports a failure of the writer after the recording has ended, and doubtful states.
    let report: (RecordingError) -> Void
    /// The bytes of released states that the queue still counts.
    var freedBytes = 0

    init(
        _ output: RecordingFile,
        _ journal: Journal,
        markStopped: @escaping () -> Void,
        leaveUnfinished: @escaping () -> Void,
        differ: StateDiffer<StateValue>,
        findings: WriterFindings,
        pool: PendingActionPool,
        trimmer: RecordingTrimmer?,
        channel: WriterChannel<WriterCommand>,
        catchUp: @escaping () -> Void,
        report: @escaping (RecordingError) -> Void
    ) {
        self.output = output
        self.journal = journal
        self.markStopped = markStopped
        self.leaveUnfinished = leaveUnfinished
        self.findings = findings
        self.pool = pool
        self.differ = differ
        self.trimmer = trimmer
        self.channel = channel
        self.catchUp = catchUp
        self.report = report
    }

    /// Carries out commands until the channel is closed, and then ends the recording.
    func run() {
        defer { channel.didReport() }
        var failure: RecordingError?
        // Whether the writer reports the failure.
        var isOurs = false
        func attempt(_ part: () throws -> Void) {
            do {
                try part()
            } catch {
                let found = wrapped(error)
                isOurs = channel.fail(found)
                failure = found
                // Also waits for a thread that hands an action over now. No other action can follow.
                leaveUnfinished()
            }
        }
        while let batch = channel.next() {
            if failure == nil {
                let start = SystemClock.monotonic
                attempt {
                    try write(batch)
                    audit.noteWork(SystemClock.monotonic - start)
                }
            } else {
                // The states are unknown from here on, but the actions are still recorded.
                keepActions(of: batch)
            }
            pool.give(batch.compactMap { if case .action(let pending, _) = $0 { pending } else { nil } })
            freedBytes = 0
            // Must come before a thread that waits for the batch may change the files.
            output.noteLengths(mayShrink: trimmer != nil)
            channel.finish()
            if failure == nil {
                attempt {
                    try channel.waitingForDisk { try output.settleBeginning() }
                    try channel.waitingForDisk { try audit { channel.hasTime } }
                    try channel.waitingForDisk { try trimmer?.tidy { channel.hasTime } }
                }
            }
            output.noteLengths(mayShrink: trimmer != nil)
            if failure == nil, channel.hasTime { catchUp() }
        }
        if let failure = channel.failure ?? failure { return abandon(because: failure, isReported: !isOurs) }
        do {
            try output.checkPlace()
            try auditEnd()
            try trimmer?.tidy { true }
            output.noteLengths(mayShrink: trimmer != nil)
            try output.close()
            journal.remove()
            channel.conclude(.closed)
        } catch {
            abandon(because: wrapped(error), isReported: false)
        }
    }

    private func abandon(because failure: RecordingError, isReported: Bool) {
        output.abandon(because: failure.summary, journal, marking: markStopped)
        channel.conclude(.stopped(failure))
        if !isReported { report(failure) }
    }

    private func wrapped(_ error: any Error) -> RecordingError {
        let error = output.cause(of: error)
        var wrapped = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        wrapped.file = wrapped.file ?? output.path
        return wrapped
    }
}

/// Facts that the writer passes to the dispatching threads. Reading one costs a load.
final class WriterFindings: Sendable {
    private let bytes = Atomic(0)
    private let instances = Atomic(false)
    private let refuted = Atomic(false)

    /// The size of the last keyframe's text in bytes.
    var stateBytes: Int {
        get { bytes.load(ordering: .relaxed) }
        set { bytes.store(newValue, ordering: .relaxed) }
    }

    /// Whether a computed state was not the app's.
    var isRefuted: Bool {
        get { refuted.load(ordering: .relaxed) }
        set { refuted.store(newValue, ordering: .relaxed) }
    }

    /// Whether a state contained a class instance.
    var holdsInstances: Bool {
        get { instances.load(ordering: .relaxed) }
        set { instances.store(newValue, ordering: .relaxed) }
    }
}
