import HindsightFormat
import HindsightSupport
import HindsightTree
import Synchronization

/// The part of a recorder that runs on its own thread: turns states into patches, and writes them in batches.
final class RecordingWriter<State: Codable & Sendable> {
    let output: RecordingFile
    private let journal: Journal
    /// Marks the journal of a recorder that had to stop, synchronized with the marks of dispatching threads.
    private let markStopped: () -> Void
    let path: String
    let redactor: Redactor
    /// Finds the changes between states.
    let finder: ChangeFinder<State>
    private var steps = TimedPatchWriter()
    private var rule: KeyframeRule
    let findings: WriterFindings
    var audit = SelfAudit()
    /// The last action whose state is in the file, and the last one with a keyframe.
    var lastKnown = 0
    var lastWhole = 0
    /// Whether doubtful states were reported.
    var toldOfDoubt = false

    private let pool: PendingActionPool
    /// Keeps the recording within its limit, if there is one.
    private let trimmer: RecordingTrimmer?
    private let channel: WriterChannel<WriterCommand>
    /// Reports failures of the writer after the recording has ended, and problems with states.
    let report: (RecordingError) -> Void
    /// The bytes of released states that the queue has not counted yet.
    private var freedBytes = 0

    init(
        _ output: RecordingFile,
        _ journal: Journal,
        markStopped: @escaping () -> Void,
        redactor: Redactor,
        rule: KeyframeRule,
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
        self.rule = rule
        self.trimmer = trimmer
        self.channel = channel
        self.report = report
        path = output.path
        self.redactor = redactor
        finder = ChangeFinder(redactor: redactor, writesText: true)
    }

    /// Writes until there are no more commands, and ends the recording.
    func run() {
        defer { channel.told() }
        var failure: RecordingError?
        var isOurs = false
        while let batch = channel.next() {
            if failure == nil {
                let start = SystemClock.monotonic
                do {
                    try write(batch)
                    audit.noteWork(SystemClock.monotonic - start)
                } catch {
                    let found = wrapped(error)
                    isOurs = channel.fail(found)
                    failure = found
                }
            } else {
                // The states are lost, but not the actions.
                keepActions(of: batch)
            }
            pool.give(batch.compactMap { if case .action(let slot, _) = $0 { slot } else { nil } })
            freedBytes = 0
            // Must come before the threads that wait for the batch change the files.
            output.noteLengths(mayShrink: trimmer != nil)
            channel.finish()
            if failure == nil {
                do {
                    try waitingForDisk { try audit { channel.hasTime } }
                    try waitingForDisk { try trimmer?.tidy { channel.hasTime } }
                } catch {
                    let found = wrapped(error)
                    isOurs = channel.fail(found)
                    failure = found
                }
            }
            output.noteLengths(mayShrink: trimmer != nil)
        }
        if let failure = channel.failureSoFar ?? failure {
            output.abandon(because: failure.summary, journal, marking: markStopped)
            channel.conclude(.stopped(failure))
            if isOurs { report(failure) }
            return
        }
        do {
            try output.checkPlace()
            try auditEnd()
            try trimmer?.tidy { true }
            output.noteLengths(mayShrink: trimmer != nil)
            try output.close()
            journal.remove()
            channel.conclude(.closed)
        } catch {
            let failure = wrapped(error)
            output.abandon(because: failure.summary, journal, marking: markStopped)
            channel.conclude(.stopped(failure))
            report(failure)
        }
    }

    private func wrapped(_ error: any Error) -> RecordingError {
        let error = output.cause(of: error)
        var wrapped = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        wrapped.file = wrapped.file ?? path
        return wrapped
    }

    // MARK: A batch

