import HindsightRecording

// Positions after each reducer.
extension ExpressionScan {
    func nextByReducer() throws -> Stretch? {
        while queue.isEmpty {
            guard nextSeq <= lastSeq else { return nil }
            try visitReducers(of: nextSeq)
            nextSeq += 1
        }
        return queue.removeFirst()
    }

    /// Adds the positions after the reducers of an action to the queue.
    private func visitReducers(of seq: Int) throws {
        guard try beginAction(seq) else {
            if let computed, computed.seq == seq { try visit(computed) }
            if computed?.last == Recording.Position(seq: seq, reducer: recording.reducers.count) { return }
            if isNew(true) { try evaluate() }
            return add(position, isLast: true)
        }
        let count = recording.reducers.count
        try steps.move(to: seq)
        let isTravel = try steps.withSteps(Self.isUntimed) ?? false
        let isWhole = lower.seq < seq && seq < upper.seq
        if isWhole, !isTravel, count > 0, truth != nil, !program.reads.readsColumn, !wasWritten,
            lastKnown == (true, true), try changes(of: seq).isEmpty, try !loadDoubtful(position)
        {
            base = position
            let first = Recording.Position(seq: seq, reducer: 1)
            queue.append(stretch(first, Recording.Position(seq: seq, reducer: count), count))
            return
        }
        let entries = try steps.timedPatches()
        for (index, entry) in entries.enumerated() {
            if index > 0 { tracker.begin() }
            previous = index == 0 ? Recording.Position(seq: seq - 1) : Recording.Position(seq: seq, reducer: index)
            position = Recording.Position(seq: seq, reducer: isTravel ? nil : index + 1)
            step = .reducer(isTravel ? 0 : index + 1, duration: entry.duration ?? 0)
            var isWritten = try apply(entry, seq, index)
            // A keyframe may follow the last reducer.
            let isLast = index == entries.count - 1
            if try loadDoubtful(isLast ? Recording.Position(seq: seq) : position) { isWritten = true }
            base = position
            if isNew(isWritten) { try evaluate() }
            add(position, isLast: isLast)
        }
        if entries.isEmpty {
            base = position
            if isNew(true) { try evaluate() }
            add(position, isLast: true)
        }
    }

    /// Adds the positions after computed steps to the queue. The tracker stays at the last recorded state.
    private func visit(_ computed: ComputedSteps) throws {
        let evaluator = try ExpressionEvaluator(of: recording, where: expression, computed: computed)
        for index in computed.steps.indices {
            let position = Recording.Position(seq: computed.seq, reducer: index + 1)
            guard lower <= position, position <= upper else { continue }
            let truth = try evaluator.truth(at: position)
            queue.append(Stretch(first: position, last: position, count: 1, truth: truth))
        }
        // What the next reducer began with was computed.
        isOldKnown = false
    }

    /// Whether the steps of an action are those of time travel.
    private static func isUntimed(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.starts(with: "[null".utf8) || text.starts(with: "[[null".utf8)
    }

    private func add(_ position: Recording.Position, isLast: Bool) {
        // The last reducer's position is that after the whole action, too.
        let end = isLast ? Recording.Position(seq: position.seq) : position
        if lower <= end, position <= upper { queue.append(stretch(position, position, 1)) }
    }
}
