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
        upTo last: Int = RecordingPosition.lastPossibleAction,
        _ policy: inout Policy
    ) throws {
        if file.has(Schema.recording) {
            try policy.read(.head, "what the recording says about itself") { _ in
                try metadata.read(from: file.connection)
            }
        }
        if file.has(Schema.reducer) {
            reducersAreKnown = try policy.read(.reducer, "the reducers' names") { try readReducers(file, &$0) }
        }
        func readRanges(
            of table: Schema.Table,
            _ noun: String,
            orThrow error: String,
            _ add: (borrowing Statement, ClosedRange<Int>) throws -> Bool
        ) throws {
            guard try policy.has(table, in: file) else { return }
            try policy.read(.head, "what it says of \(noun)") { policy in
                let inOrder = "\(table.selection()) ORDER BY first LIMIT \(Policy.mostRows)"
                let row = try file.connection.prepare(inOrder)
                var previous = 0
                while try row.step() {
                    let (first, end) = (Int(try row.integer(0)), Int(try row.integer(1)))
                    if first <= end, first > previous, end <= last {
                        if end <= start { continue }
                        previous = end
                        if try add(row, max(first, start + 1)...end) { continue }
                    }
                    let what = "what it says of \(noun), from \(first) on, cannot be"
                    try policy.take(.head, at: nil, what, file.damaged(error))
                }
            }
        }
        let leftOut = "states that were left out"
        try readRanges(of: SkippedTable.table, leftOut, orThrow: "what it says of \(leftOut) cannot be") { _, actions in
            skipped.append(actions)
            return true
        }
        let misfit = "its table doubtful does not fit its actions"
        try readRanges(of: DoubtfulTable.table, "doubtful states", orThrow: misfit) { row, actions in
            guard let path = NodePath(try row.text(2)) else { return false }
            doubtful.append(DoubtfulStates(actions: actions, path: path))
            return true
        }
    }

    private mutating func readReducers<Policy: RowPolicy>(_ file: ReadableFile, _ policy: inout Policy) throws {
        let row = try file.connection.prepare("SELECT id, name FROM reducer WHERE id > 0 ORDER BY id")
        let disorder = "its reducers are not numbered from 1"
        while try row.step() {
            let id = Int(try row.integer(0))
            guard id > reducers.count, id <= max(reducers.count + 1, Self.mostReducers) else {
                throw SQLiteError(SQLiteError.Code.corrupt.rawValue, disorder, path: file.path)
            }
            for number in reducers.count + 1..<id {
                let what = "the name of reducer \(number) is missing"
                try policy.take(.reducer, at: nil, what, file.damaged(disorder))
                reducers.append(Self.lostName(of: number))
            }
            let name = try policy.text(row, 1, "the name of reducer \(id)", in: .reducer)
            reducers.append(name ?? Self.lostName(of: id))
        }
    }

    static func lostName(of reducer: Int) -> String { "reducer \(reducer) (its name is lost)" }
}
