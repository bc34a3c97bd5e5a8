import HindsightFormat

extension StateCursor {
    /// How far a step goes.
    public enum Granularity: Sendable, Hashable {
        /// A whole action: between the states after two actions.
        case action
        /// One reducer. The last step of an action leads to the state after the whole action.
        case reducer
    }

    /// Moves to the next recorded state: from within an action, or from before it, to the state after it; or after its
    /// next reducer.
    ///
    /// Steps over the states that the recorder left out (``Recording/skipped``). Time travel is one step. Costs the
    /// changes in between; a step by reducer also reads the action.
    ///
    /// - Returns: Whether the cursor moved; `false` at ``Recording/end``.
    /// - Throws: The errors of ``move(to:)``.
    @discardableResult
    public func stepForward(by granularity: Granularity = .action) throws(RecordingError) -> Bool {
        let now = try boundary(position)
        let seq = now.lastWhole + 1
        guard seq <= recording.end.seq else { return false }
        var next = Recording.Position(seq: seq)
        let done = (now.reducer ?? 0) + 1
        if granularity == .reducer, done < (try stepCount(of: seq)) { next.reducer = done }
        if let run = recording.bounds.gap(at: next) { next = Recording.Position(seq: run.upperBound) }
        guard next <= recording.end else { return false }
        try move(to: next)
        return true
    }

    /// Moves to the previous recorded state: from within an action, or from after it, to the state before it; or before
    /// its last reducer that ran.
    ///
    /// Steps over the states that the recorder left out (``Recording/skipped``). Time travel is one step. Costs the
    /// changes in between; a step by reducer also reads the action.
    ///
    /// - Returns: Whether the cursor moved; `false` at ``Recording/start``.
    /// - Throws: The errors of ``move(to:)``.
    @discardableResult
    public func stepBackward(by granularity: Granularity = .action) throws(RecordingError) -> Bool {
        let now = try boundary(position)
        guard now > recording.start else { return false }
        var previous = Recording.Position(seq: now.seq - 1)
        if granularity == .reducer {
            let done = if let done = now.reducer { done } else { try stepCount(of: now.seq) }
            if done > 1 { previous = Recording.Position(seq: now.seq, reducer: done - 1) }
        }
        if let run = recording.bounds.gap(at: previous) { previous = Recording.Position(seq: run.lowerBound - 1) }
        try move(to: previous)
        return true
    }

    /// A position with the same state, which is after a whole action if there is such a one.
    private func boundary(_ position: Recording.Position) throws(RecordingError) -> Recording.Position {
        switch position.reducer {
        case nil: position
        case 0?: Recording.Position(seq: position.seq - 1)
        case let done?: done < (try stepCount(of: position.seq)) ? position : Recording.Position(seq: position.seq)
        }
    }

    /// The number of steps by reducer in an action.
    private func stepCount(of seq: Int) throws(RecordingError) -> Int {
        try recording.action(seq).isTravel ? 1 : recording.reducers.count
    }
}
