import HindsightFormat
import HindsightSupport

/// Carrying out the commands of a batch.
extension RecordingWriter {
    /// After this time, what was found of a batch is written, in nanoseconds.
    private static var flushTime: Int64 { 25_000_000 }

    /// Writes a batch. If that fails, writes its actions without their changes.
    func write(_ batch: [WriterCommand]) throws {
        var actions: [PendingAction] = []
        var notes: [JournalNote] = []
        var journalEnd: UInt64?
        var bytes = 0
        // The index of the first command that is not carried out.
        var written = 0
        var lastFlush = SystemClock.monotonic
        func flush(_ next: Int) throws {
            try write(actions, notes, journalEnd)
            (actions, notes, journalEnd, bytes, written) = ([], [], nil, 0, next)
            lastFlush = SystemClock.monotonic
        }
        do {
            try output.checkPlace()
            for (index, command) in batch.enumerated() {
                channel.heartbeat()
                // If the process is killed, the changes that were found but not written are lost.
                if index.isMultiple(of: 8), SystemClock.monotonic - lastFlush > Self.flushTime { try flush(index) }
                switch command {
                case .start(let reducers, let state, let text, let computes):
                    self.reducers = reducers
                    // If it may hold class instances, there is no state: they could change while they are read here.
                    if let state, let impurity = try differ.follow(from: state.of(StateValue.self)[0], text, after: 0) {
                        tell(impurity)
                        if computes { (isComparable, findings.isRefuted) = (false, true) }
                    }
                    keep(text.utf8.count)
                    if computes, let state {
                        ownState = state.of(StateValue.self)[0]
                        computed = ComputedStates(confirmed: 0)
                    }
                    try channel.waitingForDisk { try output.begin(reducers: reducers, state: text, computed) }
                    audit.begin(with: text)
                    trimmer?.keep(text.utf8.count, at: 0)
                    journal.begin()
                case .resume(let state, let seq):
                    try flush(index)
                    if let state = state.map({ $0.of(StateValue.self)[0] }) ?? ownState {
                        try resume(from: state, after: seq)
                    }
                case .audit(let state, let seq, let isLast):
                    try flush(index)
                    try audit(state.of(StateValue.self)[0], at: seq, isLast: isLast)
                case .whole(let text, let seq):
                    try flush(index)
                    try resume(with: text, after: seq)
                case .final(let text, let seq):
                    try flush(index)
                    try audit(finally: text, at: seq)
                case .note(let note, let end):
                    notes.append(note)
                    journalEnd = end ?? journalEnd
                    bytes += note.bytes
                    if let trimmer, bytes >= trimmer.transactionBytes { try flush(index + 1) }
                case .action(let pending, let end):
                    do {
                        try findChanges(of: pending)
                        actions.append(pending)
                        journalEnd = end
                    } catch {
                        // The actions before it are sound.
                        try flush(index)
                        throw error
                    }
                    guard let trimmer else { continue }
                    bytes += pending.textBytes + pending.keyframeBytes
                    if bytes >= trimmer.transactionBytes { try flush(index + 1) }
                }
            }
            try write(actions, notes, journalEnd)
        } catch {
            keepActions(of: Array(batch[written...]))
            throw error
        }
    }

    /// Resumes from the state after actions whose states were left out: writes what changed across all of them.
    ///
    /// Writing a keyframe instead would cost the size of the app's state each time, and the writer would fall behind
    /// again.
    private func resume(from state: StateValue, after seq: Int) throws {
        // Instances may have changed since. The dispatching threads find changes from now on.
        if findings.holdsInstances { return }
        try differ.add(state, after: seq)
        if noteInstances() { return }
        let changes = try finish(after: seq)
        let keyframeBytes = changes.keyframe?.utf8.count ?? 0
        try channel.waitingForDisk {
            try trimmer?.makeRoom(forBytes: 2 * changes.steps.utf8.count + keyframeBytes)
            try output.rows.bridge(to: seq, steps: changes.steps, keyframe: changes.keyframe)
        }
        if keyframeBytes > 0 { trimmer?.keep(keyframeBytes, at: seq) }
        note(changes, of: seq, isByReducers: false)
    }

    /// Resumes with a keyframe from the dispatching threads, which find changes from then on.
    private func resume(with text: String, after seq: Int) throws {
        differ.finder.stopFollowing()
        try channel.waitingForDisk {
            try trimmer?.makeRoom(forBytes: text.utf8.count)
            try output.rows.keepWhole(text, at: seq)
        }
        noteWhole(text, at: seq)
    }

    /// Notes a keyframe in the file, from which the next states follow.
    func noteWhole(_ text: String, at seq: Int) {
        trimmer?.keep(text.utf8.count, at: seq)
        keep(text.utf8.count)
        audit.begin(with: text)
        (lastKnown, lastWhole) = (seq, seq)
    }

    private func write(_ actions: [PendingAction], _ notes: [JournalNote], _ journalEnd: UInt64?) throws {
        if actions.isEmpty, notes.isEmpty { return }
        try channel.waitingForDisk {
            try trimmer?.makeRoom(for: actions, andBytes: notes.reduce(0) { $0 + $1.bytes })
            try output.write(actions, notes)
            trimmer?.wrote(actions)
            if let journalEnd { try journal.forget(upTo: journalEnd) }
        }
        for pending in actions { pending.dropChanges() }
    }

    /// Writes notes, and actions without their changes. If that fails, they and all later ones stay in the journal, so that the
    /// recording has no gap.
    func keepActions(of batch: [WriterCommand]) {
        if output.isBroken { return }
        var actions: [PendingAction] = []
        var notes: [JournalNote] = []
        var journalEnd: UInt64?
        for command in batch {
            switch command {
            case .action(let pending, let end):
                pending.dropChanges()
                actions.append(pending)
                journalEnd = end
            case .note(let note, let end):
                notes.append(note)
                journalEnd = end ?? journalEnd
            case .start, .resume, .audit, .whole, .final:
                continue
            }
        }
        do {
            try write(actions, notes, journalEnd)
        } catch {
            output.isBroken = true
        }
    }
}

extension JournalNote {
    /// The size of its row in bytes, with its entry in the index of names.
    fileprivate var bytes: Int { 2 * text.utf8.count + RowWriter.rowOverhead }
}
