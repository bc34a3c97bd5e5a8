import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// The events of the recorded store.
extension RecorderCore {
    /// The most action types for which the recorder checks that a redacted action still decodes.
    private static var maxReadTypes: Int { 1000 }

    func willReduce(_ action: ActionValue, _ context: ActionContext) {
        guard channel.isOpen, !isForked else { return }
        var problem: (any Error)?
        let pending = pendingAction(for: describer.describe(action, context, &problem))
        pending.action.thread = threads.change()
        // An action that cannot be replayed needs its states.
        let keepsStates = waitForRoom(unlessSkipped: pending.action.problem == nil)
        var isNews = false
        var toRead: DispatchedAction?
        append(pending) { session in
            if self.redactors.actions.hasPatterns, session.readTypes.count < Self.maxReadTypes {
                if session.readTypes.insert(ScalarKey(pending.action.type)).inserted { toRead = pending.action }
            }
            if problem != nil { isNews = session.troubledTypes.insert(ScalarKey(pending.action.type)).inserted }
            if let leaves = self.leaves {
                pending.reduce = { state, reducer in
                    leaves[reducer].reduce(&state.assumingMemoryBound(to: StateValue.self).pointee, action)
                }
            }
            session.begin(pending, keepingStates: keepsStates)
        }
        if let problem, isNews { report(problem) }
        if let toRead, let decodingFailure = describer.decodingFailure(of: toRead) { report(decodingFailure) }
    }

    /// Returns a pending action, and reuses one that the writer has given back, if there is one.
    func pendingAction(for action: consuming DispatchedAction) -> PendingAction {
        if spares.isEmpty { spares = pool.takeAll() }
        guard let pending = spares.popLast() else {
            // Time travel keeps a state, even if there is no reducer.
            let capacity = max(1, session.withLock { $0.reducerCount })
            return PendingAction(action, states: TypedStateSnapshots<StateValue>(capacity: capacity))
        }
        pending.action = action
        return pending
    }

    /// Waits until there is room for an action and its states, or decides to leave the states out.
    ///
    /// - Returns: Whether to keep its states.
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

    /// Writes an action ahead into the journal, and then runs `part`. Waits for the writer if the journal is full.
    func append(_ pending: PendingAction, then part: (inout RecorderSession) throws -> Void) {
        while channel.isOpen, !isForked {
            var isWritten = false
            perform { session in
                isWritten = try session.journal.append(pending.action) != nil
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
            reason: "its writer waits for the app: a state's deinit or encode(to:) may be waiting for the store"
        )
    }

    func didRun(reducer: Int, state: StateValue) {
        let now = SystemClock.monotonic
        perform { session in
            guard let (seq, duration) = session.timeReducer(until: now) else { return }
            if let eagerDiffer = self.eagerDiffer {
                session.mark(reducer: 0, of: seq)
                try eagerDiffer.add(state, after: seq, reducer: reducer, duration)
            } else if session.keepsStates {
                if self.leaves != nil {
                    session.kept?.keep(duration: duration)
                } else {
                    session.kept?.of(StateValue.self).keep(state, duration)
                }
            }
            session.next(after: reducer, of: seq)
        }
    }

    func didReduce(state: StateValue) {
        perform { session in
            guard let pending = session.pending else { return }
            if let eagerDiffer = self.eagerDiffer {
                let bytes = pending.action.payload?.utf8.count ?? 0
                let changes = try eagerDiffer.finish(after: pending.action.seq, session.duration, payloadBytes: bytes)
                pending.outcome = .changes(changes)
            } else if self.findings.holdsInstances {
                return try self.diffEagerly(from: state, after: pending, duration: session.duration, in: &session)
            } else if session.keepsStates {
                pending.outcome = self.leaves == nil ? .states : .computable
            } else {
                session.fallBehind(at: pending.action.seq, self.leaves == nil ? .one(state) : nil)
                pending.outcome = .skipped(session.duration)
            }
            try self.hand(over: pending, in: &session)
            self.auditIfDue(state, in: &session)
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: StateValue) {
        guard channel.isOpen, !isForked else { return }
        let pending = pendingAction(for: DispatchedAction(travelTo: seq, context))
        pending.action.thread = threads.change()
        _ = waitForRoom(unlessSkipped: false)
        append(pending) { session in
            session.travel(pending)
            if let eagerDiffer = self.eagerDiffer {
                try eagerDiffer.add(state, after: pending.action.seq)
                pending.outcome = .changes(try eagerDiffer.finish(after: pending.action.seq))
            } else if self.findings.holdsInstances {
                return try self.diffEagerly(from: state, after: pending, duration: 0, in: &session)
            } else {
                pending.states.of(StateValue.self).keep(state, 0)
                pending.outcome = .travel
            }
            try self.hand(over: pending, in: &session)
        }
    }

    func didEnter(_ phase: DispatchPhase) {
        // Two stores could call this at the same time, but the recorder stops when the second one starts.
        guard channel.isOpen, !isForked else { return }
        journal.mark(phase)
    }
}
