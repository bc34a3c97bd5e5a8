import HindsightRecording

/// Finds the first position at which something holds by a binary search, if it holds from one position on.
package struct Bisection: Sendable {
    /// What a search has found.
    package enum Outcome: Sendable, Hashable {
        /// It does not hold at the first position, and does at the second, which follows it. If it holds from one
        /// position on, it is that one.
        case turns(after: Recording.Position, at: Recording.Position)
        /// The same, but there are positions between the two, of all of which it is not known.
        case turnsBetween(Recording.Position, Recording.Position)
        /// It holds at the beginning already.
        case holdsAtBeginning
        /// It does not hold at the end.
        case failsAtEnd
        /// It is not known at the beginning, or at the end.
        case unknownAt(Recording.Position)
    }

    /// The search, over the positions after whole actions.
    ///
    /// Costs a number of tests that grows with the logarithm of the number of positions; more where tests are unknown.
    ///
    /// - Parameters:
    ///   - range: The positions; only whole actions count.
    ///   - holds: Whether it holds at a position; `nil` if that is not known.
    /// - Throws: The errors of `holds`.
    package static func outcome(
        in recording: Recording,
        _ range: ClosedRange<Recording.Position>,
        _ holds: (Recording.Position) throws -> Bool?
    ) throws -> Outcome {
        func test(_ seq: Int) throws -> Bool? { try holds(Recording.Position(seq: seq)) }
        var (low, high) = (range.lowerBound.seq, range.upperBound.seq)
        guard let first = try test(low) else { return .unknownAt(Recording.Position(seq: low)) }
        if first { return .holdsAtBeginning }
        guard let last = try test(high) else { return .unknownAt(Recording.Position(seq: high)) }
        if !last { return .failsAtEnd }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            var found: (seq: Int, holds: Bool)?
            for seq in candidates(around: middle, low + 1...high - 1, recording) {
                guard let result = try test(seq) else { continue }
                found = (seq, result)
                break
            }
            guard let found else {
                return .turnsBetween(Recording.Position(seq: low), Recording.Position(seq: high))
            }
            if found.holds { high = found.seq } else { low = found.seq }
        }
        return .turns(after: Recording.Position(seq: low), at: Recording.Position(seq: high))
    }

    /// All positions of a range, those nearest to one first. Those inside a run without states come last.
    private static func candidates(around middle: Int, _ range: ClosedRange<Int>, _ recording: Recording)
        -> some Sequence<Int>
    {
        var (up, down) = (middle, middle - 1)
        // Skips the run at once; its positions may still be tested from the end.
        if let run = recording.skippedRun(with: middle) { (up, down) = (run.upperBound, run.lowerBound - 1) }
        var inside = max(range.lowerBound, down + 1)
        let insideEnd = min(range.upperBound, up - 1)
        var isUp = false
        return AnyIterator<Int> {
            isUp.toggle()
            if isUp || down < range.lowerBound, up <= range.upperBound {
                defer { up += 1 }
                return up
            }
            if down >= range.lowerBound {
                defer { down -= 1 }
                return down
            }
            guard inside <= insideEnd else { return nil }
            defer { inside += 1 }
            return inside
        }
    }
}
