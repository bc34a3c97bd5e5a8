import HindsightFormat
import HindsightSupport
import HindsightTree
import Synchronization

/// What happens behind the dispatching threads: turns states into patches and writes them, in batches. On one thread.
final class RecordingWriter<State: Codable & Sendable> {
    let output: RecordingFile
    private let journal: Journal
    /// Marks the journal as that of a recorder that had to stop, while no dispatching thread is about to mark it.
    private let markStopped: () -> Void
    let path: String
    let differ: StateDiffer<State>
    let findings: WriterFindings
    var audit = SelfAudit()
    /// The last action after which the state is in the file, and the last after which it is there as a whole.
    var lastKnown = 0
    var lastWhole = 0
    /// Whether the app was told of doubtful states.
    var toldOfDoubt = false

    private let pool: PendingActionPool
    /// Keeps the recording within its limit, where it has one.
    private let trimmer: RecordingTrimmer?
    private let channel: WriterChannel<WriterCommand>
    /// Tells the app of a failure that is met here, once the recording has ended, and of what is wrong with its states.
    let report: (RecordingError) -> Void
    /// The bytes of states that were let go of, and of which the queue does not know yet.
    private var freedBytes = 0

    init(
        _ output: RecordingFile,
        _ journal: Journal,
        markStopped: @escaping () -> Void,
        differ: StateDiffer<State>,
        findings: WriterFindings,
        pool: PendingActionPool,
        trimmer: RecordingTrimmer?,
        channel: WriterChannel<WriterCommand>,
        report: @escaping (RecordingError) -> Void
    ) {
        self.output = output
        self.journal = journal
        self.markStopped = markStopped
        self.findings = findings
        self.pool = pool
        self.differ = differ
        self.trimmer = trimmer
        self.channel = channel
        self.report = report
        path = output.path
    }

