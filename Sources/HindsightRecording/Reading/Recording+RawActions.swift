import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A row of the table `action`, with its texts as they are stored. Valid only during the call that receives it.
package struct RawAction {
    package let seq: Int
    /// The payload; `nil` if there is none.
    package let payload: UnsafeBufferPointer<UInt8>?
    /// What the reducers did, in the form of `TimedPatches`; `nil` if it is not known.
    package let steps: UnsafeBufferPointer<UInt8>?
    /// In nanoseconds; `nil` if the action did not finish.
    package let duration: Int64?
    /// The id of the type in the table `name`; `nil` if ``typeText`` has it.
    package let typeID: Int64?
    /// The type, if it is not in the table `name`.
    package let typeText: String?
}

extension Recording {
    /// The number of rows to read before the file is released, so that a recorder's `-wal` does not grow meanwhile.
    private static let rowsBeforeRelease = 4096

    /// Calls `body` with each action that is in the file, in order, without parsing anything. The actions that are only
    /// in the journal are not among them.
    ///
    /// - Parameter range: The numbers of the actions. It may exceed the recording.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; `positionOutOfRange` if a recorder has
    ///   dropped an action meanwhile; or the error of `body`, as the cause of an error `unreadable`.
    package func forEachRawAction(
        in range: ClosedRange<Int>,
        _ body: (RawAction) throws -> Void
    ) throws(RecordingError) {
        try forEachRow(
            of: "type, payload, duration, steps",
            from: range.lowerBound,
            upTo: min(range.upperBound, lastStored)
        ) {
            try read($0, $1, body)
        }
    }

    /// Calls `body` with the text of what each action's reducers did, in order, without parsing it.
    ///
    /// Actions whose changes were not recorded are left out. The text of the last action of a run of ``skipped`` is
    /// what the whole run changed, as one entry. ``TimedPatches`` describes the form.
    ///
    /// - Parameter range: The numbers of the actions. It may exceed the recording.
    /// - Throws: The errors of ``forEachRawAction(in:_:)``.
    package func forEachStepText(
        in range: ClosedRange<Int>,
        _ body: (_ seq: Int, _ text: UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws(RecordingError) {
        try forEachRow(of: "steps", from: range.lowerBound, upTo: min(range.upperBound, end.seq)) { row, seq in
            try row.withText(1) { try body(seq, $0) }
        }
    }

    /// Calls `body` with each row of the table `action`, whose first column is the number.
    private func forEachRow(
        of columns: String,
        from first: Int,
        upTo last: Int,
        _ body: (borrowing Statement, _ seq: Int) throws -> Void
    ) throws(RecordingError) {
        let first = max(first, start.seq + 1)
        guard first <= last else { return }
        try file.reading {
            let row = try file.connection.prepare(
                "SELECT seq, \(columns) FROM action WHERE seq BETWEEN ? AND ? ORDER BY seq"
            )
            var next = first
            while next <= last {
                let end = min(last, next + Self.rowsBeforeRelease - 1)
                try row.bind(next, at: 1)
                try row.bind(end, at: 2)
                while try row.step() {
                    let seq = Int(try row.integer(0))
                    guard seq == next else {
                        throw seq < next
                            ? file.damaged("its actions are not in their order", seq: seq) : try missing(next)
                    }
                    next = seq + 1
                    try body(row, seq)
                }
                row.reset()
                guard next > end else { throw try missing(next) }
            }
        }
    }

    private func read(_ row: borrowing Statement, _ seq: Int, _ body: (RawAction) throws -> Void) throws {
        let typeID = row.isInteger(1) ? try row.integer(1) : nil
        let typeText = typeID == nil ? try row.text(1) : nil
        let duration = try row.optionalInteger(3)
        // Sound: the row is not stepped while `body` runs, and SQLite converts no column that already is a text.
        func pass(_ payload: UnsafeBufferPointer<UInt8>?, _ steps: UnsafeBufferPointer<UInt8>?) throws {
            let action = RawAction(
                seq: seq,
                payload: payload,
                steps: steps,
                duration: duration,
                typeID: typeID,
                typeText: typeText
            )
            try body(action)
        }
        func passSteps(_ payload: UnsafeBufferPointer<UInt8>?) throws {
            if try row.withText(4, { try pass(payload, $0) }) == nil { try pass(payload, nil) }
        }
        if try row.withText(2, { try passSteps($0) }) == nil { try passSteps(nil) }
    }

    /// The text of a type's id: see ``RawAction/typeID``.
    package func typeName(_ id: Int64) throws(RecordingError) -> String {
        try file.reading { try names.text(id, StrictPolicy.self) }
    }

    /// Whether the recording has states: whether a store was attached to its recorder.
    package var hasStates: Bool { bounds.hasKeyframe }

    /// The stored steps of an action; empty if there are none. The last action of a run of ``skipped`` stores what the
    /// whole run changed.
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