    /// Writes a batch. If the changes of an action cannot be written, the action is written without them.
    private func write(_ batch: [WriterCommand]) throws {
        var rows: [RowWriter.Row] = []
        var journalEnd: UInt64?
        var written = 0
        var bytes = 0
        do {
            try output.checkPlace()
            for (index, work) in batch.enumerated() {
                channel.beat()
                switch work {
                case .start(let reducers, let state, let text):
                    // Changes in class instances must be found on the dispatching thread.
                    if let state { try begin(from: state.of(State.self)[0], text) }
                    keep(text.utf8.count)
                    try waitingForDisk { try output.begin(reducers: reducers, state: text) }
                    audit.begin(with: text)
                    trimmer?.keep(text.utf8.count, at: 0)
                    journal.begin()
                case .resume(let state, let seq):
                    try write(rows, journalEnd)
                    (rows, bytes, journalEnd, written) = ([], 0, nil, index)
                    try goOn(from: state.of(State.self)[0], after: seq)
                case .whole(let text, let seq):
                    try write(rows, journalEnd)
                    (rows, bytes, journalEnd, written) = ([], 0, nil, index)
                    try goOn(fromText: text, after: seq)
                case .final(let text, let seq):
                    try write(rows, journalEnd)
                    (rows, bytes, journalEnd, written) = ([], 0, nil, index)
                    try audit(finally: text, at: seq)
                case .action(let slot, let end):
                    do {
                        let effect = try effect(of: slot)
                        rows.append(row(slot, effect))
                        if let effect { note(effect, of: slot.action.seq) }
                        if effect != nil { free(slot) }
                        journalEnd = end
                    } catch {
                        // The rows so far are sound.
                        try write(rows, journalEnd)
                        written = index
                        throw error
                    }
                    guard let trimmer else { continue }
                    bytes += rows.last.map { $0.textBytes + $0.keyframeBytes } ?? 0
                    if bytes >= trimmer.transactionBytes {
                        try write(rows, journalEnd)
                        written = index + 1
                        (rows, bytes) = ([], 0)
                    }
                }
            }
            try write(rows, journalEnd)
        } catch {
            keepActions(of: Array(batch[written...]))
            throw error
        }
    }

    /// Releases an action's states. If they are large, dispatching threads may be waiting for the memory.
    private func free(_ slot: PendingAction) {
        slot.releaseStates()
        freedBytes += slot.bytes
        guard freedBytes > 1 << 20 else { return }
        channel.free(freedBytes)
        freedBytes = 0
    }

    /// Continues after actions whose states were left out, and writes their changes as one entry.
    ///
    /// A keyframe instead would take as many bytes as the app's state each time, and would make the writer fall behind
    /// again.
    private func goOn(from state: State, after seq: Int) throws {
        // Class instances may have changed since. The dispatching thread finds those changes.
        if findings.holdsInstances { return }
        steps.clear()
        steps.add(nil, try changes(to: state, seq, reducer: nil))
        if noteInstances() { return }
        let effect = try withKeyframe(RowWriter.Effect(duration: 0, steps.finish(), keyframe: nil), after: seq)
        let keyframeBytes = effect.keyframe?.utf8.count ?? 0
        try waitingForDisk {
            try trimmer?.makeRoom(forBytes: 2 * effect.steps.utf8.count + keyframeBytes)
            try output.bridge(to: seq, effect)
        }
        if keyframeBytes > 0 { trimmer?.keep(keyframeBytes, at: seq) }
        note(effect, of: seq)
    }

    /// Continues from a whole state that the dispatching thread encoded. That thread finds the changes from now on.
    private func goOn(fromText text: String, after seq: Int) throws {
        finder.stopFollowing()
        try waitingForDisk {
            try trimmer?.makeRoom(forBytes: text.utf8.count)
            try output.keepWhole(text, at: seq)
        }
        trimmer?.keep(text.utf8.count, at: seq)
        keep(text.utf8.count)
        audit.begin(with: text)
        (lastKnown, lastWhole) = (seq, seq)
    }
    private func write(_ rows: [RowWriter.Row], _ journalEnd: UInt64?) throws {
        guard let journalEnd, !rows.isEmpty else { return }
        try waitingForDisk {
            try trimmer?.makeRoom(for: rows)
            try output.write(rows)
            trimmer?.wrote(rows)
            try journal.forget(upTo: journalEnd)
        }
    }

    /// Runs disk operations, which dispatching threads wait for.
    private func waitingForDisk(_ body: () throws -> Void) throws {
        try channel.waitingForDisk(body)
    }

    /// Writes actions without their changes. If that fails, these and all later actions stay in the journal, so that
    /// the recording has no gap.
    private func keepActions(of batch: [WriterCommand]) {
        if output.isBroken { return }
        var rows: [RowWriter.Row] = []
        var journalEnd: UInt64?
        for case .action(let slot, let end) in batch {
            rows.append(RowWriter.Row(action: slot.action, duration: slot.duration))
            journalEnd = end
        }
        do {
            try write(rows, journalEnd)
        } catch {
            output.isBroken = true
        }
    }

