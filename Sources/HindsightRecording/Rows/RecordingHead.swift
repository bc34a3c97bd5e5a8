import HindsightFormat
import HindsightSQLite
import HindsightTree

/// The small tables of a recording: what it says about itself, its reducers, and its runs without exact states.
struct RecordingHead {
    var metadata = Metadata()
    /// The names of the reducers. Reducer 1 is the first.
    var reducers: [String] = []
    /// Whether the table `reducer` was read to its end.
    var reducersAreKnown = false
    /// The runs of actions whose states were left out because the recorder fell behind.
    var skipped: [ClosedRange<Int>] = []
    /// The ranges of actions whose states the recorder marked as doubtful.
    var doubtful: [DoubtfulStates] = []

    /// A reducer's number has fourteen bits in the journal's mark.
    private static let mostReducers = 1 << 14

    init() {}

    /// Reads the tables of a file.
    ///
    /// - Parameters:
    ///   - start: The first position. A limit has dropped what is before it.
    ///   - last: The largest number of an action.
    init<Policy: RowPolicy>(
        _ file: ReadableFile,
        after start: Int = 0,
        upTo last: Int = Position.lastPossibleAction,
        _ policy: inout Policy
    ) throws {
        if file.has(Schema.recording) {
            try policy.read(.head, "what the recording says about itself") { _ in
                try metadata.read(from: file.connection)
            }
        }
        if file.has(Schema.reducer) {
            reducersAreKnown = try policy.read(.reducer, "the reducers' names") { policy in
                try readReducers(file, &policy)
            }
        }
        skipped = try Self.ranges(
            SkippedTable.table,
            of: "states that were left out",
            orThrow: "what it says of states that were left out cannot be",
            file,
            start,
            last,
            &policy
        ) { _, actions in actions }
        doubtful = try Self.ranges(
            DoubtfulTable.table,
            of: "doubtful states",
            orThrow: "its table doubtful does not fit its actions",
            file,
            start,
            last,
            &policy
        ) { row, actions in NodePath(try row.text(2)).map { DoubtfulStates(actions: actions, path: $0) } }
    }

    private mutating func readReducers<Policy: RowPolicy>(_ file: ReadableFile, _ policy: inout Policy) throws {
        let row = try file.connection.prepare("SELECT id, name FROM reducer WHERE id > 0 ORDER BY id")
        while try row.step() {
            let id = Int(try row.integer(0))
            let disorder = "its reducers are not numbered from 1"
            guard id > reducers.count, id <= max(reducers.count + 1, Self.mostReducers) else {
                throw SQLiteError(SQLiteError.Code.corrupt.rawValue, disorder, path: file.path)
            }
            for number in reducers.count + 1..<id {
                let what = "the name of reducer \(number) is missing"
                try policy.take(RowFault(.reducer, what, file.damaged(disorder)))
                reducers.append("reducer \(number) (its name is lost)")
            }
            let name = try policy.text(row, 1, "the name of reducer \(id)", in: .reducer)
            reducers.append(name ?? "reducer \(id) (its name is lost)")
        }
    }

    /// Reads a table of ranges in their order, without the parts before the start.
    ///
    /// - Parameters:
    ///   - noun: What the ranges contain.
    ///   - error: The words of a strict reader for a range that cannot be.
    ///   - make: Makes a range of a row; `nil` if the row is damaged.
    private static func ranges<Policy: RowPolicy, Range>(
        _ table: Schema.Table,
        of noun: String,
        orThrow error: String,
        _ file: ReadableFile,
        _ start: Int,
        _ last: Int,
        _ policy: inout Policy,
        _ make: (borrowing Statement, ClosedRange<Int>) throws -> Range?
    ) throws -> [Range] {
        var ranges: [Range] = []
        guard try policy.has(table, in: file) else { return ranges }
        try policy.read(.head, "what it says of \(noun)") { policy in
            let columns = table.columns.joined(separator: ", ")
            let row = try file.connection.prepare(
                "SELECT \(columns) FROM \(table.name) ORDER BY first LIMIT \(Policy.mostRows)"
            )
            var previous = 0
            while try row.step() {
                let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
                guard first <= end, first > previous, end <= last,
                    let range = try make(row, min(max(first, start + 1), end)...end)
                else {
                    let what = "what it says of \(noun), from \(first) on, cannot be"
                    try policy.take(RowFault(.head, what, file.damaged(error)))
                    continue
                }
                // A limit has dropped what is before the start.
                guard end > start else { continue }
                ranges.append(range)
                previous = end
            }
        }
        return ranges
    }
}
