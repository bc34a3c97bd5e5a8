import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Strict reading: the first fault is an error.
extension ReadableFile {
    /// Reads a row of the table `action`.
    func action(_ row: borrowing Statement, _ names: NameTexts) throws -> ActionRecord {
        var policy = StrictPolicy(self)
        return ActionRecord(try ActionRow(row, names, &policy))
    }

    /// Parses a column of steps; empty if it is null.
    func steps(_ row: borrowing Statement, _ column: Int32, seq: Int) throws -> [StepRecord] {
        var policy = StrictPolicy(self)
        guard let entries = try policy.steps(row, column, at: seq).value else { return [] }
        return entries.enumerated().map { index, entry in
            StepRecord(
                reducer: entry.duration == nil ? 0 : index + 1,
                duration: entry.duration ?? 0,
                patch: entry.patch.isEmpty ? nil : entry.patch
            )
        }
    }

    /// Parses a column with a whole state.
    func wholeState(_ row: borrowing Statement, _ column: Int32, seq: Int) throws -> Node {
        var policy = StrictPolicy(self)
        let state = try policy.json(row, column, "the whole state", at: seq, StrictPolicy.payload)
        guard let state = state.value else { throw damaged("the whole state is no text", seq: seq) }
        return state
    }
}

extension ActionRecord {
    /// - Parameter row: A row without faults, so that it has a type and a time.
    fileprivate init(_ row: ActionRow<Node>) {
        self.init(
            seq: row.seq,
            parent: row.parent,
            type: row.type ?? "",
            payload: row.payload.value,
            at: row.at ?? 0,
            duration: row.duration,
            origin: row.origin?.description,
            problem: row.problem
        )
    }
}
