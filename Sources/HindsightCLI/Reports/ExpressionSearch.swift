import HindsightQuery
import HindsightRecording

/// Runs a scan, and joins its stretches.
struct ExpressionSearch {
    /// Neighbouring positions at which the expression is true.
    struct Found {
        var first: Recording.Position
        var last: Recording.Position
        var count: Int
        /// The positions just before the first whose results are not known.
        var unknownBefore: ClosedRange<Recording.Position>?
    }

    private let scan: ExpressionScan
    /// Whether only positions count at which the expression becomes true.
    var onlyTurns = false
    /// The most stretches to keep.
    var most = Int.max
    /// Whether to keep the last ones.
    var keepsLast = false
    /// Whether to stop after the first stretch.
    var stopsEarly = false
    /// Receives each stretch; returns whether to go on.
    var output: ((Found) -> Bool)?
    var progress: ((Double) -> Void)?

    private(set) var found: [Found] = []
    private(set) var positionCount = 0
    /// The first position that was searched, and the last one.
    private(set) var range: ClosedRange<Recording.Position>?
    private(set) var trueCount = 0
    private(set) var stretchCount = 0
    private(set) var nullCount = 0
    /// How many of these are the start, where an expression over the action is always NULL.
    private(set) var nullAtStartCount = 0
    /// The first of the others.
    private(set) var firstNull: Recording.Position?
    private(set) var unknownCount = 0
    private(set) var unknown: [ClosedRange<Recording.Position>] = []
    private(set) var isComplete = true

    init(_ scan: ExpressionScan) { self.scan = scan }

    mutating func run() throws {
        var present: Found?
        var lastTruth: RecordingExpression.Truth?
        let (start, end) = (scan.recording.start.seq, max(1, scan.recording.actionCount))
        var nextReport = start + 50_000
        while let stretch = try scan.next() {
            positionCount += stretch.count
            range = (range?.lowerBound ?? stretch.first)...stretch.last
            if stretch.first.seq >= nextReport {
                progress?(Double(stretch.first.seq - start) / Double(max(1, end - start)))
                nextReport = stretch.first.seq + 50_000
            }
            defer { lastTruth = stretch.truth }
            if stretch.truth == .yes, var continued = present {
                continued.last = stretch.last
                continued.count += stretch.count
                trueCount += stretch.count
                present = continued
                continue
            }
            if let ended = present {
                present = nil
                guard keep(ended) else { return }
            }
            switch stretch.truth {
            case .yes:
                trueCount += stretch.count
                // From the first position on, it does not become true: it is.
                if onlyTurns, lastTruth == nil || lastTruth == .yes { break }
                present = Found(
                    first: stretch.first,
                    last: stretch.last,
                    count: stretch.count,
                    unknownBefore: lastTruth == .unknown ? unknown.last : nil
                )
                if stopsEarly {
                    isComplete = false
                    if let found = present { _ = keep(found) }
                    return
                }
            case .null:
                nullCount += stretch.count
                // No action leads to the start, so its columns are always NULL there.
                if stretch.first == scan.recording.start, scan.expression.readsAction { nullAtStartCount = 1 }
                if firstNull == nil, nullCount > nullAtStartCount { firstNull = stretch.first }
            case .unknown:
                unknownCount += stretch.count
                let first = lastTruth == .unknown ? unknown.popLast()?.lowerBound : nil
                unknown.append((first ?? stretch.first)...stretch.last)
            case .no: break
            }
        }
        if let ended = present { _ = keep(ended) }
    }

    /// Keeps a stretch.
    ///
    /// - Returns: Whether to go on.
    private mutating func keep(_ stretch: Found) -> Bool {
        stretchCount += 1
        if let output { return output(stretch) }
        if keepsLast {
            found = [stretch]
        } else if found.count < most {
            found.append(stretch)
        }
        return true
    }
}
