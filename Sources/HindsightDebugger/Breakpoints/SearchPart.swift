import HindsightQuery
import HindsightTree

/// A search was told to give up.
struct SearchInterruption: Error {}

/// Some actions, and what is left to be looked for in them.
struct SearchPart {
    let actions: ClosedRange<Int>
    let breakpoints: BreakpointSet
    let timeline: Timeline
    private var tasks: [Task] = [.rows]
    /// Where each breakpoint hits, in order, unless its condition is not met there.
    var candidates: [Int: [Recording.Position]] = [:]
    /// The positions at which an expression reads what was not recorded.
    var unknown: Set<Recording.Position> = []

    private enum Task {
        /// One pass over the rows for all breakpoints on types, reducers and paths.
        case rows
        /// The changes of one place, which an operation in these actions may have changed.
        case place(Int, ClosedRange<Int>)
        /// The changes of many places, in one pass.
        case places([(place: Int, actions: ClosedRange<Int>)])
        case expression(Int)
        /// The computed steps of the action in which the process ended.
        case computed(ComputedSteps)
        case condition(breakpoint: Int)
    }

    init(_ actions: ClosedRange<Int>, of timeline: Timeline, _ breakpoints: BreakpointSet) {
        (self.actions, self.timeline, self.breakpoints) = (actions, timeline, breakpoints)
    }

    var recording: Recording { timeline.recording }

    /// Does the next task.
    ///
    /// - Parameter isInterrupted: Whether to give up. It is asked after each evaluation of an expression.
    /// - Returns: About how many actions it looked at; `nil` if nothing was left to do.
    /// - Throws: ``SearchInterruption``, after which the part is of no use; a `RecordingError` or an
    ///   ``ExpressionError``.
    mutating func next(_ isInterrupted: () -> Bool) throws -> Int? {
        guard let task = tasks.popLast() else { return nil }
        switch task {
        case .rows:
            addFixedPositions()
            for breakpoint in breakpoints.breakpoints.indices
            where breakpoints.breakpoints[breakpoint].condition != nil {
                tasks.append(.condition(breakpoint: breakpoint))
            }
            if let computed = timeline.computed, actions.contains(computed.seq) { tasks.append(.computed(computed)) }
            for index in breakpoints.expressions.indices { tasks.append(.expression(index)) }
            try readRows(isInterrupted)
            return actions.count
        case .place(let index, let range):
            let place = breakpoints.places[index]
            let positions = try changes(of: place.path, in: range, isInterrupted)
            for breakpoint in place.breakpoints where !positions.isEmpty { candidates[breakpoint] = positions }
            return range.count + Self.taskCost
        case .places(let touched): return try compare(touched, isInterrupted)
        case .expression(let index):
            let (expression, isWatch, breakpoint) = breakpoints.expressions[index]
            let positions = try turns(of: expression, isWatch: isWatch, isInterrupted)
            if !positions.isEmpty { candidates[breakpoint] = positions }
            return actions.count + Self.taskCost
        case .computed(let computed):
            try addHits(in: computed)
            return computed.steps.count
        case .condition(let breakpoint):
            return try check(breakpoint, isInterrupted)
        }
    }

    private static let rowsBetweenLooks = 1024
    /// The fewest places whose changes are read in one pass.
    private static let manyPlaces = 8
    /// What preparing an expression costs, in actions.
    static let taskCost = 200

    /// The hit nearest to a position, and the breakpoints that hit there; `nil` if there is none.
    func hit(_ direction: DebuggerDirection, from position: Recording.Position) -> (Recording.Position, [Int])? {
        var best: (position: Recording.Position, breakpoints: [Int])?
        for (breakpoint, positions) in candidates {
            // The positions are in order.
            let after = positions.partitioningIndex { direction == .forward ? $0 > position : $0 >= position }
            let found = direction == .forward ? positions[after...].first : positions[..<after].last
            guard let found else { continue }
            if found == best?.position {
                best?.breakpoints.append(breakpoint)
            } else if best.map({ direction == .forward ? found < $0.position : found > $0.position }) ?? true {
                best = (found, [breakpoint])
            }
        }
        return best.map { ($0.position, $0.breakpoints.map { breakpoints.breakpoints[$0].id }.sorted()) }
    }

    /// How many of the ``unknown`` positions a run passes from a position to another one, or to the end of the part.
    func unknownCount(
        _ direction: DebuggerDirection,
        from start: Recording.Position,
        to end: Recording.Position? = nil
    ) -> Int {
        unknown.count { position in
            switch direction {
            case .forward: position > start && end.map { position <= $0 } ?? true
            case .backward: position < start && end.map { position >= $0 } ?? true
            }
        }
    }

    // MARK: Rows

    private mutating func addFixedPositions() {
        let isFirst = actions.lowerBound == timeline.first.seq + 1
        for (position, breakpoint) in breakpoints.positions
        where actions.contains(position.seq) || isFirst && position == timeline.first {
            candidates[breakpoint, default: []].append(position)
        }
    }

