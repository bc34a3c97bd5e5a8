import HindsightRecording
import HindsightTree

extension Recording {
    /// The positions at which an expression is true, in order.
    ///
    /// ```swift
    /// let empty = try recording.positions(where: RecordingExpression("/cart/total = 0"))
    /// ```
    ///
    /// An ``ExpressionScan`` also tells where the result is NULL or not known, and does not keep all positions.
    ///
    /// - Parameters:
    ///   - range: The positions to look at; by default all.
    ///   - granularity: Whether to look after each action or after each reducer; by default, that which fits the
    ///     expression.
    ///   - index: Makes it faster, if few changes touch the paths of the expression.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`, or an ``ExpressionError``.
    package func positions(
        where expression: RecordingExpression,
        in range: ClosedRange<Position>? = nil,
        by granularity: RecordingExpression.Granularity? = nil,
        index: ChangeIndex? = nil
    ) throws -> [Position] {
        let scan = try ExpressionScan(of: self, where: expression, in: range, by: granularity, index: index)
        var positions: [Position] = []
        while let stretch = try scan.next() {
            if stretch.truth == .yes { positions += stretch.positions }
        }
        return positions
    }
}

extension ExpressionScan.Stretch {
    /// The positions, in order.
    package var positions: [Recording.Position] {
        if count == 1 { return [first] }
        if let low = first.reducer, let high = last.reducer {
            return (low...high).map { Recording.Position(seq: first.seq, reducer: $0) }
        }
        return (first.seq...last.seq).map { Recording.Position(seq: $0) }
    }
}

extension RecordingExpression {
    /// The paths that it names and the recording hides, or below which it hides values at the start or the end: these
    /// values are placeholders.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func redactedPaths(in recording: Recording) throws(RecordingError) -> [NodePath] {
        try recording.redacted(paths)
    }
}

extension Recording {
    /// Those of some paths, which may have `*`, whose values the recording hides, or below which it hides values at the
    /// start or the end: these values are placeholders, which do not tell whether a value changes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func redacted(_ paths: [NodePath]) throws(RecordingError) -> [NodePath] {
        guard let mask = try redactionMask() else { return [] }
        var states: [Node] = []
        for position in [start, end] where absence(at: position) == nil { states.append(try state(at: position)) }
        return paths.filter { path in
            mask.hides(path)
                || states.contains { state in
                    let places = PlacePattern(path).places(in: state)
                    return places.contains { !mask.hiddenPaths(in: $0.value, at: $0.path).isEmpty }
                }
        }
    }
}
