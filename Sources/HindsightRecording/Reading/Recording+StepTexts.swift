import HindsightFormat
import HindsightSQLite
import HindsightTree

extension Recording {
    /// The number of rows to read before the file is released, so that a recorder's `-wal` does not grow meanwhile.
    private static let rowsAtOnce = 4096

    /// Calls `body` with the text of what each action's reducers did, in order, without parsing it.
    ///
    /// Actions whose changes were not recorded are left out. The text of the last action of a run of ``skipped`` is
    /// what the whole run changed, as one entry. ``TimedPatches`` describes the form.
    ///
    /// - Parameter range: The numbers of the actions. It may exceed the recording.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; `positionOutOfRange` if a recorder has
    ///   dropped an action meanwhile; or the error of `body`, as the cause of an error `unreadable`.
    package func forEachStepText(
        in range: ClosedRange<Int>,
        _ body: (_ seq: Int, _ text: UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws(RecordingError) {
        let (first, last) = (max(range.lowerBound, start.seq + 1), min(range.upperBound, end.seq))
        guard first <= last else { return }
        try file.reading {
            let row = try file.connection.prepare(
                "SELECT seq, steps FROM action WHERE seq BETWEEN ? AND ? ORDER BY seq"
            )
            var next = first
            while next <= last {
                let end = min(last, next + Self.rowsAtOnce - 1)
                try row.bind(next, at: 1)
                try row.bind(end, at: 2)
                while try row.step() {
                    let seq = Int(try row.integer(0))
                    guard seq == next else {
                        throw seq < next
                            ? file.damaged("its actions are not in their order", seq: seq) : try missing(next)
                    }
                    next = seq + 1
                    try row.withText(1) { try body(seq, $0) }
                }
                row.reset()
                guard next > end else { throw try missing(next) }
            }
        }
    }

    /// What each reducer did in an action, as it is in the file. That of the last action of a run of ``skipped`` is what
    /// the whole run changed. Empty if it was not recorded.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func timedPatches(of seq: Int) throws(RecordingError) -> [TimedPatch] {
        try file.reading(seq: seq) {
            defer { selectSteps.reset() }
            try selectSteps.bind(seq, at: 1)
            var policy = StrictPolicy(file: file)
            return try selectSteps.step() ? policy.steps(selectSteps, 0, at: seq).value ?? [] : []
        }
    }

    /// The runs of ``skipped`` up to ``end`` whose changes were not recorded. A keyframe follows each.
    package var gaps: [ClosedRange<Int>] { bounds.gaps.filter { $0.upperBound <= end.seq } }

    /// The error for steps that no recorder writes.
    package func damaged(_ reason: String, seq: Int?, cause: (any Error)? = nil) -> RecordingError {
        file.damaged(reason, seq: seq, cause: cause)
    }
}
