import HindsightFormat
import HindsightTree

/// Handing actions to the writer with their states or changes.
extension RecorderCore {
    /// Hands over the state after actions whose states were left out. The recording resumes from it.
    func catchUp(_ session: inout RecorderSession) {
        guard let (state, seq) = session.catchUp() else { return }
        channel.add(.resume(state, seq: seq), bytes: state.map(bytes) ?? 0)
    }

    /// Hands over the app's state after the last action if it is time to compare it with the computed one. If the last
    /// comparison has found a difference, it is the last: the app's own states are recorded from then on.
    func auditIfDue(_ state: StateValue, in session: inout RecorderSession) {
        guard leaves != nil, let interval = options.auditInterval else { return }
        let isRefuted = findings.isRefuted
        let time = session.time
        guard isRefuted || time >= nextAudit else { return }
        // Keeping the state makes the app copy what it changes next, and comparing it takes the writer's time.
        guard isRefuted || channel.isNearlyEmpty || time >= nextAudit + 9 * interval else { return }
        nextAudit = time + interval
        catchUp(&session)
        audit(state, seq: session.last.seq, isLast: isRefuted)
    }

    func audit(_ state: StateValue, seq: Int, isLast: Bool) {
        let state = StateSnapshots.one(state)
        channel.add(.audit(state, seq: seq, isLast: isLast), bytes: bytes(of: state))
        if isLast { leaves = nil }
    }

    /// Marks an action as done, and hands it to the writer.
    func hand(over pending: PendingAction, in session: inout RecorderSession) throws {
        let seq = pending.action.seq
        // If the journal has no room for the end, the writer is about to write the action with its end.
        let end = try session.journal.append(done: seq, duration: pending.duration ?? 0)
        session.end()
        session.journal.mark(ReducerMark(phase: .idle, seq: seq, reducer: 0))
        pending.bytes = (pending.action.payload?.utf8.count ?? 0) + stateBytes(of: pending)
        channel.add(.action(pending, journalEnd: end ?? session.journal.end), bytes: pending.bytes)
    }

    /// The number of bytes of memory that an action's states do not share with earlier states. A state with memory of
    /// unknown size counts as the text of a whole state.
    private func stateBytes(of pending: PendingAction) -> Int {
        switch pending.outcome {
        case .states, .travel:
            return bytes(of: pending.states)
        case .changes:
            return findings.stateBytes
        case .finished, .skipped, .unfinished, .computable:
            return 0
        }
    }

    private func bytes(of kept: StateSnapshots) -> Int {
        let states = kept.of(StateValue.self)
        guard states.count > 0 else { return 0 }
        let copied = buffers.bytes(ofValueAt: states.place(states.count - 1), beyond: &lastBuffers)
        return kept.bytes + (buffers.isComplete ? copied : max(copied, findings.stateBytes))
    }

    /// Starts to find changes on the dispatching threads, from a state that is recorded as `text`.
    ///
    /// - Returns: The error to report if `encode(to:)` is impure; `nil` if it is pure.
    func startEagerDiffer(from state: StateValue, _ text: String, after seq: Int) throws -> RecordingError? {
        let differ = StateDiffer<StateValue>(options.keyframeRule, redactors.states, writesText: false)
        differ.keep(text.utf8.count)
        eagerDiffer = differ
        return try differ.follow(from: state, text, after: seq, lookingForInstances: true)
    }

    /// Finds changes on the dispatching threads from now on, because the writer has found a class instance that the
    /// state's type does not reveal. Earlier states are left out, because the instance may have changed since.
    func diffEagerly(
        from state: StateValue,
        after pending: PendingAction,
        duration: Int64,
        in session: inout RecorderSession
    ) throws {
        let seq = pending.action.seq
        let text = try naming(seq, redactors.states) {
            try TextEncoder.text(of: state, redactor: redactors.states)
        }
        leaves = nil
        _ = try startEagerDiffer(from: state, text, after: seq)
        _ = session.catchUp()
        pending.outcome = .skipped(duration)
        try hand(over: pending, in: &session)
        channel.add(.whole(text: text, seq: seq), bytes: text.utf8.count)
    }
}
