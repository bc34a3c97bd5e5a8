import HindsightFormat

/// Finding the changes of actions.
extension RecordingWriter {
    /// Finds the changes of an action, unless it never finished or its states were left out, and releases its states.
    func findChanges(of pending: PendingAction) throws {
        let known: ActionChanges
        let outcome = pending.outcome
        switch pending.outcome {
        case .unfinished, .finished:
            return
        case .skipped:
            return run(pending)
        case .changes(let changes):
            if let keyframe = changes.keyframe { keep(keyframe.utf8.count) }
            known = changes
        case .states, .travel, .computable:
            guard let found = try changes(of: pending) else {
                pending.outcome = .skipped(pending.duration ?? 0)
                return
            }
            pending.outcome = .changes(found)
            known = found
        }
        let isTravel = if case .travel = outcome { true } else { false }
        note(known, of: pending.action.seq, isByReducers: !isTravel)
        free(pending)
    }

    /// The changes of an action's reducers; `nil` if the states hold class instances, which may have changed since.
    private func changes(of pending: PendingAction) throws -> ActionChanges? {
        if findings.holdsInstances { return nil }
        let seq = pending.action.seq
        let states = pending.states.of(StateValue.self)
        if case .travel = pending.outcome {
            try differ.add(states[0], after: seq)
            if ownState != nil { ownState = states[0] }
        } else if case .computable = pending.outcome {
            guard ownState != nil else { return nil }
            for index in 0..<states.timedCount {
                run(pending, index)
                if let ownState { try differ.add(ownState, after: seq, reducer: index + 1, states.duration(index)) }
            }
        } else {
            for index in 0..<states.count {
                let state = states.place(index)
                try differ.add(state.pointee, after: seq, reducer: index + 1, states.duration(index))
            }
        }
        if noteInstances() { return nil }
        return try finish(after: seq, pending.duration ?? 0, payloadBytes: pending.action.payload?.utf8.count ?? 0)
    }

    func finish(after seq: Int, _ duration: Int64 = 0, payloadBytes: Int = 0) throws -> ActionChanges {
        let changes = try differ.finish(after: seq, duration, payloadBytes: payloadBytes)
        findings.stateBytes = differ.stateBytes
        return changes
    }

    /// Whether the last state holds a class instance, which may have changed since the state was made. If so, the
    /// dispatching threads find changes from now on.
    func noteInstances() -> Bool {
        guard differ.finder.holdsInstances else { return false }
        findings.holdsInstances = true
        differ.finder.stopFollowing()
        audit.breakOff()
        ownState = nil
        return true
    }

    func keep(_ bytes: Int) {
        differ.keep(bytes)
        findings.stateBytes = bytes
    }

    /// Notes the changes of an action.
    ///
    /// - Parameter isByReducers: Whether there is a step for each reducer.
    func note(_ changes: ActionChanges, of seq: Int, isByReducers: Bool) {
        lastKnown = seq
        audit.add(seq, changes.steps)
        if ownState != nil { noteUnconfirmed(seq, changes.steps, isByReducers: isByReducers) }
        guard let keyframe = changes.keyframe else { return }
        audit.end(with: keyframe, at: seq)
        lastWhole = seq
    }

    /// Releases an action's states. If they are many megabytes, dispatching threads may wait for that.
    private func free(_ pending: PendingAction) {
        pending.states.removeAll()
        freedBytes += pending.bytes
        guard freedBytes > 1 << 20 else { return }
        channel.free(freedBytes)
        freedBytes = 0
    }
}