    private mutating func readRows(_ isInterrupted: () -> Bool) throws {
        let needsTypes = !breakpoints.byType.isEmpty
        let needsSteps = !breakpoints.byReducer.isEmpty || !breakpoints.places.isEmpty
        guard needsTypes || needsSteps else { return }
        let rows = try ActionCursor(
            of: recording,
            reading: needsTypes ? (needsSteps ? [.type, .steps] : [.type]) : [.steps]
        )
        var touched: [Int: ClosedRange<Int>] = [:]
        func touch(_ place: Int, _ range: ClosedRange<Int>) {
            let known = touched[place] ?? range
            touched[place] = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
        }
        for seq in actions {
            if seq % Self.rowsBetweenLooks == 0, isInterrupted() { throw SearchInterruption() }
            try rows.move(to: seq)
            if needsTypes { try addTypes(rows, seq) }
            guard needsSteps else { continue }
            var reducers: Set<Int> = []
            try scan(rows, seq) { operation in
                if operation.isTimed, breakpoints.byReducer[operation.entry + 1] != nil {
                    reducers.insert(operation.entry + 1)
                }
                breakpoints.filter.forEachTouched(by: operation) { touch($0, seq...seq) }
            }
            guard !reducers.isEmpty, recording.absence(ofChangesIn: seq) == nil else { continue }
            for reducer in reducers.sorted() {
                for breakpoint in breakpoints.byReducer[reducer] ?? [] {
                    candidates[breakpoint, default: []].append(Recording.Position(seq: seq, reducer: reducer))
                }
            }
        }
        for range in uncertain { for place in breakpoints.places.indices { touch(place, range) } }
        let places = touched.sorted { $0.key < $1.key }.map { (place: $0.key, actions: $0.value) }
        // A placeholder does not tell whether the value changed.
        let mask = try recording.redactionMask()
        let shown = places.filter { mask?.hides(breakpoints.places[$0.place].path) != true }
        let isOnePass = shown.count >= Self.manyPlaces && uncertain.isEmpty
        if isOnePass { tasks.append(.places(shown)) }
        for (place, range) in places where !isOnePass || mask?.hides(breakpoints.places[place].path) == true {
            tasks.append(.place(place, range))
        }
    }

    /// Compares many places before and after each step of the actions that touch some of them, in one pass.
    private mutating func compare(
        _ touched: [(place: Int, actions: ClosedRange<Int>)],
        _ isInterrupted: () -> Bool
    ) throws -> Int {
        let wanted = Set(touched.map(\.place))
        let rows = try ActionCursor(of: recording, reading: [.steps])
        let first = touched.map(\.actions.lowerBound).min() ?? actions.lowerBound
        let last = touched.map(\.actions.upperBound).max() ?? actions.upperBound
        let cursor = try StateCursor(on: recording, at: Recording.Position(seq: first - 1))
        for seq in first...last where recording.absence(ofChangesIn: seq) == nil {
            if isInterrupted() { throw SearchInterruption() }
            try rows.move(to: seq)
            var present: Set<Int> = []
            try scan(rows, seq) { operation in
                breakpoints.filter.forEachTouched(by: operation) { present.insert($0) }
            }
            let places = present.intersection(wanted).map { breakpoints.places[$0] }
            var position = Recording.Position(seq: seq - 1)
            while !places.isEmpty, let next = try timeline.next(after: position, by: .reducer), next.seq == seq {
                try cursor.move(to: position)
                let old = places.map { cursor.state[$0.path] }
                try cursor.move(to: next)
                for (place, old) in zip(places, old) where cursor.state[place.path] != old {
                    for breakpoint in place.breakpoints { candidates[breakpoint, default: []].append(next) }
                }
                position = next
            }
        }
        return last - first + 1 + Self.taskCost
    }

    /// Reads the operations of an action.
    private func scan(_ rows: ActionCursor, _ seq: Int, _ body: (TimedPatches.ScannedOperation) -> Void) throws {
        _ = try rows.withSteps { text in
            do {
                try TimedPatches.scan(text, body)
            } catch {
                throw recording.patchFailure(error, seq: seq, reducer: nil)
            }
        }
    }

    /// Adds an action to the breakpoints on its type. One that never finished is no position after an action.
    private mutating func addTypes(_ rows: ActionCursor, _ seq: Int) throws {
        let type = ScalarKey(try rows.type())
        let position = timeline.last.seq == seq ? timeline.last : Recording.Position(seq: seq)
        for breakpoint in breakpoints.byType[type] ?? [] { candidates[breakpoint, default: []].append(position) }
        for breakpoint in breakpoints.byOuterType[type] ?? [] {
            guard case .action(let wanted) = breakpoints.breakpoints[breakpoint].kind else { continue }
            let isInside = try recording.action(seq).isOf(type: wanted)
            if isInside, candidates[breakpoint]?.last != position {
                candidates[breakpoint, default: []].append(position)
            }
        }
    }

    /// The actions of which the rows do not say what they changed.
    private var uncertain: [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        let skipped = recording.skipped
        for run in skipped[skipped.partitioningIndex { $0.upperBound >= actions.lowerBound }...] {
            guard run.upperBound <= actions.upperBound else { break }
            ranges.append(run.upperBound...run.upperBound)
        }
        for states in recording.doubtful {
            let first = max(actions.lowerBound, states.actions.lowerBound)
            let last = min(actions.upperBound, states.actions.upperBound + 1)
            if first <= last { ranges.append(first...last) }
        }
        return ranges
    }

    // MARK: Computed steps

    /// Adds what hits in the action in which the process ended, of which no row says anything.
    private mutating func addHits(in computed: ComputedSteps) throws {
        var before = Recording.Position(seq: computed.seq, reducer: 0)
        for step in computed.steps {
            let position = Recording.Position(seq: computed.seq, reducer: step.reducer)
            defer { before = position }
            guard step.patch != nil, let old = try timeline.state(at: before), let new = computed.state(at: position)
            else { continue }
            for breakpoint in breakpoints.byReducer[step.reducer] ?? [] {
                candidates[breakpoint, default: []].append(position)
            }
            for (path, watches) in breakpoints.places where old[path] != new[path] {
                for breakpoint in watches { candidates[breakpoint, default: []].append(position) }
            }
        }
    }
}
