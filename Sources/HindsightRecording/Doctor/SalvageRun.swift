import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// Writes a part of a damaged recording into a new file.
struct SalvageRun {
    private let examination: Examination
    private let part: ClosedRange<Int>
    private let file: LenientFile
    private let head: LenientHead
    private let journal: JournalInspection
    private let connection: Connection
    private let output: RowWriter

    /// The largest number of rows, and of bytes, in a batch.
    private static let batch = (rows: 500, bytes: 8 << 20)

    /// Creates the output.
    init(of examination: Examination, _ part: ClosedRange<Int>, to path: String) throws {
        self.examination = examination
        self.part = part
        journal = try JournalInspection.of(FileSystem.place(of: examination.url.path))
        file = try LenientFile(path: examination.url.path)
        var findings = Findings()
        head = LenientHead(file, &findings)
        try NewFile.create(path, overwrite: true)
        connection = try Connection(path, .readWrite)
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        for sql in Schema.creation { try connection.execute(sql) }
        try Schema.raise(to: Schema.partialVersion, connection)
        output = try RowWriter(connection)
    }

    /// - Returns: The range from the initial state to the last action, including those of the journal.
    func run() throws -> ClosedRange<Int> {
        try file.connection.snapshot {
            var findings = Findings()
            guard let actions = file.table(Schema.action, &findings) else { return }
            let states = try baseStates(actions)
            try write(states)
            try writeActions(actions, states)
            try writeNotes()
            for states in head.doubtful where part.overlaps(states.actions) {
                try DoubtfulTable.add(states, to: connection)
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

    /// The states with which the part begins, and with which it continues after each gap.
    private func baseStates(_ actions: LenientTable) throws -> [(seq: Int, text: String)] {
        var findings = Findings()
        guard let table = file.table(Schema.keyframe, &findings) else { return [] }
        return try pieces.map { piece in
            let low = piece.positions.lowerBound
            let anchors = piece.chain.anchors
            guard let anchor = anchors.last(where: { $0 <= low }) ?? anchors.first,
                var state = try table.read(anchor, { row in try row.withText(1) { try Node(jsonBytes: $0) } })
            else { throw changed }
            if anchor <= low {
                for seq in anchor..<low {
                    for step in try steps(seq + 1, actions) { try step.patch.apply(to: &state) }
                }
            } else {
                for seq in (low + 1...anchor).reversed() {
                    for step in try steps(seq, actions).reversed() { try step.patch.undo(on: &state) }
                }
            }
            return (low, state.json)
        }
    }

    private func steps(_ seq: Int, _ actions: LenientTable) throws -> [TimedPatch] {
        let steps = try actions.read(seq) { try LenientRow.way($0) }
        guard let steps else { throw changed }
        return steps
    }

    /// The error if the file has changed since the examination.
    private var changed: RecordingError {
        RecordingError(.damaged, file: file.path, reason: "it has changed since it was examined")
    }

    private func write(_ states: [(seq: Int, text: String)]) throws {
        let insert = try connection.prepare("INSERT OR REPLACE INTO keyframe(seq, state) VALUES (?, ?)")
        var findings = Findings()
        let table = file.table(Schema.keyframe, &findings)
        func keep(_ seq: Int, _ text: String) throws {
            try insert.bind(seq, at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
        }
        for (seq, text) in states { try keep(seq, text) }
        for piece in pieces {
            for anchor in piece.chain.anchors where anchor > piece.positions.lowerBound {
                guard anchor <= piece.positions.upperBound else { break }
                guard let text = try table?.read(anchor, { try $0.text(1) }) else { throw changed }
                try keep(anchor, text)
            }
        }
    }

    // MARK: Actions

    private func writeActions(_ actions: LenientTable, _ states: [(seq: Int, text: String)]) throws {
        var findings = Findings()
        let names = LenientNames(file.table(Schema.name, &findings))
        var rows: [Row] = []
        var skipped = examination.skipped[...]
        var (bytes, lastTime) = (0, Int64(0))
        for seq in part.dropFirst() {
            skipped = skipped.drop { $0.upperBound < seq }
            let isSkipped = skipped.first?.contains(seq) == true
            let row = try actions.read(seq) {
                try LenientRow($0, names, lastTime: lastTime, reducers: nil, isSkipped: isSkipped)
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
        try output.write { () throws(SQLiteError) in
            for row in rows {
                try output.insert(row.action, duration: row.duration, steps: row.steps, isSkipped: row.isSkipped)
            }
        }
    }

    /// Whether the part goes to the end of what there is.
    private var reachesEnd: Bool { part.upperBound == examination.positions?.upperBound }

    /// The actions that are only in the journal.
    private var tail: [(action: DispatchedAction, duration: Int64?)] {
        guard reachesEnd, !journal.isLive else { return [] }
        return journal.snapshot?.actions(after: part.upperBound) ?? []
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
                "SELECT id, seq, reducer, name, text, at FROM note WHERE seq BETWEEN ? AND ? LIMIT 100000"
            )
            try row.bind(part.lowerBound, at: 1)
            try row.bind(part.upperBound, at: 2)
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
        var facts = head.facts.filter {
            reachesEnd || !["closed", "stopped", "died", "during", "signal", "exited", "recovered"].contains($0.key)
        }
        facts.removeAll { ["lost", "salvaged"].contains($0.key) }
        let needed: [(String, LenientHead.Value)] = [
            ("app", .text("unknown")), ("version", .text("")), ("platform", .text("unknown")), ("created", .number(0)),
        ]
        for (key, value) in needed {
            // A value of another type counts as none.
            if facts.contains(where: { $0.key == key && $0.value.isText == value.isText }) { continue }
            facts.removeAll { $0.key == key }
            facts.append((key, value))
        }
        facts.removeAll { $0.key == "closed" && $0.value.isText }
        facts.removeAll { fact in
            let text: String? = if case .text(let text) = fact.value { text } else { nil }
            return !RecordedRedaction.canRead(text, under: fact.key)
        }
        let name = FileSystem.name(of: examination.url.path)
        let range =
            saved.count > 1
            ? "actions \(saved.lowerBound + 1) to \(saved.upperBound)" : "the state at \(saved.lowerBound)"
        facts.append(("salvaged", .text("\(range) of \(name)")))
        if reachesEnd { facts += ending }
        try connection.transaction { () throws(SQLiteError) in
            let insert = try connection.prepare("INSERT OR IGNORE INTO recording(key, value) VALUES (?, ?)")
            for (key, value) in facts {
                try insert.bind(key, at: 1)
                switch value {
                case .text(let text): try insert.bind(text, at: 2)
                case .number(let number): try insert.bind(number, at: 2)
                }
                try insert.run()
            }
        }
    }

    /// How the process ended, according to the journal.
    private var ending: [(key: String, value: LenientHead.Value)] {
        guard head["closed"] == nil, let snapshot = journal.snapshot, !journal.isLive else { return [] }
        let last = tail.last?.action.seq ?? part.upperBound
        var facts: [(key: String, value: LenientHead.Value)] = [("recovered", .number(Int64(tail.count)))]
        if let mark = snapshot.mark, mark.phase == .reducing, mark.isOf(last), tail.last?.duration == nil {
            facts.append(
                (
                    "died",
                    .text(Recording.Position(seq: last, reducer: mark.reducer > 0 ? mark.reducer : nil).description)
                )
            )
        }
        return facts
    }
}

extension LenientHead.Value {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
