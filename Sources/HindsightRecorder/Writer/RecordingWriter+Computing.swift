import HindsightFormat
import HindsightSupport
import HindsightTree

/// Computing states on the writer's thread, and comparing them with the app's: see ``StateSource/computed(audit:)``.
extension RecordingWriter {
    /// The most bytes of steps to keep for finding the reducer that led to another state.
    private static var maxUnconfirmedBytes: Int { 1 << 20 }

    /// Runs the reducers of an action whose states are left out, if states are computed.
    func run(_ pending: PendingAction) {
        for index in reducers.indices { run(pending, index) }
    }

    /// Runs the reducer with an index.
    func run(_ pending: PendingAction, _ reducer: Int) {
        guard ownState != nil else { return }
        // However long a reducer takes, the writer makes progress: it does not wait for the app, as for the disk.
        channel.waitingForDisk {
            withUnsafeMutablePointer(to: &ownState!) { state in pending.reduce?(UnsafeMutableRawPointer(state), reducer)
            }
        }
    }

    /// Keeps the steps of an action until its state is confirmed.
    ///
    /// - Parameter isByReducers: Whether there is a step for each reducer.
    func noteUnconfirmed(_ seq: Int, _ steps: String, isByReducers: Bool) {
        unconfirmed.append((seq, steps, isByReducers))
        unconfirmedBytes += steps.utf8.count
        guard unconfirmedBytes > Self.maxUnconfirmedBytes else { return }
        unconfirmed.removeFirst(unconfirmed.count / 2)
        unconfirmedBytes = unconfirmed.reduce(0) { $0 + $1.steps.utf8.count }
    }

    /// Compares the app's state after an action with the computed one. If they differ, marks the states since the last
    /// comparison as doubtful, and goes on from the app's.
    ///
    /// - Parameter isLast: Whether the app's own states are recorded from then on.
    func audit(_ state: StateValue, at seq: Int, isLast: Bool) throws {
        guard let own = ownState, let confirmed = computed?.confirmed else { return }
        if !isComparable {
            // Nothing can be said: the encoding of one state is another each time.
        } else if let place = try differ.firstDifference(from: own, to: state, after: seq) {
            let actions = min(confirmed + 1, seq)...seq
            // What the recorder's own audit has not looked at yet is before it.
            try audit { true }
            let text = try differ.text(of: state, after: seq)
            try channel.waitingForDisk {
                try trimmer?.makeRoom(forBytes: text.utf8.count)
                try output.rows.correct(text, DoubtfulStates(actions: actions, path: place))
            }
            trimmer?.forget(actions)
            noteWhole(text, at: seq)
            try differ.finder.follow(from: state)
            ownState = state
            if !findings.isRefuted { report(impurity(at: place, in: actions)) }
            findings.isRefuted = true
        }
        if isComparable { computed?.confirmed = seq }
        if isLast, findings.isRefuted { computed?.last = seq }
        (unconfirmed, unconfirmedBytes) = ([], 0)
        if isLast { ownState = nil }
        if let computed { try channel.waitingForDisk { try output.note(computed) } }
    }

    /// The error for a place at which the computed state is another than the app's.
    private func impurity(at place: NodePath, in actions: ClosedRange<Int>) -> RecordingError {
        let writer = lastWriter(of: place)
        let reason = writer.map { "\(reducers[$0.reducer - 1]) has written it last, in action \($0.seq)" }
        return RecordingError(
            .impureReducer,
            reducer: writer?.reducer,
            actions: actions,
            path: place,
            reason: reason
        )
    }

    /// The last of the kept steps that wrote at a place, above it or below it.
    private func lastWriter(of place: NodePath) -> (seq: Int, reducer: Int)? {
        for (seq, var steps, isByReducers) in unconfirmed.reversed() {
            guard let entries = try? steps.withUTF8({ try TimedPatches.read($0) }) else { continue }
            for (index, entry) in entries.enumerated().reversed() where index < reducers.count {
                let isWriter = entry.patch.operations.contains { operation in
                    writes(operation, at: place)
                }
                if isWriter { return isByReducers ? (seq, index + 1) : nil }
            }
        }
        return nil
    }

    private func writes(_ operation: Patch.Operation, at place: NodePath) -> Bool {
        if case .splice(let path, let at, _, _) = operation, path != place, path.contains(place),
            let index = NodePath.index(place.components[path.components.count])
        {
            // The elements before stay where they were.
            return index >= at
        }
        return operation.path.contains(place) || place.contains(operation.path)
    }
}
