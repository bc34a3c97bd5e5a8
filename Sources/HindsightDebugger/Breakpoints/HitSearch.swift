import HindsightQuery

/// A run to the next or the last position at which a breakpoint hits, part by part.
///
/// The first parts are small, so that a hit nearby costs little.
struct HitSearch {
    /// Where a search has arrived.
    enum Progress {
        /// It goes on.
        case running
        case found(Recording.Position, breakpoints: [Int])
        /// No breakpoint hits as far as the recording goes.
        case exhausted
    }

    let direction: DebuggerDirection
    /// The position after which, or before which, the next hit counts.
    var start: Recording.Position
    private let timeline: Timeline
    private let breakpoints: BreakpointSet
    /// The actions that are still to be examined.
    private var rest: Range<Int>
    private let total: Int
    private var part: SearchPart?
    private var partSize = 64
    /// The position where the run began.
    private let origin: Recording.Position
    /// Up to where everything was examined: the last hit, if it has found one since.
    private(set) var reached: Recording.Position
    /// The number of such positions as ``unknownCount`` counts in the parts before this one.
    private var unknownBefore = 0

    private static let largestPart = 16_384

    init(
        _ direction: DebuggerDirection,
        from start: Recording.Position,
        on timeline: Timeline,
        for breakpoints: [Breakpoint],
        divergences: [Recording.Position]
    ) {
        self.breakpoints = BreakpointSet(breakpoints, of: timeline, divergences: divergences)
        (self.direction, self.start, self.timeline) = (direction, start, timeline)
        (origin, reached) = (start, start)
        let all = timeline.first.seq + 1..<timeline.last.seq + 1
        let next = start.reducer == nil ? start.seq + 1 : start.seq
        rest = all.clamped(to: direction == .forward ? next..<Int.max : 0..<start.seq + 1)
        total = max(1, rest.count)
        if self.breakpoints.breakpoints.isEmpty { rest = 0..<0 }
    }

    /// The part of the way that was examined, from 0 to 1.
    var fraction: Double { 1 - Double(rest.count) / Double(total) }

    /// The number of positions on the way to ``reached`` at which an expression could not be evaluated, because it
    /// reads what was not recorded. Costs a look at those of the present part.
    var unknownCount: Int { unknownBefore + (part?.unknownCount(direction, from: origin, to: reached) ?? 0) }

    /// Goes on.
    ///
    /// - Parameters:
    ///   - budget: About how many actions to look at.
    ///   - isInterrupted: Whether to give up.
    /// - Throws: ``SearchInterruption``, after which only ``reached`` is of use; a `RecordingError` or an
    ///   ``ExpressionError``.
    mutating func advance(_ budget: Int, _ isInterrupted: () -> Bool) throws -> Progress {
        var left = budget
        while left > 0 {
            guard var present = part.take() else {
                guard let next = takePart() else { return .exhausted }
                part = SearchPart(next, of: timeline, breakpoints)
                continue
            }
            if let cost = try present.next(isInterrupted) {
                part = present
                left -= cost
                continue
            }
            if let (position, breakpoints) = present.hit(direction, from: start) {
                (part, reached) = (present, position)
                return .found(position, breakpoints: breakpoints)
            }
            unknownBefore += present.unknownCount(direction, from: origin)
            let actions = present.actions
            switch direction {
            case .forward: reached = max(reached, min(Recording.Position(seq: actions.upperBound), timeline.last))
            case .backward: reached = min(reached, Recording.Position(seq: actions.lowerBound, reducer: 0))
            }
        }
        return .running
    }

    private mutating func takePart() -> ClosedRange<Int>? {
        let part: Range<Int> = direction == .forward ? rest.prefix(partSize) : rest.suffix(partSize)
        guard let last = part.last else { return nil }
        rest = direction == .forward ? rest.dropFirst(part.count) : rest.dropLast(part.count)
        partSize = min(4 * partSize, Self.largestPart)
        return part.lowerBound...last
    }
}
