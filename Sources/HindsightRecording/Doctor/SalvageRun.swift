import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// Writes a part of a damaged recording into a new file.
struct SalvageRun {
    private let examination: Examination
    private let part: ClosedRange<Int>
    /// Whether the part ends as the recording does. It is not known if the examination was cut short.
    private let reachesEnd: Bool
    private let file: ReadableFile
    private let head: RecordingHead
    private let tables: NewTables
    private let journal: JournalInspection
    /// The actions that are only in the journal.
    private let tail: [(action: DispatchedAction, duration: Int64?)]
    /// The notes that are only in the journal.
    private let journalNotes: [JournalNote]

    init(of examination: Examination, _ part: ClosedRange<Int>, to tables: NewTables) throws {
        self.examination = examination
        self.part = part
        file = try ReadableFile.damaged(at: examination.url.path)
        var findings = Findings()
        head = try RecordingHead(file, &findings)
        self.tables = tables
        let isClosed = head.metadata[Metadata.Key.closed] != nil
        let isLast = !examination.isCutShort && part.upperBound == examination.positions?.upperBound
        journal = file.journal.beside(head.metadata.id, stored: part.upperBound, isClosed: isClosed, in: file)
        if isLast, !isClosed, !journal.isLive, let snapshot = journal.snapshot {
            tail = try snapshot.salvageable(beside: file.place, after: part.upperBound).actions
            let last = (try? file.connection.integer("SELECT max(id) FROM note")) ?? 0
            journalNotes = try snapshot.salvageableNotes(beside: file.place, after: Int(last))
        } else {
            (tail, journalNotes) = ([], [])
        }
        // If the file's last actions cannot be read, only the journal has the end.
        reachesEnd = isLast && (!examination.isEndLost || !tail.isEmpty)
    }

    /// - Returns: The range from the initial state to the last action, including those of the journal.
    func run() throws -> ClosedRange<Int> {
        try file.connection.snapshot {
            var findings = Findings()
            guard let actions = try file.reader(of: Schema.action, &findings, LenientTable.init) else { return }
            try writeStates(actions)
            try writeActions(actions)
            try writeRuns()
            try writeNotes()
            for note in journalNotes where saved.contains(note.seq) {
                if let reducer = note.reducer {
                    guard note.seq > part.lowerBound, reducer <= examination.reducerNames.count else { continue }
                }
                try NoteTable.add(note, mayRenumber: true, to: tables.connection)
            }
        }
        try tables.finish(facts)
        return saved
    }

    private var saved: ClosedRange<Int> { part.lowerBound...part.upperBound + tail.count }

    // MARK: States

    private var pieces: [ConsistencyVerdict.Piece] { examination.pieces.filter { part.overlaps($0.positions) } }

    /// Writes the states with which the part begins and with which it continues after each gap, and those after them.
    private func writeStates(_ actions: LenientTable) throws {
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
            try tables.keep(base.json, at: low)
            for anchor in anchors where low < anchor && anchor <= piece.positions.upperBound {
                try tables.keep(state(at: anchor), at: anchor)
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
        var lastTime: Int64 = 0
        try tables.begin(reducers: examination.reducerNames, nil, at: part.lowerBound)
        for seq in part.dropFirst() {
            let isSkipped = examination.skipped.range(with: seq) != nil
            let row = try actions.read(seq) {
                try ExaminedAction($0, names, lastTime: lastTime, reducers: nil, isSkipped: isSkipped, &findings)
            }
            guard let row, !row.stepsAreLost else { throw changed }
            lastTime = row.action.at
            try tables.insert(row.action, duration: row.duration, steps: row.steps?.text)
        }
        for (action, duration) in tail { try tables.insert(action.withoutBadPayload, duration: duration) }
    }

    // MARK: Other tables

    /// Writes what the part has of the runs of actions without states, and of those with doubtful ones.
    private func writeRuns() throws {
        func inPart(_ run: ClosedRange<Int>) -> ClosedRange<Int>? {
            let (first, last) = (max(run.lowerBound, part.lowerBound + 1), min(run.upperBound, part.upperBound))
            return first <= last ? first...last : nil
        }
        for run in examination.skipped.compactMap(inPart) { try tables.add(skipped: run) }
        for states in head.doubtful {
            guard let actions = inPart(states.actions) else { continue }
            try tables.add(DoubtfulStates(actions: actions, path: states.path))
        }
    }

    private func writeNotes() throws {
        do throws(SQLiteError) {
            let places = "seq BETWEEN ?1 AND ?2 AND (reducer IS NULL OR seq > ?1 AND reducer BETWEEN 0 AND ?3)"
            let row = try file.connection.prepare("\(NoteRow.all) WHERE \(places) LIMIT 100000")
            try row.bind(part.lowerBound, at: 1)
            try row.bind(part.upperBound, at: 2)
            try row.bind(examination.reducerNames.count, at: 3)
            while try row.step() {
                do throws(SQLiteError) {
                    try tables.add(try NoteRow(row))
                } catch {
                    // In a damaged file, two notes may have a name.
                    guard error.code == .constraint else { throw error }
                }
            }
        } catch {
            // Notes are not essential. Those that cannot be read are lost.
            guard error.path == file.connection.path, error.isOfTheFile else { throw error }
        }
    }

    private var facts: [String: Metadata.Value] {
        var facts = head.metadata.values
        if !reachesEnd {
            for key in Metadata.Key.ofEnding { facts[key] = nil }
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
        return facts
    }

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
        facts[Metadata.Key.signal] = snapshot.crash.map { .text($0.node.json) }
        if snapshot.hasExited { facts[Metadata.Key.exited] = .text("1") }
        if snapshot.trouble == nil {
            let isOpen = "SELECT duration IS NULL FROM action WHERE seq = \(part.upperBound)"
            let isFinished = tail.last.map { $0.duration != nil } ?? ((try? file.connection.integer(isOpen)) != 1)
            let activity = LastActivity(snapshot, last: last, isFinished: isFinished)
            facts[Metadata.Key.during] = activity.map { .text($0.node.json) }
        }
        return facts
    }
}
