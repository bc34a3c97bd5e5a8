import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// Writes a part of a damaged recording into a new file.
struct SalvageRun {
    private let examination: Examination
    private let part: ClosedRange<Int>
    /// Whether the part goes to the end of what there is.
    private let reachesEnd: Bool
    private let file: ReadableFile
    private let head: RecordingHead
    private let connection: Connection
    private let output: RowWriter
    private let journal: JournalInspection
    /// The actions that are only in the journal.
    private let tail: [(action: DispatchedAction, duration: Int64?)]

    /// The largest number of rows, and of bytes, in a batch.
    private static let batch = (rows: 500, bytes: 8 << 20)

    /// Begins the output, an empty file.
    init(of examination: Examination, _ part: ClosedRange<Int>, to path: String) throws {
        self.examination = examination
        self.part = part
        file = try ReadableFile.damaged(at: examination.url.path)
        var findings = Findings()
        head = try RecordingHead(file, &findings)
        let isClosed = head.metadata[Metadata.Key.closed] != nil
        reachesEnd = part.upperBound == examination.positions?.upperBound
        journal = file.journal.beside(head.metadata.id, stored: part.upperBound, isClosed: isClosed)
        if reachesEnd, !isClosed, !journal.isLive, let snapshot = journal.snapshot {
            tail = try snapshot.salvageable(beside: file.place, after: part.upperBound).actions
        } else {
            tail = []
        }
        connection = try Connection(path, .readWrite)
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        for sql in Schema.creation { try connection.execute(sql) }
        output = try RowWriter(connection)
    }

    /// - Returns: The range from the initial state to the last action, including those of the journal.
    func run() throws -> ClosedRange<Int> {
        try file.connection.snapshot {
            var findings = Findings()
            guard let actions = try file.reader(of: Schema.action, &findings, LenientTable.init) else { return }
            try writeStates(actions)
            try writeActions(actions)
            try writeNotes()
            for states in head.doubtful where part.overlaps(states.actions) {
                try RunTable.add(states, to: connection)
            }
        }
        // The data must be on the disk before the file has its name.
        try connection.execute("PRAGMA synchronous = FULL")
        try writeFacts()
        return saved
    }

    private var saved: ClosedRange<Int> { part.lowerBound...part.upperBound + tail.count }

    // MARK: States

    private var pieces: [ConsistencyVerdict.Piece] { examination.pieces.filter { part.overlaps($0.positions) } }

