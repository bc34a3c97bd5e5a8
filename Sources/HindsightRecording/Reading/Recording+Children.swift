import HindsightFormat
import HindsightSQLite

extension Recording {
    /// Returns the actions in a range whose parent is a given action, in order.
    ///
    /// Costs a pass over the range, which reads neither payloads nor steps: about 30 ms for 100,000 actions.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func children(of parent: Int, in range: ClosedRange<Int>) throws(RecordingError) -> [Int] {
        try file.reading {
            // Row by row: in a damaged file, a search for the parent might follow the pages without end.
            let row = try file.connection.prepare(
                "SELECT seq, parent FROM action WHERE seq BETWEEN ? AND ? ORDER BY seq"
            )
            try row.bind(max(range.lowerBound, start.seq + 1), at: 1)
            try row.bind(range.upperBound, at: 2)
            var children: [Int] = []
            var last = start.seq
            while try row.step() {
                let seq = Int(try row.integer(0))
                guard seq > last else { throw file.damaged("its actions are not in their order", seq: seq) }
                last = seq
                let known = try bounds.journalOnly.parents[seq] ?? row.optionalInteger(1).map { Int($0) }
                if known == parent { children.append(seq) }
            }
            for action in bounds.journalOnly.actions where action.seq > last && range.contains(action.seq) {
                if bounds.journalOnly.adopted(action).parent == parent { children.append(action.seq) }
            }
            return children
        }
    }
}
