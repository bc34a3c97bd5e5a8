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
    private static let maxReducers = 1 << 14

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
        if file.has(Schema.run) {
            try policy.read(.head, "what it says of runs without exact states") {
                try readRuns(file, after: start, upTo: last, &$0)
            }
        }
    }

    private mutating func readRuns<Policy: RowPolicy>(
        _ file: ReadableFile,
        after start: Int,
        upTo last: Int,
        _ policy: inout Policy
    ) throws {
        let inOrder = "\(Schema.run.selection()) ORDER BY kind, first LIMIT \(Policy.maxRows)"
        let row = try file.connection.prepare(inOrder)
        // The end of the last run of each kind.
        var ends: [RunTable.Kind: Int] = [:]
        while try row.step() {
            let (first, end) = (Int(try row.integer(1)), Int(try row.integer(2)))
            let kind = RunTable.Kind(rawValue: try row.text(0))
            if let kind, first <= end, first > ends[kind, default: 0], end <= last {
                if end <= start { continue }
                ends[kind] = end
                let actions = max(first, start + 1)...end
                switch (kind, try row.optionalText(3).map(NodePath.init(_:))) {
                case (.skipped, nil):
                    skipped.append(actions)
                    continue
                case (.doubtful, let path??):
                    doubtful.append(DoubtfulStates(actions: actions, path: path))
                    continue
                case (.skipped, _?), (.doubtful, _): break
                }
            }
            let noun = kind.map { $0 == .skipped ? "states that were left out" : "doubtful states" } ?? "a run"
            let what = "what it says of \(noun), from \(first) on, cannot be"
            try policy.take(.head, at: nil, what, file.damaged(what))
        }
    }

    private mutating func readReducers<Policy: RowPolicy>(_ file: ReadableFile, _ policy: inout Policy) throws {
        let row = try file.connection.prepare("SELECT id, name FROM reducer WHERE id > 0 ORDER BY id")
        let disorder = "its reducers are not numbered from 1"
        while try row.step() {
            let id = Int(try row.integer(0))
            guard id > reducers.count, id <= max(reducers.count + 1, Self.maxReducers) else {
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
