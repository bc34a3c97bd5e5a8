import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// The events of the recorded store.
extension RecorderCore {
    /// The most action types for which the recorder checks that a redacted action still decodes.
    private static var mostReadTypes: Int { 1000 }

    /// Starts to record a store, unless the recorder has one already.
    ///
    /// - Returns: Whether the store is recorded.
    func start(initial: StateValue, reducers: [String], from attachment: StoreAttachment<StateValue, ActionValue>.Name)
        -> Bool
    {
        let recorded = session.withLock { session in
            defer { session.attachment = session.attachment ?? attachment }
            return session.attachment
        }
        if recorded === attachment {
            // Two stores share one middleware value, so the recorder cannot tell their actions apart.
            stop(RecordingError(.secondStore, reason: "it cannot tell their actions apart, and stopped"))
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
            if encoder.sawInstance || ChangeFinder<StateValue>.mayHoldInstances {
                impurity = try self.startEagerDiffer(from: initial, text, after: 0)
            }
            let state = self.eagerDiffer == nil ? StateSnapshots.one(initial) : nil
            self.channel.add(.start(reducers: reducers, state: state, text: text), bytes: text.utf8.count)
        }
        for error in [misfit, impurity] { if let error { report(error) } }
        // The file must be readable without the journal before the first action.
        if channel.isOpen { channel.waitUntilIdle() }
        return true
    }

    func willReduce(_ action: ActionValue, _ context: ActionContext) {
        guard channel.isOpen, !isForked else { return }
        var problem: (any Error)?
        let pending = pendingAction(for: describer.describe(action, context, &problem))
        // An action that cannot be replayed needs its states.
        let keepsStates = waitForRoom(unlessSkipped: problem == nil)
        var isNews = false
        var toRead: DispatchedAction?
        append(pending) { session in
            if self.redactors.actions.hasPatterns, session.readTypes.count < Self.mostReadTypes {
                if session.readTypes.insert(ScalarKey(pending.action.type)).inserted { toRead = pending.action }
            }
            if problem != nil { isNews = session.troubledTypes.insert(ScalarKey(pending.action.type)).inserted }
            session.begin(pending, keepingStates: keepsStates)
        }
        if let problem, isNews { report(problem) }
        if let toRead, let misfit = describer.misfit(of: toRead) { report(misfit) }
    }

    func didRun(reducer: Int, state: StateValue) {
        let now = SystemClock.monotonic
        perform { session in
            guard let (seq, duration) = session.timeReducer(until: now) else { return }
            if let eagerDiffer = self.eagerDiffer {
                session.mark(reducer: 0, of: seq)
                try eagerDiffer.add(state, after: seq, reducer: reducer, duration)
            } else if session.keepsStates {
                session.kept?.of(StateValue.self).keep(state, duration)
            }
            session.next(after: reducer, of: seq)
        }
    }

    func didReduce(state: StateValue) {
        perform { session in
            guard let pending = session.end() else { return }
            if let eagerDiffer = self.eagerDiffer {
                let bytes = pending.action.payload?.utf8.count ?? 0
                let changes = try eagerDiffer.finish(after: pending.action.seq, session.duration, payloadBytes: bytes)
                pending.outcome = .changes(changes)
            } else if self.findings.holdsInstances {
                return try self.diffEagerly(from: state, after: pending, duration: session.duration, in: &session)
            } else if session.keepsStates {
                pending.outcome = .states
            } else {
                session.fallBehind(at: pending.action.seq, .one(state))
                pending.outcome = .skipped(session.duration)
            }
            try self.hand(over: pending, in: session)
        }
    }

    func didTravel(to seq: Int?, _ context: ActionContext, state: StateValue) {
        guard channel.isOpen, !isForked else { return }
        let pending = pendingAction(for: DispatchedAction(travelTo: seq, context))
        _ = waitForRoom(unlessSkipped: false)
        append(pending) { session in
            if let eagerDiffer = self.eagerDiffer {
                try eagerDiffer.add(state, after: pending.action.seq)
                pending.outcome = .changes(try eagerDiffer.finish(after: pending.action.seq))
            } else if self.findings.holdsInstances {
                return try self.diffEagerly(from: state, after: pending, duration: 0, in: &session)
            } else {
                pending.states.of(StateValue.self).keep(state, 0)
                pending.outcome = .travel
            }
            try self.hand(over: pending, in: session)
        }
    }

    func didEnter(_ phase: DispatchPhase) {
        // Two stores could call this at the same time, but the recorder stops when the second one starts.
        guard channel.isOpen, !isForked else { return }
        journal.mark(phase)
    }

    /// Why a replay cannot begin with the redacted initial state; `nil` if it can.
    private func misfit(ofState text: String) -> RecordingError? {
        guard redactors.states.hasPatterns else { return nil }
        do {
            _ = try NodeDecoder().decode(StateValue.self, from: try Node(json: text))
            return nil
        } catch {
            var misfit = RecordingError(.unfitPlaceholder, file: path, cause: error)
            misfit.path = error.path
            return misfit
        }
    }
}