    private func row(_ slot: PendingAction, _ effect: RowWriter.Effect?) -> RowWriter.Row {
        if effect != nil { return RowWriter.Row(action: slot.action, effect: effect) }
        var row = RowWriter.Row(action: slot.action, duration: slot.duration)
        // An action that never finished has no states. All others without an effect were skipped.
        row.isSkipped = row.duration != nil
        return row
    }

    /// Finds the changes of an action; `nil` if it never finished, or if its states were left out.
    private func effect(of slot: PendingAction) throws -> RowWriter.Effect? {
        let seq = slot.action.seq
        let states = slot.states.of(State.self)
        switch slot.outcome {
        case .unfinished, .skipped, .done:
            return nil
        case .changes(let steps, let keyframe):
            if let keyframe { keep(keyframe.utf8.count) }
            return RowWriter.Effect(steps, keyframe: keyframe)
        case .states:
            if findings.holdsInstances { return nil }
            steps.clear()
            for index in 0..<states.count {
                let patch = try changes(to: states.place(index).pointee, seq, reducer: index + 1)
                steps.add(states.duration(index), patch)
            }
            if noteInstances() { return nil }
            let effect = RowWriter.Effect(duration: states.duration, steps.finish(), keyframe: nil)
            return try withKeyframe(effect, after: seq, payloadBytes: slot.action.payload?.utf8.count ?? 0)
        case .travel:
            if findings.holdsInstances { return nil }
            let patch = try changes(to: states[0], seq, reducer: nil)
            if noteInstances() { return nil }
            return try withKeyframe(RowWriter.Effect([TimedPatch(duration: nil, patch: patch)]), after: seq)
        }
    }

    private func changes(to state: State, _ seq: Int, reducer: Int?) throws -> Patch {
        try naming(path, seq, reducer: reducer, redactor) { try finder.patch(to: state) }
    }

    private func withKeyframe(
        _ effect: RowWriter.Effect,
        after seq: Int,
        payloadBytes: Int = 0
    ) throws -> RowWriter.Effect {
        let rowBytes = effect.steps.utf8.count + payloadBytes
        let isDue = rule.isDue(after: effect.operationBytes, growth: effect.growth, rowBytes: rowBytes)
        findings.stateBytes = rule.stateBytes
        guard isDue, let state = finder.lastFollowed else { return effect }
        var effect = effect
        let text = try naming(path, seq, redactor) { try TextEncoder.text(of: state, redactor: redactor) }
        keep(text.utf8.count)
        effect.keyframe = text
        return effect
    }

    /// Whether the last state contains a class instance that its type does not show. The instance may have changed
    /// since, so the dispatching thread must find the changes.
    private func noteInstances() -> Bool {
        guard finder.holdsInstances else { return false }
        findings.holdsInstances = true
        finder.stopFollowing()
        audit.breakOff()
        return true
    }

    func keep(_ bytes: Int) {
        rule.keep(bytes)
        findings.stateBytes = bytes
    }
}

/// Results of the writer that dispatching threads read. Each read costs one load.
final class WriterFindings: Sendable {
    private let bytes = Atomic(0)
    private let instances = Atomic(false)

    /// The size of the last keyframe's text in bytes.
    var stateBytes: Int {
        get { bytes.load(ordering: .relaxed) }
        set { bytes.store(newValue, ordering: .relaxed) }
    }

    /// Whether a state contained a class instance.
    var holdsInstances: Bool {
        get { instances.load(ordering: .relaxed) }
        set { instances.store(newValue, ordering: .relaxed) }
    }
}

/// Encodes a state, and adds the action and the reducer to an error.
func naming<Result>(
    _ path: String,
    _ seq: Int,
    reducer: Int? = nil,
    _ redactor: Redactor,
    _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch {
        var wrapped = RecordingError(.unencodableState, file: path, cause: error)
        wrapped.seq = seq
        wrapped.reducer = reducer
        wrapped.path = (error as? TreeError)?.path
        throw wrapped.withoutValues(redactor)
    }
}
