import HindsightFormat
import HindsightSupport
import HindsightTree

/// How actions, with their states or their changes, get into the journal and to the writer.
extension RecorderCore {
    /// Waits until there is room for an action and its states, or decides that they are left out.
    ///
    /// - Returns: Whether its states are to be kept.
    func waitForRoom(unlessSkipped isComputable: Bool) -> Bool {
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
    func catchUp(_ session: inout RecorderSession) {
        guard let (state, seq) = session.catchUp() else { return }
        channel.add(.resume(state, seq: seq), bytes: bytes(of: state))
    }

    /// A slot with an action: one that the writer has given back, where there is one.
    func slot(for action: consuming DispatchedAction) -> PendingAction {
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
    func append(_ slot: PendingAction, then part: (inout RecorderSession) throws -> Void) {
        while channel.isOpen, !isForked {
            var isWritten = false
            perform { session in
                isWritten = try session.journal.append(slot.action) != nil
                if isWritten { try part(&session) }
            }
            if isWritten { return }
            if !channel.waitForProgress() {
                perform { _ in throw heldUp }
            }
        }
    }

    private var heldUp: RecordingError {
        RecordingError(
            .stopped,
            reason:
                "its writer waits for the app: a state's deinit or encode(to:) may be waiting for the store that dispatches"
        )
    }

    func hand(over slot: PendingAction, in session: RecorderSession) throws {
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
        case .finished, .skipped, .unfinished:
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
    func startEagerDiffer(from state: State, _ text: String, after seq: Int) throws -> RecordingError? {
        let differ = StateDiffer<State>(options.keyframeRule, redactors.states, path: path, writesText: false)
        differ.keep(text.utf8.count)
        eagerDiffer = differ
        return try differ.follow(from: state, text, after: seq, lookingForInstances: true)
    }

    /// Looks for changes here from now on: the writer has met a class instance that the state's type does not tell of. The
    /// states before are left out, since the instance may have changed after they were made.
    func startDiffingEagerly(
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
}
