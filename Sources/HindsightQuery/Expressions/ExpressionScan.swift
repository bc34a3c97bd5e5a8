import HindsightRecording
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// Evaluates an expression at the positions of a recording, in order.
///
/// ```swift
/// let scan = try ExpressionScan(of: recording, where: RecordingExpression("/cart/total = 0"))
/// while let stretch = try scan.next() where stretch.truth == .yes {
///     print(stretch.first, stretch.last)
/// }
/// ```
///
/// The expression is evaluated again only where something changed that it read the last time. It costs a pass over the
/// recorded changes; with a ``ChangeIndex``, and by action, only over those that touch the paths of the expression. If it
/// reads a column, it is evaluated everywhere.
///
/// States that were not recorded are not known, and neither are redacted values, nor the result of an expression that
/// reads them. Use a scan on the thread of its recording.
package final class ExpressionScan {
    /// Neighbouring positions with the same result. The next ones may have it too.
    package struct Stretch: Sendable, Hashable {
        /// The first position.
        package internal(set) var first: Recording.Position
        /// The last position.
        package internal(set) var last: Recording.Position
        /// The number of positions.
        package internal(set) var count: Int
        /// The result.
        package internal(set) var truth: RecordingExpression.Truth
        /// The value, in a scan that keeps values; `nil` if it is not known.
        package internal(set) var value: SQLValue?

        /// The positions, in order.
        package var positions: [Recording.Position] {
            if count == 1 { return [first] }
            if let low = first.reducer, let high = last.reducer {
                return (low...high).map { Recording.Position(seq: first.seq, reducer: $0) }
            }
            return (first.seq...last.seq).map { Recording.Position(seq: $0) }
        }

        /// Those of the positions that are in a range, in order. Costs only these.
        package func positions(in range: ClosedRange<Recording.Position>) -> [Recording.Position] {
            if count == 1 || first.reducer != nil { return positions.filter { range.contains($0) } }
            let (low, high) = (max(first.seq, range.lowerBound.seq), min(last.seq, range.upperBound.seq))
            return low > high ? [] : (low...high).map { Recording.Position(seq: $0) }.filter { range.contains($0) }
        }
    }

    /// The recording.
    package let recording: Recording
    /// The expression.
    package let expression: RecordingExpression
    /// How far apart the positions are.
    package let granularity: RecordingExpression.Granularity

    /// What led on from the last recorded state, for positions after reducers; `nil` if that is not known.
    package let computed: ComputedSteps?

    let program: ExpressionProgram
    let tracker: PathTracker
    private let index: ChangeIndex?
    let hidden: HiddenValues
    /// The rows for the columns, and for the steps.
    let rows: ActionCursor
    let steps: ActionCursor
    let lower: Recording.Position
    let upper: Recording.Position

    /// The next action.
    var nextSeq: Int
    var lastSeq: Int
    var queue: [Stretch] = []
    private var hasStarted = false
    /// Whether the tracker is at `nextSeq`, which is to be evaluated.
    private var isDue = false
    var truth: RecordingExpression.Truth?
    /// Whether to evaluate to values. The truth is then only whether the value is known.
    private let keepsValues: Bool
    private var value: SQLValue?
    /// What was known at the last evaluation.
    var lastKnown = (state: false, old: false)

    // The present position.
    var position: Recording.Position
    var previous: Recording.Position?
    var isStateKnown = false
    var isOldKnown = false
    /// The present reducer, or none; `nil` if that is not known.
    var step: PresentStep? = PresentStep.none
    /// The position whose state the tracker has; `nil` if it has none yet.
    var base: Recording.Position?

    enum PresentStep {
        case none
        case reducer(Int, duration: Int64)
    }

    private let gapEnds: Set<Int>
    /// The actions with doubtful states.
    private let doubtful: [ClosedRange<Int>]
    /// Actions at which it begins or ends to be known what the state is, and the first ones of doubtful states, in order.
    private let boundaries: [Int]
    /// The coming actions that touch the anchors of the tracker, in order, if there is an index.
    private var touching: ArraySlice<Int> = []
    private var touchingCount = -1

    /// - Parameters:
    ///   - range: The positions; by default all.
    ///   - granularity: By default, that which fits the expression.
    ///   - index: Says which positions need a look. Without it, the scan looks at all changes.
    ///   - keepsValues: Whether to evaluate to values, and not to truths.
    ///   - computed: What led on from the last recorded state. A scan that keeps values does not take it.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`, or an
    ///   ``ExpressionError``.
    package init(
        of recording: Recording,
        where expression: RecordingExpression,
        in range: ClosedRange<Recording.Position>? = nil,
        by granularity: RecordingExpression.Granularity? = nil,
        index: ChangeIndex? = nil,
        keepingValues keepsValues: Bool = false,
        computed: ComputedSteps? = nil
    ) throws {
        (self.recording, self.expression, self.index) = (recording, expression, index)
        self.computed = keepsValues ? nil : computed
        self.keepsValues = keepsValues
        self.granularity = granularity ?? expression.granularity
        program = try ExpressionProgram(expression.translation)
        hidden = try HiddenValues(of: recording)
        tracker = PathTracker(of: recording, keepingOld: expression.readsOldState, by: index, hiding: hidden)
        var columns: Set<ActionCursor.Column> = []
        for column in expression.columns {
            switch column {
            case .type: columns.insert(.type)
            case .payload: columns.insert(.payload)
            case .duration: columns.insert(.duration)
            case .origin: columns.formUnion([.file, .line])
            case .at: columns.insert(.at)
            case .thread, .task: columns.insert(.thread)
            case .reducer, .position, .seq: break
            }
        }
        rows = try ActionCursor(of: recording, reading: index == nil ? columns.union([.steps]) : columns)
        steps = index == nil ? rows : try ActionCursor(of: recording, reading: [.steps])

        let start = recording.start
        lower = range?.lowerBound ?? start
        upper = range?.upperBound ?? Recording.Position(seq: recording.actionCount)
        nextSeq = max(start.seq + 1, lower.seq)
        let lastInRange = self.granularity == .action ? recording.lastWhole(upTo: upper) : upper.seq
        lastSeq = min(lastInRange, recording.actionCount)
        hasStarted = lower > start
        position = Recording.Position(seq: nextSeq - 1)
        doubtful = recording.doubtful.map(\.actions)
        gapEnds = Set(recording.gaps.map(\.upperBound))
        var boundaries = recording.skipped.flatMap { run in
            [run.lowerBound, run.lowerBound + 1, run.upperBound, run.upperBound + 1]
        }
        boundaries += doubtful.map(\.lowerBound) + [recording.end.seq + 1, recording.end.seq + 2]
        self.boundaries = Array(Set(boundaries)).sorted()
        if recording.absence(at: position) == nil { base = position }
        try addPaths()
    }

    // MARK: Positions

    /// Returns the next stretch; `nil` at the end.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, or an ``ExpressionError`` with the code
    ///   `failed`.
    package func next() throws -> Stretch? {
        if !hasStarted {
            hasStarted = true
            (isStateKnown, isOldKnown, step) = (base != nil, true, PresentStep.none)
            try evaluate()
            // The next position has an old state, and this one has none.
            wasWritten = true
            return stretch(position, position, 1)
        }
        return granularity == .reducer ? try nextByReducer() : try nextByAction()
    }

    func stretch(_ first: Recording.Position, _ last: Recording.Position, _ count: Int) -> Stretch {
        Stretch(first: first, last: last, count: count, truth: truth ?? .null, value: value)
    }

    private func stretch(_ actions: ClosedRange<Int>) -> Stretch {
        stretch(
            Recording.Position(seq: actions.lowerBound),
            Recording.Position(seq: actions.upperBound),
            actions.count
        )
    }

    private func nextByAction() throws -> Stretch? {
        let first = nextSeq
        while nextSeq <= lastSeq {
            let seq = nextSeq
            if !isDue {
                let candidate = try nextCandidate(from: seq)
                if candidate > seq {
                    tracker.begin()
                    wasWritten = false
                    nextSeq = min(candidate, lastSeq + 1)
                    position = Recording.Position(seq: nextSeq - 1)
                    if base != nil, isStateKnown { base = position }
                    continue
                }
                isDue = try enter(seq)
            }
            if isDue {
                // The positions before it come first.
                if seq > first { return stretch(first...seq - 1) }
                isDue = false
                try evaluate()
                nextSeq += 1
                return stretch(seq...seq)
            }
            nextSeq += 1
        }
        return first <= lastSeq ? stretch(first...lastSeq) : nil
    }

    /// The first action from one on that may have another result than the last.
    private func nextCandidate(from seq: Int) throws -> Int {
        let isIndexed = index != nil || !tracker.hasAnchors
        guard isIndexed, truth != nil, !program.reads.readsColumn, !(wasWritten && expression.readsOldState),
            !doubtful.contains(where: { $0.lowerBound - 1...$0.upperBound + 1 ~= seq })
        else { return seq }
        var candidate = try nextTouchingAction(from: seq) ?? .max
        let boundary = boundaries.partitioningIndex { $0 >= seq }
        if boundary < boundaries.count { candidate = min(candidate, boundaries[boundary]) }
        return candidate
    }

    /// Whether the last position that was entered changed a path.
    var wasWritten = false

    /// The first action from one on that touches the anchors; `nil` if there is none, or no index.
    private func nextTouchingAction(from seq: Int) throws -> Int? {
        try findTouching()
        while let next = touching.first, next < seq { touching.removeFirst() }
        return touching.first
    }

    private func findTouching() throws {
        guard let index else { return }
        let paths = tracker.anchorPaths
        guard paths.count != touchingCount else { return }
        touchingCount = paths.count
        var seqs: [Int] = []
        let range = max(nextSeq, 0)...max(nextSeq, lastSeq)
        for path in paths {
            for position in try index.positions(touching: path, in: range) where position.seq != seqs.last {
                seqs.append(position.seq)
            }
        }
        // Those of one path are in order.
        touching = (paths.count == 1 ? seqs : Set(seqs).sorted())[...]
    }

    /// What the reducers of an action did, as far as it touches the tracker's anchors, or may.
    func changes(of seq: Int) throws -> [TimedPatch] {
        if !tracker.hasAnchors { return [] }
        if index != nil, try nextTouchingAction(from: seq) != seq { return [] }
        try steps.move(to: seq)
        let changes = try steps.withSteps { text in
            do {
                return try TimedPatches.read(text) { tracker.isTouched(by: $0) }
            } catch {
                throw recording.damaged("what its reducers did is not what it should be", seq: seq, cause: error)
            }
        }
        return changes ?? []
    }

    /// Moves to the position after an action.
    ///
    /// - Returns: Whether the result may be another than the last.
    private func enter(_ seq: Int) throws -> Bool {
        let known = try beginAction(seq)
        var isWritten = false
        if known {
            for (index, entry) in try changes(of: seq).enumerated() {
                if try apply(entry, seq, index) { isWritten = true }
            }
            if try loadDoubtful(position) { isWritten = true }
            base = position
        } else {
            isWritten = true
        }
        return isNew(isWritten)
    }

    /// Whether the result at the present position may be another than the last.
    func isNew(_ isWritten: Bool) -> Bool {
        defer { wasWritten = isWritten }
        return truth == nil || program.reads.readsColumn || isWritten || wasWritten && program.reads.readsOldState
            || lastKnown != (isStateKnown, isOldKnown)
    }

    /// Begins an action, and decides what is known of it.
    ///
    /// - Returns: Whether the changes of its reducers are known, and are still to be applied.
    func beginAction(_ seq: Int) throws -> Bool {
        previous = Recording.Position(seq: seq - 1)
        position = Recording.Position(seq: seq)
        tracker.begin()
        step = PresentStep.none
        if seq > recording.end.seq {
            (isStateKnown, isOldKnown) = (false, seq == recording.end.seq + 1 && base != nil)
            if granularity == .reducer { step = nil }
            return false
        }
        guard let run = recording.skippedRun(with: seq) else {
            (isStateKnown, isOldKnown) = (true, true)
            return true
        }
        if granularity == .reducer { step = nil }
        isOldKnown = seq == run.lowerBound && base != nil
        isStateKnown = seq == run.upperBound
        guard isStateKnown else { return false }
        if base == nil || gapEnds.contains(seq) {
            try tracker.load(position)
        } else {
            try steps.move(to: seq)
            for entry in try steps.timedPatches() { try apply(entry, seq, nil) }
        }
        base = position
        return false
    }

    @discardableResult
    func apply(_ entry: TimedPatch, _ seq: Int, _ index: Int?) throws -> Bool {
        if doubtful.contains(where: { $0.contains(seq) }) { return false }
        do {
            let reducer = entry.duration == nil ? nil : index.map { $0 + 1 }
            return try tracker.apply(entry.patch, leadingTo: Recording.Position(seq: seq, reducer: reducer))
        } catch {
            throw recording.patchFailure(error, seq: seq, reducer: index.map { entry.duration == nil ? 0 : $0 + 1 })
        }
    }

    /// Reads a state whose changes may be incomplete.
    func loadDoubtful(_ position: Recording.Position) throws -> Bool {
        guard doubtful.contains(where: { $0.contains(position.seq) }) else { return false }
        try tracker.load(position)
        return true
    }

    // MARK: Evaluating

    func evaluate() throws {
        do {
            if keepsValues {
                value = try program.value(self)
                truth = value == nil ? .unknown : .yes
            } else {
                truth = try program.evaluate(self)
            }
        } catch let error as ExpressionError {
            throw error.at(position, of: expression)
        }
        lastKnown = (isStateKnown, isOldKnown)
    }

    /// The named paths at which there was nothing wherever the expression read them.
    package var missingPaths: [NodePath] {
        (0..<min(program.namedCount, tracker.slotCount)).filter(tracker.isMissing).map { program.paths[$0] }
            .filter { computed?.has($0) != true }
    }

    func addPaths() throws {
        while tracker.slotCount < program.paths.count {
            let before = isOldKnown ? previous : nil
            try tracker.add(program.paths[tracker.slotCount], at: base, before: base == nil ? nil : before)
        }
    }
}
