import HindsightFormat
import HindsightSQLite
import HindsightTree

/// The ranges of actions in a recording's tables.
extension ReadableFile {
    /// Reads the runs of actions without states, in order.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`.
    func skipped(after start: Int, upTo last: Int) throws -> [SkippedRun] {
        guard try hasTable(SkippedTable.table) else { return [] }
        var runs: [SkippedRun] = []
        let row = try connection.prepare(
            """
            SELECT first, last, (SELECT steps IS NOT NULL FROM action WHERE seq = last) FROM skipped ORDER BY first
            """
        )
        while try row.step() {
            let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
            guard first <= end, first > runs.last?.actions.upperBound ?? 0, end <= last else {
                throw damaged("what it says of states that were left out cannot be")
            }
            // Runs that a limit has dropped are not needed.
            guard end > start else { continue }
            let isBridged = try row.optionalInteger(2) == 1
            runs.append(SkippedRun(actions: max(first, start + 1)...end, isBridged: isBridged))
        }
        return runs
    }

    /// Reads the ranges of doubtful states, in order.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`.
    func doubtful(after start: Int, upTo last: Int) throws -> [Recording.DoubtfulStates] {
        guard try hasTable(DoubtfulTable.table) else { return [] }
        var ranges: [Recording.DoubtfulStates] = []
        let row = try connection.prepare("SELECT first, last, path FROM doubtful ORDER BY first")
        while try row.step() {
            let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
            guard first >= 1, first <= end, first > ranges.last?.actions.upperBound ?? 0, end <= last,
                let path = NodePath(try row.text(2))
            else { throw damaged("its table doubtful does not fit its actions") }
            // A limit has dropped the part before the start.
            if end > start { ranges.append(Recording.DoubtfulStates(actions: max(first, start + 1)...end, path: path)) }
        }
        return ranges
    }
}