    /// Writes the states with which the part begins and with which it continues after each gap, and those after them.
    private func writeStates(_ actions: LenientTable) throws {
        let insert = try connection.prepare("INSERT OR REPLACE INTO keyframe(seq, state) VALUES (?, ?)")
        func keep(_ seq: Int, _ text: String) throws {
            try insert.bind(seq, at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
        }
        var findings = Findings()
        guard let table = try file.reader(of: Schema.keyframe, &findings, LenientTable.init) else { return }
        func state(at seq: Int) throws -> String {
            guard let text = try table.wholeState(at: seq) else { throw changed }
            return text
        }
        for piece in pieces {
            let (low, anchors) = (piece.positions.lowerBound, piece.chain.anchors)
            guard let anchor = anchors.last(where: { $0 <= low }) ?? anchors.first else { throw changed }
            var base = try Node(json: state(at: anchor))
            for seq in anchor..<max(anchor, low) {
                for step in try steps(seq + 1, actions) { try step.patch.apply(to: &base) }
            }
            for seq in (low..<max(anchor, low)).reversed() {
                for step in try steps(seq + 1, actions).reversed() { try step.patch.undo(on: &base) }
            }
            try keep(low, base.json)
            for anchor in anchors where low < anchor && anchor <= piece.positions.upperBound {
                try keep(anchor, state(at: anchor))
            }
        }
    }

    private func steps(_ seq: Int, _ actions: LenientTable) throws -> [TimedPatch] {
        guard let steps = try actions.changes(in: seq) else { throw changed }
        return steps
    }

    /// The error if the file has changed since the examination.
    private var changed: RecordingError {
        RecordingError(.damaged, file: file.path, reason: "it has changed since it was examined")
    }

    // MARK: Actions

    private func writeActions(_ actions: LenientTable) throws {
        var findings = Findings()
        let names = try file.reader(of: Schema.name, &findings, NameTexts.init)
        var rows: [Row] = []
        var skipped = examination.skipped[...]
        var (bytes, lastTime) = (0, Int64(0))
        for seq in part.dropFirst() {
            skipped = skipped.drop { $0.upperBound < seq }
            let isSkipped = skipped.first?.contains(seq) == true
            let row = try actions.read(seq) {
                try ExaminedAction($0, names, lastTime: lastTime, reducers: nil, isSkipped: isSkipped, &findings)
            }
            guard let row, !row.stepsAreLost else { throw changed }
            lastTime = row.action.at
            rows.append((row.action, row.duration, row.steps?.text, isSkipped))
            bytes += (row.steps?.text.utf8.count ?? 0) + (row.action.payload?.utf8.count ?? 0)
            if rows.count >= Self.batch.rows || bytes >= Self.batch.bytes {
                try write(rows)
                (rows, bytes) = ([], 0)
            }
        }
        rows += tail.map { ($0.action.withoutBadPayload, $0.duration, nil, false) }
        try write(rows)
        try writeReducers()
    }

    /// An action as far as it could be read.
    private typealias Row = (action: DispatchedAction, duration: Int64?, steps: String?, isSkipped: Bool)

    private func write(_ rows: [Row]) throws(SQLiteError) {
        try output.transaction { () throws(SQLiteError) in
            for row in rows {
                try output.insert(row.action, duration: row.duration, steps: row.steps, isSkipped: row.isSkipped)
            }
        }
    }

    private func writeReducers() throws {
        let insert = try connection.prepare("INSERT INTO reducer(id, name) VALUES (?, ?)")
        for (index, name) in examination.reducerNames.enumerated() {
            try insert.bind(index + 1, at: 1)
            try insert.bind(name, at: 2)
            try insert.run()
        }
    }

    // MARK: Other tables

    private func writeNotes() throws {
        do {
            let insert = try connection.prepare(
                "INSERT OR IGNORE INTO note(id, seq, reducer, name, text, at) VALUES (?, ?, ?, ?, ?, ?)"
            )
            let row = try file.connection.prepare(
                """
                SELECT id, seq, reducer, name, text, at FROM note
                WHERE seq BETWEEN ?1 AND ?2 AND (reducer IS NULL OR seq > ?1 AND reducer BETWEEN 0 AND ?3) LIMIT 100000
                """
            )
            try row.bind(part.lowerBound, at: 1)
            try row.bind(part.upperBound, at: 2)
            try row.bind(examination.reducerNames.count, at: 3)
            while try row.step() {
                try insert.bind(Int(try row.integer(0)), at: 1)
                try insert.bind(Int(try row.integer(1)), at: 2)
                try insert.bind(try row.optionalInteger(2).map { Int($0) }, at: 3)
                try insert.bind(try row.optionalText(3), at: 4)
                try insert.bind(try row.optionalText(4), at: 5)
                try insert.bind(Int(try row.integer(5)), at: 6)
                try insert.run()
            }
        } catch {
            // Notes are not essential. Those that cannot be read are lost.
            guard error.path == file.connection.path, error.isOfTheFile else { throw error }
        }
    }

    private func writeFacts() throws {
        var facts = head.metadata.values
        if !reachesEnd {
            for key in Self.endingKeys { facts[key] = nil }
        }
        facts[Metadata.Key.lost] = nil
        for key in Metadata.Key.neededTexts {
            if case .text? = facts[key] { continue }
            facts[key] = .text(key == Metadata.Key.version ? "" : "unknown")
        }
        if case .number? = facts[Metadata.Key.created] {} else { facts[Metadata.Key.created] = .number(0) }
        if head.metadata.schema == nil { facts[Metadata.Key.schema] = nil }
        if case .text? = facts[Metadata.Key.closed] { facts[Metadata.Key.closed] = nil }
        facts = facts.filter { key, value in
            if case .text(let text) = value { return RecordedRedaction.canRead(text, under: key) }
            return !Redaction.Key.all.contains(key)
        }
        let name = FileSystem.name(of: examination.url.path)
        let range =
            saved.count > 1
            ? "actions \(saved.lowerBound + 1) to \(saved.upperBound)" : "the state at \(saved.lowerBound)"
        facts[Metadata.Key.salvaged] = .text("\(range) of \(name)")
        if reachesEnd { facts.merge(ending) { present, _ in present } }
        try connection.transaction { () throws(SQLiteError) in
            try Metadata.write(facts, to: connection)
        }
    }

    /// The facts about the end of a recording.
    private static let endingKeys = [
        Metadata.Key.closed, Metadata.Key.stopped, Metadata.Key.died, Metadata.Key.during, Metadata.Key.signal,
        Metadata.Key.exited, Metadata.Key.recovered,
    ]

    /// How the process ended, according to the journal.
    private var ending: [String: Metadata.Value] {
        guard head.metadata[Metadata.Key.closed] == nil, let snapshot = journal.snapshot, !journal.isLive else {
            return [:]
        }
        let last = tail.last?.action.seq ?? part.upperBound
        var facts: [String: Metadata.Value] = [Metadata.Key.recovered: .number(Int64(tail.count))]
        if journal.isMissing || snapshot.lost(after: last) != nil { facts[Metadata.Key.lacksJournal] = .text("1") }
        if let mark = snapshot.mark, mark.phase == .reducing, mark.isOf(last), tail.last?.duration == nil {
            let position = Recording.Position(seq: last, reducer: mark.reducer > 0 ? mark.reducer : nil)
            facts[Metadata.Key.died] = .text(position.description)
        }
        return facts
    }
}
