import HindsightQuery
import HindsightTree

extension SearchPart {
    /// The positions of some actions; with the first position, if they begin with it.
    func positions(in actions: ClosedRange<Int>) -> ClosedRange<Recording.Position> {
        let isFirst = actions.lowerBound <= timeline.first.seq
        let lower = isFirst ? timeline.first : Recording.Position(seq: actions.lowerBound, reducer: 0)
        return lower...Recording.Position(seq: actions.upperBound)
    }

    /// The positions at which the value at a path changes.
    func changes(of path: NodePath, in range: ClosedRange<Int>, _ isInterrupted: () -> Bool) throws
        -> [Recording.Position]
    {
        let isChanged = try RecordingExpression("changed(\(RecordingExpression.literal(path.description)))")
        let scan = try ExpressionScan(of: recording, where: isChanged, in: positions(in: range), by: .reducer)
        var positions: [Recording.Position] = []
        while let stretch = try scan.next() {
            if isInterrupted() { throw SearchInterruption() }
            if stretch.truth == .yes {
                positions += stretch.positions
            } else if stretch.truth == .unknown, try isChangedByRun(path, stretch.first) {
                positions.append(stretch.first)
            }
        }
        return positions
    }

    /// Whether a run of actions without states, which ends at a position, has changed the value at a path.
    private func isChangedByRun(_ path: NodePath, _ position: Recording.Position) throws -> Bool {
        guard recording.skippedRun(with: position.seq)?.upperBound == position.seq,
            let old = try timeline.state(beforeStepAt: position), let new = try timeline.state(at: position)
        else { return false }
        return old[path] != new[path]
    }

    /// The positions at which an expression becomes true, or, if it reads the step, is true; for a watch, also those at
    /// which it stops being true, or, if it is no condition, those at which its value changes.
    mutating func turns(
        of expression: RecordingExpression,
        isWatch: Bool,
        _ isInterrupted: () -> Bool
    ) throws -> [Recording.Position] {
        let base = max(recording.lastRecorded(before: actions.lowerBound), timeline.first)
        let first =
            actions.lowerBound == timeline.first.seq + 1
            ? timeline.first : Recording.Position(seq: actions.lowerBound, reducer: 0)
        let keepsValues = isWatch && !expression.isCondition
        let scan = try ExpressionScan(
            of: recording,
            where: expression,
            in: self.positions(in: base.seq...actions.upperBound),
            keepingValues: keepsValues
        )
        var positions: [Recording.Position] = []
        var last: ExpressionScan.Stretch?
        var beginsUnknown = false
        while let stretch = try scan.next() {
            if isInterrupted() { throw SearchInterruption() }
            let isInPart = stretch.first >= first
            if stretch.truth == .unknown {
                unknown.formUnion(stretch.positions(in: first...Recording.Position(seq: actions.upperBound)))
                beginsUnknown = beginsUnknown || last == nil
                continue
            }
            if last == nil, beginsUnknown {
                last = try lastKnown(of: expression, before: base.seq, keepingValues: keepsValues, isInterrupted)
            }
            let isTrue = stretch.truth == .yes
            let wasTrue = last.map { $0.truth == .yes }
            if isWatch {
                let isOther = last.map { wasTrue != isTrue || $0.value != stretch.value } ?? false
                if isInPart, isOther { positions.append(stretch.first) }
            } else if isTrue, expression.readsStep {
                positions += stretch.positions.filter { $0 >= first }
            } else if isTrue, isInPart, wasTrue != true {
                positions.append(stretch.first)
            }
            last = stretch
        }
        // The action that never finished has no position after it.
        if let position = positions.last, position > timeline.last { positions[positions.count - 1] = timeline.last }
        return positions
    }

    /// The last known result of an expression up to an action; `nil` if there is none.
    ///
    /// A redacted value, unlike a state that was left out, may be unknown any number of parts long. Costs a few times
    /// the actions that it looks back.
    private func lastKnown(
        of expression: RecordingExpression,
        before seq: Int,
        keepingValues keepsValues: Bool,
        _ isInterrupted: () -> Bool
    ) throws -> ExpressionScan.Stretch? {
        var (last, size) = (seq, 64)
        while last > timeline.first.seq {
            let range = max(timeline.first.seq, last - size)...last
            let scan = try ExpressionScan(
                of: recording,
                where: expression,
                in: positions(in: range),
                keepingValues: keepsValues
            )
            var known: ExpressionScan.Stretch?
            while let stretch = try scan.next() {
                if isInterrupted() { throw SearchInterruption() }
                if stretch.truth != .unknown { known = stretch }
            }
            if let known { return known }
            (last, size) = (range.lowerBound, 4 * size)
        }
        return nil
    }

    /// Leaves out the positions of a breakpoint at which its condition is not true.
    mutating func check(_ index: Int, _ isInterrupted: () -> Bool) throws -> Int {
        guard let condition = breakpoints.breakpoints[index].condition,
            let positions = candidates.removeValue(forKey: index), let first = positions.first,
            let last = positions.last
        else { return 1 }
        var truths: [(Recording.Position, RecordingExpression.Truth)] = []
        // A scan has no position before the first reducer of an action.
        let end = timeline.last
        let isAlone = { (position: Recording.Position) in position.reducer == 0 || position > end }
        let single = positions.count <= Self.fewPositions ? positions : positions.filter(isAlone)
        if positions.count > Self.fewPositions {
            truths += try self.truths(
                of: condition,
                at: positions.filter { $0.reducer == nil },
                by: .action,
                isInterrupted
            )
            let inside = positions.filter { $0.reducer != nil && !isAlone($0) }
            truths += try self.truths(of: condition, at: inside, by: .reducer, isInterrupted)
        }
        if !single.isEmpty {
            let evaluator = try ExpressionEvaluator(of: recording, where: condition, computed: timeline.computed)
            for position in single {
                if isInterrupted() { throw SearchInterruption() }
                truths.append((position, try evaluator.truth(at: position)))
            }
        }
        unknown.formUnion(truths.filter { $0.1 == .unknown }.map(\.0))
        let kept = truths.filter { $0.1 == .yes }.map(\.0).sorted()
        if !kept.isEmpty { candidates[index] = kept }
        return last.seq - first.seq + Self.taskCost
    }

    /// The results of an expression at some positions, which are in order.
    private func truths(
        of expression: RecordingExpression,
        at positions: [Recording.Position],
        by granularity: RecordingExpression.Granularity,
        _ isInterrupted: () -> Bool
    ) throws -> [(Recording.Position, RecordingExpression.Truth)] {
        guard let first = positions.first, let last = positions.last else { return [] }
        let range = self.positions(in: first.seq...last.seq)
        let scan = try ExpressionScan(of: recording, where: expression, in: range, by: granularity)
        var truths: [(Recording.Position, RecordingExpression.Truth)] = []
        var rest = positions[...]
        while !rest.isEmpty, let stretch = try scan.next() {
            if isInterrupted() { throw SearchInterruption() }
            while let position = rest.first, position <= stretch.last {
                rest.removeFirst()
                if position >= stretch.first { truths.append((position, stretch.truth)) }
            }
        }
        return truths
    }

    /// The most positions at which a condition is evaluated one by one.
    private static let fewPositions = 16
}
