import HindsightFormat
import HindsightRecording

/// What a verification without divergences has compared. The tallies of successive parts of a recording add up.
package struct VerificationTally: Codable, Equatable, Sendable {
    package var actions = 0
    package var steps = 0
    package var gaps: [Int] = []
    package var travels: [Int] = []
    package var removed: [Int] = []
    package var skipped: [ClosedRange<Int>] = []
    package var doubtful: [ClosedRange<Int>] = []
    package var uncompared: ClosedRange<Int>?
    package var unshared: [String] = []

    package init() {}

    package init(_ result: VerificationResult) {
        (actions, steps, gaps, travels) = (result.actions, result.steps, result.gaps, result.travels)
        (removed, skipped, doubtful, uncompared) = (result.removed, result.skipped, result.doubtful, result.uncompared)
        unshared = result.unshared
    }

    /// Whether all actions were compared with recorded states.
    fileprivate var isPlain: Bool {
        var counts = VerificationTally()
        (counts.actions, counts.steps) = (actions, steps)
        return self == counts
    }

    /// Adds the tally of the part that follows.
    package mutating func add(_ next: VerificationTally) {
        actions += next.actions
        steps += next.steps
        gaps += next.gaps
        travels += next.travels
        removed += next.removed
        skipped += next.skipped
        doubtful += next.doubtful
        uncompared = next.uncompared
        unshared += next.unshared.filter { !unshared.contains($0) }
    }
}

extension VerificationResult {
    /// Whether everything was compared and nothing differs, so that the counts and the level say all.
    package var isPlain: Bool {
        matches && actions > 0 && VerificationTally(self).isPlain && !lacksActions && unknown == nil
            && unfinished == nil && reducers == nil && agreements.isEmpty && finalDifference == nil
            && unusedPatterns.isEmpty && redacted.isEmpty && initialDifference == nil && emptiness == nil
            && conversions.isEmpty && migrations.isEmpty
    }

    /// A plain result.
    package init(plain level: VerificationOptions.Level, actions: Int, steps: Int, options: VerificationOptions) {
        (self.level, self.actions, self.steps) = (level, actions, steps)
        (ignoredPaths, tolerances) = (options.ignoredPaths, options.tolerances)
    }

    /// Begins with what earlier parts have compared.
    mutating func begin(with tally: VerificationTally) {
        (actions, steps, gaps, travels) = (tally.actions, tally.steps, tally.gaps, tally.travels)
        (removed, skipped, doubtful, uncompared) = (tally.removed, tally.skipped, tally.doubtful, tally.uncompared)
        let own = unshared
        unshared = tally.unshared
        noteUnshared(own)
    }

    /// Adds patterns of places that were not compared, unless they are listed.
    mutating func noteUnshared(_ patterns: [String]) {
        unshared += patterns.filter { !unshared.contains($0) }
    }
}

/// Where a verification begins, if it is not at the start of the recording.
package struct VerificationStart: Sendable {
    /// The action after which it begins, on the recorded state.
    package var seq: Int
    /// What the parts before it have compared, to which the result adds.
    package var tally: VerificationTally

    package init(after seq: Int, tally: VerificationTally = VerificationTally()) {
        (self.seq, self.tally) = (seq, tally)
    }
}

extension Recording {
    /// The actions after which a verification can begin again, so that it compares the same as one that began earlier.
    ///
    /// They are the recording's start and some of its whole states, about `size` actions apart. There is only the start
    /// if the recording hides values, because a replay does not reach the same placeholders; if it is a text, which
    /// each part would read as a whole; and if it is live.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func verificationStarts(every size: Int) throws(RecordingError) -> [Int] {
        var starts = [start.seq]
        guard redaction.isEmpty, !isText, ending != .open(live: true) else { return starts }
        for seq in try wholeStates() where seq - starts[starts.count - 1] >= size {
            // A short last part would cost more than it saves.
            guard end.seq - seq >= size / 2 else { break }
            let isUncertain = skippedRun(with: seq) != nil || doubtful.contains { $0.actions.contains(seq) }
            if !isUncertain { starts.append(seq) }
        }
        return starts
    }
}
