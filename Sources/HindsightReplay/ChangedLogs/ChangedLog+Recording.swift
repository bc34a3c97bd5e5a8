import HindsightRecording

extension ChangedLog {
    /// The changed actions of a recording, including the action in which its process ended.
    ///
    /// - Throws: ``ChangedLogError`` if an edit names no action, or two contradict each other.
    package init(of recording: Recording, _ edits: [Edit]) throws(ChangedLogError) {
        try self.init(after: recording.start.seq, upTo: recording.actionCount, edits)
    }

    /// The position at which a run of the changed log begins: the last one before the first change whose state was
    /// recorded, and is not doubtful.
    func base(in recording: Recording) -> Recording.Position {
        var seq = kept
        while true {
            let position = max(recording.lastRecorded(before: seq + 1), recording.start)
            guard position > recording.start, let doubtful = recording.doubtfulStates(at: position) else {
                return position
            }
            seq = doubtful.actions.lowerBound - 1
        }
    }
}

extension ChangedLog.Edit {
    /// Skips all actions of a type, such as `tick`, or `market.quotes` for those inside `market`. Costs reading all
    /// actions.
    ///
    /// - Throws: `RecordingError` if the recording cannot be read.
    package static func dropType(_ type: String, in recording: Recording) throws -> ChangedLog.Edit {
        var found: [Int] = []
        try recording.forEachAction(after: recording.start.seq) { action in
            if action.isOf(type: type) { found.append(action.seq) }
        }
        return .skipAll(found, rule: "drop-type \(type)")
    }

    /// Skips the actions that some edits skip, and all that were dispatched in answer to these, and to those. Costs
    /// reading all actions after the first of them.
    ///
    /// - Returns: An edit for the actions that the given edits do not skip.
    /// - Throws: `RecordingError` if the recording cannot be read.
    package static func skipChildren(of edits: [ChangedLog.Edit], in recording: Recording) throws -> ChangedLog.Edit {
        var skipped = Set(edits.flatMap(\.skipped))
        var found: [Int] = []
        guard let first = skipped.min() else { return .skipAll([], rule: "with-children") }
        try recording.forEachAction(after: first) { action in
            guard let parent = action.parent, skipped.contains(parent) else { return }
            if skipped.insert(action.seq).inserted { found.append(action.seq) }
        }
        return .skipAll(found, rule: "with-children")
    }
}
