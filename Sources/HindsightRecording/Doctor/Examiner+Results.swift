import HindsightFormat

/// What an examination has found, once every action and state was read.
extension Examiner {
    func finish(_ positions: ClosedRange<Int>) {
        for keyframe in keyframes {
            findings.add(Finding(.state, at: keyframe, "a keyframe stands at no action"))
        }
        if let range = finder.unexamined {
            findings.add(Finding(.limit, in: range, "states are too big to be examined"))
        }
        let verdict = ConsistencyVerdict(of: finder.chains)
        for chain in verdict.refuted {
            for anchor in chain.anchors {
                let what = "the keyframe contradicts what comes before and after it"
                findings.add(Finding(.state, at: anchor, what))
            }
        }
        let refuted = Set(verdict.refuted.flatMap(\.anchors))
        for chain in finder.chains where !refuted.contains(chain.anchors[0]) {
            if let patchFailure = chain.patchFailure {
                findings.add(Finding(.steps, at: patchFailure.seq, reducer: patchFailure.reducer, patchFailure.what))
            }
            if chain.isContradiction, let anchor = chain.anchors.first {
                findings.add(Finding(.state, at: anchor, "the keyframe contradicts what comes before it"))
            }
        }
        examination.positions = positions
        examination.pieces = verdict.pieces.compactMap(withoutUnwrittenEnds)
        examination.doubtful = verdict.doubtful
        var runs = head.skipped[...]
        for piece in examination.pieces {
            var low = piece.positions.lowerBound
            runs = runs.drop { $0.upperBound <= low }
            while let run = runs.first, run.upperBound <= piece.positions.upperBound {
                addSound(low, run.lowerBound - 1)
                low = run.upperBound
                runs.removeFirst()
            }
            addSound(low, piece.positions.upperBound)
        }
        judgeBreaks(positions)
        examination.stored = longestRun(positions)
        examination.longest = examination.stored
    }

    private func addSound(_ low: Int, _ high: Int) {
        if low <= high { examination.sound.join(low...high) }
    }

    /// The part of a range with known states, so that no end of it lies within a run without states.
    private func withoutUnwrittenEnds(_ piece: ConsistencyVerdict.Piece) -> ConsistencyVerdict.Piece? {
        var (low, high) = (piece.positions.lowerBound, piece.positions.upperBound)
        if let run = head.skipped.range(with: low) { low = run.upperBound }
        if let run = head.skipped.range(with: high), high < run.upperBound { high = run.lowerBound - 1 }
        return low <= high ? ConsistencyVerdict.Piece(positions: low...high, chain: piece.chain) : nil
    }

    /// States are missing without damage if the process died, or if the recorder left them out and a keyframe follows.
    /// Anything else is damage.
    private func judgeBreaks(_ positions: ClosedRange<Int>) {
        let marked = examination.marked
        let runs = Dictionary((head.skipped + marked).map { ($0.upperBound, $0) }) { first, _ in first }
        for (runs, what) in [(head.skipped, "were left out"), (marked, "are doubtful")] {
            // An examination that was cut short has not seen the last action.
            guard !examination.isCutShort, let end = runs.last?.upperBound, end > positions.upperBound else { continue }
            findings.add(Finding(.head, "it says that states \(what) up to action \(end)"))
        }
        for (index, present) in breaks.enumerated() where !present.isDamage {
            // A recorder marks states as doubtful together with the keyframe that follows them.
            let isInOpenDoubt = !examination.isCutShort && marked.last?.overlaps(present.actions) == true
            let isLast =
                present.actions.upperBound == positions.upperBound && !present.endsInState && !isInOpenDoubt
            let run = runs[present.actions.upperBound].map { $0.lowerBound <= present.actions.lowerBound } ?? false
            guard isLast || (present.endsInState && run) else {
                breaks[index].isDamage = true
                let isMarked = marked.contains { $0.overlaps(present.actions) }
                let what =
                    isMarked
                    ? "its states are said to be doubtful, and no keyframe follows the last of them"
                    : "what its reducers did is missing"
                findings.add(Finding(.steps, in: present.actions, what))
                continue
            }
            if marked.range(with: present.actions.lowerBound) != nil { continue }
            let upper = present.endsInState ? present.actions.upperBound - 1 : present.actions.upperBound
            if present.actions.lowerBound <= upper { examination.unwritten.append(present.actions.lowerBound...upper) }
        }
    }

    /// Joins parts that are separated only by states that were never written, because they can be saved together.
    private func longestRun(_ positions: ClosedRange<Int>) -> ClosedRange<Int>? {
        let bridges = Dictionary(breaks.filter { !$0.isDamage }.map { ($0.actions.lowerBound, $0.actions.upperBound) })
        {
            max($0, $1)
        }
        var best: ClosedRange<Int>?
        var run: ClosedRange<Int>?
        for piece in examination.pieces {
            if let last = run, bridges[last.upperBound + 1] == piece.positions.lowerBound {
                run = last.lowerBound...piece.positions.upperBound
            } else {
                run = piece.positions
            }
            // At the end, actions follow whose states were lost with the process.
            if let last = run, bridges[last.upperBound + 1] == positions.upperBound, piece == examination.pieces.last {
                run = last.lowerBound...positions.upperBound
            }
            if let last = run, best.map({ $0.count < last.count }) ?? true { best = run }
        }
        return best
    }
}