    /// Works until there is no more work, and ends the recording.
    func run() {
        defer { channel.told() }
        var failure: RecordingError?
        var isOurs = false
        func attempt(_ part: () throws -> Void) {
            do {
                try part()
            } catch {
                let found = wrapped(error)
                isOurs = channel.fail(found)
                failure = found
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
                // The states are not known any more, but the actions are.
                keepActions(of: batch)
            }
            pool.give(batch.compactMap { if case .action(let slot, _) = $0 { slot } else { nil } })
            freedBytes = 0
            // Before anybody who waited for the batch does something to the files.
            output.noteLengths(mayShrink: trimmer != nil)
            channel.finish()
            if failure == nil {
                attempt {
                    try waitingForDisk { try audit { channel.hasTime } }
                    try waitingForDisk { try trimmer?.tidy { channel.hasTime } }
                }
            }
            output.noteLengths(mayShrink: trimmer != nil)
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
        wrapped.file = wrapped.file ?? path
        return wrapped
    }

    // MARK: A batch

    /// Writes a batch. Where something about it cannot be written, its actions are written all the same.
    private func write(_ batch: [WriterCommand]) throws {
        var actions: [PendingAction] = []
        var journalEnd: UInt64?
        var written = 0
        var bytes = 0
        do {
            try output.checkPlace()
            for (index, work) in batch.enumerated() {
                channel.beat()
                switch work {
                case .start(let reducers, let state, let text):
                    // Class instances are looked at where they cannot change meanwhile: not here.
                    if let state, let impurity = try differ.follow(from: state.of(State.self)[0], text, after: 0) {
                        tell(impurity)
                    }
                    keep(text.utf8.count)
                    try waitingForDisk { try output.begin(reducers: reducers, state: text) }
                    audit.begin(with: text)
                    trimmer?.keep(text.utf8.count, at: 0)
                    journal.begin()
                case .resume(let state, let seq):
                    try write(actions, journalEnd)
                    (actions, bytes, journalEnd, written) = ([], 0, nil, index)
                    try goOn(from: state.of(State.self)[0], after: seq)
                case .whole(let text, let seq):
                    try write(actions, journalEnd)
                    (actions, bytes, journalEnd, written) = ([], 0, nil, index)
                    try goOn(fromText: text, after: seq)
                case .final(let text, let seq):
                    try write(actions, journalEnd)
                    (actions, bytes, journalEnd, written) = ([], 0, nil, index)
                    try audit(finally: text, at: seq)
                case .action(let slot, let end):
                    do {
                        try findChanges(of: slot)
                        actions.append(slot)
                        journalEnd = end
                    } catch {
                        // What came before is sound.
                        try write(actions, journalEnd)
                        written = index
                        throw error
                    }
                    guard let trimmer else { continue }
                    bytes += slot.textBytes + slot.keyframeBytes
                    if bytes >= trimmer.transactionBytes {
                        try write(actions, journalEnd)
                        written = index + 1
                        (actions, bytes) = ([], 0)
                    }
                }
            }
            try write(actions, journalEnd)
        } catch {
            keepActions(of: Array(batch[written...]))
            throw error
        }
    }

    /// Lets go of an action's states. If they are many megabytes, dispatching threads may wait for that.
    private func free(_ slot: PendingAction) {
        slot.states.removeAll()
        freedBytes += slot.bytes
        guard freedBytes > 1 << 20 else { return }
        channel.free(freedBytes)
        freedBytes = 0
    }

    /// Goes on from the state behind actions whose states were left out: writes what changed across all of them.
    ///
    /// A whole state in its place would be as many bytes as the app's state each time, and writing it would make the writer
    /// fall behind again.
    private func goOn(from state: State, after seq: Int) throws {
        // What holds instances may have changed since, and is looked at elsewhere.
        if findings.holdsInstances { return }
        try differ.add(state, after: seq)
        if noteInstances() { return }
        let changes = try finish(after: seq)
        let keyframeBytes = changes.keyframe?.utf8.count ?? 0
        try waitingForDisk {
            try trimmer?.makeRoom(forBytes: 2 * changes.steps.utf8.count + keyframeBytes)
            try output.bridge(to: seq, changes)
        }
        if keyframeBytes > 0 { trimmer?.keep(keyframeBytes, at: seq) }
        note(changes, of: seq)
    }

    /// Goes on from a whole state that was encoded elsewhere. What changes from then on is looked for there too.
    private func goOn(fromText text: String, after seq: Int) throws {
        differ.finder.stopFollowing()
        try waitingForDisk {
            try trimmer?.makeRoom(forBytes: text.utf8.count)
            try output.keepWhole(text, at: seq)
        }
        trimmer?.keep(text.utf8.count, at: seq)
        keep(text.utf8.count)
        audit.begin(with: text)
        (lastKnown, lastWhole) = (seq, seq)
    }

    private func write(_ actions: [PendingAction], _ journalEnd: UInt64?) throws {
        guard let journalEnd, !actions.isEmpty else { return }
        try waitingForDisk {
            try trimmer?.makeRoom(for: actions)
            try output.write(actions)
            trimmer?.wrote(actions)
            try journal.forget(upTo: journalEnd)
        }
        for slot in actions { slot.dropChanges() }
    }

    /// Runs what waits for the disk.
    private func waitingForDisk(_ body: () throws -> Void) throws {
        try channel.waitingForDisk(body)
    }

    /// Writes actions without what they did. Where that fails, they and all that come after stay in the journal, so that
    /// the recording has no gap.
    private func keepActions(of batch: [WriterCommand]) {
        if output.isBroken { return }
        var actions: [PendingAction] = []
        var journalEnd: UInt64?
        for case .action(let slot, let end) in batch {
            slot.dropChanges()
            actions.append(slot)
            journalEnd = end
        }
        do {
            try write(actions, journalEnd)
        } catch {
            output.isBroken = true
        }
    }

    /// Finds what an action did, unless it never finished or its states were left out. Then releases its states.
    private func findChanges(of slot: PendingAction) throws {
        let known: ActionChanges
        switch slot.outcome {
        case .unfinished, .skipped, .finished:
            return
        case .changes(let changes):
            if let keyframe = changes.keyframe { keep(keyframe.utf8.count) }
            known = changes
        case .states, .travel:
            guard let found = try changes(of: slot) else {
                slot.outcome = .skipped(slot.duration ?? 0)
                return
            }
            slot.outcome = .changes(found)
            known = found
        }
        note(known, of: slot.action.seq)
        free(slot)
    }

    /// What changed from state to state in an action; `nil` if the states hold class instances, which may have changed.
    private func changes(of slot: PendingAction) throws -> ActionChanges? {
        if findings.holdsInstances { return nil }
        let seq = slot.action.seq
        let states = slot.states.of(State.self)
        if case .travel = slot.outcome {
            try differ.add(states[0], after: seq)
        } else {
            for index in 0..<states.count {
                let state = states.place(index)
                try differ.add(state.pointee, after: seq, reducer: index + 1, states.duration(index))
            }
        }
        if noteInstances() { return nil }
        return try finish(after: seq, slot.duration ?? 0, payloadBytes: slot.action.payload?.utf8.count ?? 0)
    }

    private func finish(after seq: Int, _ duration: Int64 = 0, payloadBytes: Int = 0) throws -> ActionChanges {
        let changes = try differ.finish(after: seq, duration, payloadBytes: payloadBytes)
        findings.stateBytes = differ.stateBytes
        return changes
    }

    /// Whether the state that was looked at last holds a class instance: it may have changed since the state was made, and
    /// what the type does not tell the dispatching thread is told here.
    private func noteInstances() -> Bool {
        guard differ.finder.holdsInstances else { return false }
        findings.holdsInstances = true
        differ.finder.stopFollowing()
        audit.breakOff()
        return true
    }

    func keep(_ bytes: Int) {
        differ.keep(bytes)
        findings.stateBytes = bytes
    }
}

/// What the writer finds out and the dispatching threads ask. Each costs a load.
final class WriterFindings: Sendable {
    private let bytes = Atomic(0)
    private let instances = Atomic(false)

    /// The bytes of the last whole state as text.
    var stateBytes: Int {
        get { bytes.load(ordering: .relaxed) }
        set { bytes.store(newValue, ordering: .relaxed) }
    }

    /// Whether a class instance was met in a state.
    var holdsInstances: Bool {
        get { instances.load(ordering: .relaxed) }
        set { instances.store(newValue, ordering: .relaxed) }
    }
}
